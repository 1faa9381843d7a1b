from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.checkup.units import read_units
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
