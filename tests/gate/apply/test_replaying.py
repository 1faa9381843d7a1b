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
