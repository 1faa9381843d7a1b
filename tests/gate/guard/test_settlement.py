"""Decisions about drift: carried out on the very bytes that were signed, or not at all."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import MEMORY, Desk

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.domain.states import DecisionStatus
from nightledger.gate.daily import is_tired
from nightledger.gate.guard.settlement import carry_out
from nightledger.gate.review.composing import Settlement, compose_settlements
from nightledger.gate.review.reviewing import Answer, Item, Refusal, Verb, items_of

BOAT = "- Boat: paint the hull\n"
TWO = MEMORY.replace("30 days", "40 days") + BOAT


@pytest.fixture
def drifted(desk: Desk) -> Desk:
    desk.memory.write_text(TWO)
    desk.guard()
    return desk


def items(desk: Desk) -> list[Item]:
    book = desk.ledger().book
    return items_of(desk.gate, book.proposals[desk.drift().id], DecisionType.APPROVE, {})


def composed(desk: Desk, *verbs: Verb) -> tuple[list[Settlement], list[Refusal]]:
    name = desk.drift().id
    answers = [Answer(proposal=name, n=n, verb=verb) for n, verb in enumerate(verbs, 1)]
    return compose_settlements(desk.gate, desk.ledger().book, items(desk), answers, desk.signing())


def recorded(desk: Desk, settlement: Settlement) -> DecisionStatus:
    decision = desk.accept(settlement.decision)
    return desk.ledger().book.decisions[decision.id]


def test_without_an_answer_nothing_is_decided(drifted: Desk) -> None:
    assert composed(drifted) == ([], [])
    assert composed(drifted, Verb.LATER, Verb.LATER) == ([], [])


def test_one_that_expired_or_was_altered_is_not_carried_out(drifted: Desk) -> None:
    ((settlement,), _) = composed(drifted, Verb.APPROVE, Verb.APPROVE)
    status = recorded(drifted, settlement)
    late = replace(drifted.moment, at=drifted.moment.at + timedelta(days=8))
    with pytest.raises(RefusedError, match="it has expired"):
        carry_out(drifted.gate, drifted.ledger(), status, (), late)
    Path(drifted.home.decision(status.id) + ".sig").write_text("no signature")
    with pytest.raises(RefusedError, match="does not verify"):
        carry_out(drifted.gate, drifted.ledger(), status, (), drifted.moment)


def test_a_file_that_cannot_be_read_any_more_cannot_be_answered(drifted: Desk) -> None:
    drifted.memory.unlink()
    drifted.memory.symlink_to("/etc/hostname")
    assert "outside" in items(drifted)[0].unplaced


def test_drift_never_grows_tired(desk: Desk) -> None:
    desk.set(reviewable_days=0)
    desk.memory.write_text(TWO)
    desk.guard()
    ledger = desk.ledger()
    assert not is_tired(desk.gate, ledger, ledger.book.proposals[desk.drift().id])


DRIFTED = """# M

## Never

- Ask.
- Push all keys.

### Sub

- One.
- Two.

## Later

- Two.
- Three.
"""
ACCEPTED = DRIFTED.replace("Never", "Always").replace("- Push all keys.\n", "").replace("- Two.\n", "")


def test_what_stands_below_a_heading_that_drifted_is_one_change_with_it(desk: Desk) -> None:
    desk.edit(ACCEPTED.encode())
    desk.memory.write_text(DRIFTED)
    desk.guard()
    assert len(desk.drift().changes) == 2
    assert desk.settle(keep=[2]) == []
    accepted = ACCEPTED.replace("- Three", "- Two.\n- Three")
    assert desk.accepted() == accepted
    desk.guard()
    assert desk.settle(keep=[1]) == []
    assert desk.accepted() == DRIFTED
