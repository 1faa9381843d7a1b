import hashlib

import pytest
from tests.gate.homes import MEMORY, Desk, addition
from tests.gate.signers import let_sign, new_key

from nightledger.domain.decision import DecisionType
from nightledger.domain.proposal import Proposal
from nightledger.gate import keeping
from nightledger.gate.consenting import graph_target
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.keeping import NAMES_AN_ENTRY, close_day, present_blobs, remove_expired

BEFORE = hashlib.sha256(MEMORY.encode()).hexdigest()


def sweep(desk: Desk) -> int:
    return remove_expired(desk.gate, desk.ledger(), desk.moment)


def live(desk: Desk, days: int) -> None:
    """Let days pass in which the machine runs: a heartbeat each."""
    for _ in range(days):
        desk.wait(days=1)
        close_day(desk.gate, desk.ledger(), desk.moment.at.date().isoformat(), desk.moment)


def held(desk: Desk) -> set[str]:
    return set(present_blobs(desk.home))


def changed_twice(desk: Desk) -> tuple[Proposal, str]:
    """Apply two changes; give the first and the hash of the bytes between them."""
    first = desk.applied(addition("One."))
    between = hashlib.sha256(desk.memory.read_bytes()).hexdigest()
    desk.applied(addition("Two."))
    return first, between


def test_decisions_about_keys_and_consent_never_go(desk: Desk) -> None:
    changed = let_sign(desk, new_key(desk.root, "ana"), "ana")
    reviewed = desk.accept(
        make_unproposed(desk.gate, DecisionType.CONSENT, [graph_target(desk.gate)], desk.signing())
    )
    (approved,) = desk.approve(desk.proposal(addition("One.")))
    live(desk, 40)
    sweep(desk)
    decisions = desk.ledger().book.decisions
    kept = [decisions[decision.id] for decision in (changed, reviewed)]
    assert {sha256 for one in kept for sha256 in (one.sha256, one.signature_sha256)} <= held(desk)
    assert decisions[approved.id].sha256 not in held(desk)


def test_a_sweep_that_was_cut_short_is_finished_and_logged_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed_twice(desk)
    live(desk, 10)
    with monkeypatch.context() as patch:
        patch.setattr(keeping, "remove_files", lambda _paths: None)
        sweep(desk)
    assert BEFORE in held(desk)
    assert sweep(desk) == 2
    assert desk.events().count("blobs.removed") == 1
    assert BEFORE not in held(desk)


def test_many_names_are_logged_in_entries_that_fit(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "NAMES_AN_ENTRY", 1)
    changed_twice(desk)
    live(desk, 10)
    assert sweep(desk) == 2
    assert desk.events().count("blobs.removed") == 2
    assert NAMES_AN_ENTRY * 67 < 65_535 - 1_000
