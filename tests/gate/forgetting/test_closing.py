"""The text of closed proposals goes after its windows; that it was asked stays."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gate.forgetting_desk import LOG, compress, pruned
from tests.gate.homes import Desk, addition, evidence

from nightledger.domain.closed import hashed
from nightledger.domain.proposal import Proposal
from nightledger.domain.states import ChangeState
from nightledger.gate.daily import close_day
from nightledger.gate.forgetting.closing import answered_and_gone, read_closed
from nightledger.gate.forgetting.keeping import find_damaged, remove_expired
from nightledger.gate.integrity.checking import find_altered


def live(desk: Desk, days: int = 12) -> None:
    """Let days pass, with what each night does at its end."""
    for _ in range(days):
        desk.wait(days=1)
        close_day(desk.gate, desk.ledger(), desk.moment.at.date().isoformat(), desk.moment)
        remove_expired(desk.gate, desk.ledger(), desk.moment)


def is_there(desk: Desk, proposal: Proposal) -> bool:
    return os.path.lexists(desk.home.proposal(proposal.id))


def require_sound(desk: Desk) -> None:
    ledger = desk.ledger()
    assert not find_altered(desk.home, ledger, desk.moment)
    assert not find_damaged(desk.home, ledger, desk.moment, desk.gate.undo_days)


def test_a_rejected_proposal_goes_and_is_not_asked_again(desk: Desk) -> None:
    proposal = desk.proposal(addition("Restart the relay twice."))
    desk.reject(proposal)
    live(desk, 5)
    assert is_there(desk, proposal)
    live(desk)
    assert not is_there(desk, proposal)
    require_sound(desk)
    assert desk.states(proposal) == ["rejected"]
    again = desk.propose(addition("Restart the relay twice."))
    assert (again.proposal, again.suppressed) == (None, 1)
    reworded = replace(addition("Restart the relay twice."), statement_key="in other words")
    assert desk.propose(reworded).suppressed == 1
    same_statement = replace(addition("Restart the relay twice."), after="- Two restarts, please.")
    assert desk.propose(same_statement).suppressed == 1
    other = addition("Restart the relay twice.", path="memory/2026-03-05.md")
    assert desk.propose(other).proposal is not None


def test_what_waits_and_what_was_touched_lately_stays(desk: Desk) -> None:
    waiting = pruned(desk, compress(desk, LOG))
    undone = desk.applied(addition("One."))
    live(desk, 5)
    desk.undo(undone)
    live(desk, 5)
    assert is_there(desk, waiting)
    assert is_there(desk, undone)


def test_a_crash_before_the_file_went_is_finished_and_nothing_is_remembered_twice(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    desk.reject(proposal)
    content = Path(desk.home.proposal(proposal.id)).read_bytes()
    live(desk, 17)
    Path(desk.home.proposal(proposal.id)).write_bytes(content)
    live(desk, 1)
    assert not is_there(desk, proposal)
    assert len(read_closed(desk.home)) == 1
    assert Path(desk.home.closed).read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("before", [True, False])
def test_a_line_that_somebody_adds_about_a_proposal_that_went_suppresses_nothing_else(
    *, before: bool, desk: Desk
) -> None:
    """Else it could say of any lesson that it was refused, and nobody would be asked about it."""
    proposal = desk.proposal(addition("One."))
    desk.reject(proposal)
    live(desk, 17)
    path = Path(desk.home.closed)
    honest = path.read_bytes()
    forged = honest.replace(hashed("one.").encode(), hashed("the relay needs its zone.").encode())
    assert forged != honest
    path.write_bytes(forged + honest if before else honest + forged)
    true = replace(addition("The relay needs its zone."), evidence=(evidence("memory/2026-02-28.md", 2),))
    assert desk.propose(true).proposal is not None
    path.write_bytes(honest + honest)
    assert desk.propose(replace(addition("One."), evidence=true.evidence)).suppressed == 1


def test_lines_that_were_answered_are_known_by_their_hashes(desk: Desk) -> None:
    desk.reject(desk.proposal(addition("One.")))
    live(desk, 17)
    book = desk.ledger().book
    known = answered_and_gone(desk.home, book, "MEMORY.md", {ChangeState.REJECTED})
    assert known == {(hashed(""), hashed("- One.\n"))}
    assert answered_and_gone(desk.home, book, "USER.md", {ChangeState.REJECTED}) == set()
    assert answered_and_gone(desk.home, book, "MEMORY.md", {ChangeState.APPLIED}) == set()


def test_an_altered_proposal_is_not_removed(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    desk.reject(proposal)
    Path(desk.home.proposal(proposal.id)).write_bytes(b"{}")
    live(desk, 17)
    assert is_there(desk, proposal)
    assert find_altered(desk.home, desk.ledger(), desk.moment)
