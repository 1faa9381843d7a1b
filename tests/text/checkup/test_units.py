from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.text.checkup.units import find_repeats, read_units, weight
from nightledger.text.markdown.document import parse_markdown

LINES = st.sampled_from(
    ["- item", "  - child", "    - grandchild", "1. first", "text.", "", "# Heading", "| a | b |", "|---|---|", "| 1 | 2 |", "```", "> quote", "<!-- c -->", "DECISION: a", "- STATUS: done"]
)  # fmt: skip


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


@from_corpus("text-checkup-repeats")
def test_of_two_items_that_say_the_same_one_is_the_repeat(text: str, repeated: list[list[object]]) -> None:
    """The later of equal ones, the one with less in it; an index or a table gets no hole, one thing that counts none."""
    units = read_units(parse_markdown(text))
    found = find_repeats(units).values()
    assert sorted([units[one.unit].first, units[one.other].first, one.kind] for one in found) == repeated


def test_a_letter_of_a_script_without_spaces_weighs_as_much_as_three() -> None:
    assert (weight("备份"), weight("ក"), weight("ab")) == (6, 3, 2)
