from msgspec.structs import replace
from tests.gate.homes import MEMORY, Desk, addition, removal

from nightledger.domain.proposal import Proposal
from nightledger.gate.proposing.screening import NOTHING, told_at_home, told_by

TOLD = "Nebelhorn" + "4711"
LINE = f"- Loft box password: {TOLD}\n"


def holding(proposal: Proposal, **fields: str) -> Proposal:
    """Give the proposal with other texts in its first change."""
    first = proposal.changes[0]
    hunk = {name: fields.pop(name) for name in ("removed", "added") if name in fields}
    changed = replace(first, hunk=replace(first.hunk, **hunk), **fields)
    return replace(proposal, changes=(changed,))


def test_a_change_tells_by_any_of_its_texts(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    assert told_by({}, [proposal]) == NOTHING
    for name in ("before", "after", "reason"):
        assert told_by({}, [holding(proposal, **{name: LINE})]) == {TOLD}
    for name in ("removed", "added"):
        assert told_by({}, [holding(proposal, **{name: LINE})]) == {TOLD}


def test_what_stands_behind_holes_is_told_though_no_line_tells_it_any_more(desk: Desk) -> None:
    label, line = f"- Loft box password: {TOLD}", f"- The loft opens with {TOLD}."
    desk.memory.write_text(f"{MEMORY}\n{label}\n{line}\n")
    proposal = desk.proposal(replace(removal(line), statement_key="the loft"))
    without = desk.text().replace(f"{label}\n", "")
    desk.memory.write_text(without)
    assert told_by({"MEMORY.md": without}, ()) == NOTHING
    assert told_by({"MEMORY.md": without}, [proposal]) == {TOLD}
    (item,) = desk.items()
    assert TOLD not in item.diff
    assert "-- The loft opens with [masked: 13 bytes].\n" in item.diff
    desk.memory.write_text(MEMORY)
    assert told_at_home(desk.home, [proposal]) == told_by({}, [proposal]) == NOTHING
