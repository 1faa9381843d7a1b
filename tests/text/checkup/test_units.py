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


def test_a_decision_block_is_one_unit_with_its_status() -> None:
    text = "Taken in May:\nDECISION: two presses\nWHY: one is\n  too slow\nSTATUS: Open\nDECISION: no paint\nSTATUS: Done\n"
    before, first, second = units(text)
    assert (before.kind, before.first, before.last) == (UnitKind.SENTENCE, 1, 1)
    assert (first.kind, first.first, first.last, first.own_last) == (UnitKind.DECISION, 2, 5, 5)
    assert first.text == "DECISION: two presses WHY: one is too slow STATUS: Open"
    assert (first.status, second.status, second.first) == ("Open", "Done", 6)


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
