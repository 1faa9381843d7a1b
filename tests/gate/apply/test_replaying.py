"""What was taken from one place comes back in its old order, whichever part comes back first."""

from itertools import permutations

import pytest
from tests.gate.forgetting_desk import archive, forgotten, snapshot
from tests.gate.homes import Desk

from nightledger.domain.proposal import Proposal

FIVE = b"# Memory\n\n## Pumps\n\n" + b"".join(
    b"- Pump %d was repaired.\n  Status: Resolved 2025-11-02\n" % n for n in range(1, 6)
)


@pytest.fixture
def gone(desk: Desk) -> tuple[Proposal, Proposal]:
    """Archive neighbours by two proposals, every other one by the same."""
    desk.edit(FIVE)
    first = forgotten(desk, *archive(desk, "Pump 1", "Pump 3"))
    return first, forgotten(desk, *archive(desk, "Pump 2", "Pump 4"))


@pytest.mark.parametrize("order", list(permutations(range(4)))[::5])
def test_neighbours_come_back_in_their_order_whichever_is_taken_back_first(
    desk: Desk, gone: tuple[Proposal, Proposal], order: tuple[int, ...]
) -> None:
    parts = [(proposal, n) for proposal in gone for n in (1, 2)]
    for at in order:
        desk.undo(parts[at][0], parts[at][1])
    assert snapshot(desk) == {"MEMORY.md": FIVE}


@pytest.mark.parametrize(("proposal", "n", "pump"), [(0, 1, 1), (0, 2, 3), (1, 1, 2), (1, 2, 4)])
def test_when_one_came_back_the_archive_holds_the_others_byte_for_byte(
    desk: Desk, gone: tuple[Proposal, Proposal], proposal: int, n: int, pump: int
) -> None:
    before = snapshot(desk)["memory/archive/2026.md"]
    desk.undo(gone[proposal], n)
    after = snapshot(desk)["memory/archive/2026.md"]
    start = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(after))
    taken = before[start : start + len(before) - len(after)]
    assert before == after[:start] + taken + after[start:]
    assert [k for k in range(1, 6) if b"Pump %d" % k in after] == sorted({1, 2, 3, 4} - {pump})
    assert [k for k in range(1, 6) if b"Pump %d" % k in desk.memory.read_bytes()] == sorted({pump, 5})
