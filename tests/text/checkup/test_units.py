from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.checkup.units import Unit, UnitKind, read_units
from nightledger.text.markdown.document import parse_markdown

LINES = st.sampled_from(
    ["- item", "  - child", "    - grandchild", "1. first", "text.", "", "# Heading", "| a | b |", "|---|---|", "| 1 | 2 |", "```", "> quote", "<!-- c -->", "DECISION: a", "- STATUS: done"]
)  # fmt: skip


def units(text: str) -> tuple[Unit, ...]:
    return read_units(parse_markdown(text))


def test_an_item_holds_its_children_and_keeps_its_own_lines_apart() -> None:
    parent, child, grandchild, other = units("- a\n  more\n  - b\n    1. c\n- [x] d\n")
    assert (parent.first, parent.own_last, parent.last, parent.text) == (1, 2, 4, "a more")
    assert (child.first, child.last, child.parent, child.lead) == (3, 4, 0, "a more".partition(" ")[0])
    assert (grandchild.parent, grandchild.ordered) == (1, True)
    assert (other.box, other.text, other.parent) == ("x", "d", -1)


def test_rows_know_their_columns() -> None:
    (row,) = units("| Host | State |\n|---|---|\n| atlas | up |\n")
    assert row.kind is UnitKind.ROW
    assert (row.columns, row.cells, row.text) == (("Host", "State"), ("atlas", "up"), "atlas | up")


def test_lines_that_stand_for_themselves_are_sentences_of_their_own() -> None:
    assert [unit.first for unit in units("**Host:** atlas\n**Port:** 8080\n")] == [1, 2]


def test_a_wrapped_sentence_is_one_unit() -> None:
    (unit,) = units("The press in the hall needs\nten minutes to warm up\n")
    assert (unit.first, unit.last, unit.text) == (1, 2, "The press in the hall needs ten minutes to warm up")


def test_a_list_knows_the_sentence_that_announces_it() -> None:
    announce, item = units("Rules of the house:\n\n- no shoes\n")
    assert item.lead == announce.text


def test_headings_are_carried_down_and_end_a_lead() -> None:
    last = units("# Memory\n## Rules\nOf the house:\n## Facts\n- a\n")[-1]
    assert (last.headings, last.lead) == (("Memory", "Facts"), "")


def test_code_inside_an_item_starts_no_item() -> None:
    (unit,) = units("- run\n  ```\n  - not an item\n  ```\n")
    assert (unit.first, unit.last) == (1, 4)


def test_comments_quotes_and_code_are_units_and_front_matter_is_none() -> None:
    kinds = [unit.kind for unit in units("---\na: b\n---\n\n<!-- c -->\n\n> q\n\n```\nx\n```\n")]
    assert kinds == [UnitKind.COMMENT, UnitKind.QUOTE, UnitKind.CODE]


def test_a_decision_block_is_one_unit_with_its_status() -> None:
    text = "Taken in May:\nDECISION: two presses\nWHY: one is\n  too slow\nSTATUS: Open\nDECISION: no paint\nSTATUS: Done\n"
    before, first, second = units(text)
    assert (before.kind, before.first, before.last) == (UnitKind.SENTENCE, 1, 1)
    assert (first.kind, first.first, first.last, first.own_last) == (UnitKind.DECISION, 2, 5, 5)
    assert first.text == "DECISION: two presses WHY: one is too slow STATUS: Open"
    assert (first.status, second.status, second.first) == ("Open", "Done", 6)


def test_a_decision_told_in_items_is_one_unit() -> None:
    decision, other = units("- DECISION: two presses\n  - WHY: slow\n- STATUS: Closed\n- other\n")
    assert (decision.kind, decision.first, decision.last, decision.status) == (
        UnitKind.DECISION,
        1,
        3,
        "Closed",
    )
    assert (other.kind, other.first) == (UnitKind.ITEM, 4)


def test_one_field_alone_is_no_block() -> None:
    assert [unit.kind for unit in units("DECISION: two presses\n")] == [UnitKind.SENTENCE]


@given(lines=st.lists(LINES, max_size=25))
def test_units_are_whole_lines_in_order_and_lie_inside_their_parents(lines: list[str]) -> None:
    document = parse_markdown("\n".join(lines))
    found = read_units(document)
    assert [unit.first for unit in found] == sorted(unit.first for unit in found)
    for unit in found:
        assert 1 <= unit.first <= unit.own_last <= unit.last <= len(document.lines)
        if unit.parent >= 0:
            parent = found[unit.parent]
            assert parent.own_last < unit.first <= unit.last <= parent.last
