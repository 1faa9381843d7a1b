import hashlib
from datetime import date, timedelta

import pytest
from tests.gate.homes import MEMORY, Desk, addition
from tests.gate.signers import let_sign, new_key

from nightledger.domain.decision import DecisionType
from nightledger.domain.judge import JOB
from nightledger.gate import keeping
from nightledger.gate.consenting import graph_target
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.keeping import NAMES_AN_ENTRY, close_day, present_blobs, remove_expired

BEFORE = hashlib.sha256(MEMORY.encode()).hexdigest()


def sweep(desk: Desk) -> int:
    return remove_expired(desk.gate, desk.ledger(), desk.moment)


def live(desk: Desk, days: int, *, since: int = 0, **apart: float) -> None:
    """Let the nights of some days from the first of January on be closed, each so long after the one before."""
    for n in range(since, since + days):
        desk.wait(**(apart or {"days": 1}))
        day = date(2026, 1, 1) + timedelta(days=n)
        close_day(desk.gate, desk.ledger(), day.isoformat(), desk.moment)


def held(desk: Desk) -> set[str]:
    return set(present_blobs(desk.home))


def test_decisions_about_keys_and_consent_never_go(desk: Desk) -> None:
    changed = let_sign(desk, new_key(desk.root, "ana"), "ana")
    review = make_unproposed(desk.gate, DecisionType.CONSENT, [graph_target(desk.gate)], desk.signing())
    reviewed = desk.accept(review)
    (approved,) = desk.approve(desk.proposal(addition("One.")))
    live(desk, 40)
    sweep(desk)
    decisions = desk.ledger().book.decisions
    kept = [decisions[decision.id] for decision in (changed, reviewed)]
    assert {sha256 for one in kept for sha256 in (one.sha256, one.signature_sha256)} <= held(desk)
    assert decisions[approved.id].sha256 not in held(desk)


def test_a_sweep_that_was_cut_short_is_finished_and_logged_once_in_entries_that_fit(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.applied(addition("One."))
    desk.applied(addition("Two."))
    live(desk, 10)
    monkeypatch.setattr(keeping, "NAMES_AN_ENTRY", 1)
    with monkeypatch.context() as patch:
        patch.setattr(keeping, "remove_files", lambda _paths: None)
        sweep(desk)
    assert desk.events().count("blobs.removed") == 2
    assert BEFORE in held(desk)
    assert sweep(desk) == 2
    assert desk.events().count("blobs.removed") == 2
    assert BEFORE not in held(desk)
    assert NAMES_AN_ENTRY * 67 < 65_535 - 1_000


def test_a_run_that_catches_up_counts_as_one_day(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."), lane=JOB)
    desk.wait(days=1)
    live(desk, 20, since=30, minutes=1)
    assert desk.states(proposal) == ["pending"]
    live(desk, 13, since=60)
    assert desk.states(proposal) == ["pending"]
    live(desk, 1, since=73)
    assert desk.states(proposal) == ["withdrawn"]
