import hashlib
import os
import shutil
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, Desk, addition
from tests.gate.signers import let_sign, new_key

from nightledger.domain.decision import DecisionType
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Proposal
from nightledger.domain.states import Gone
from nightledger.files.blobs import BlobStore
from nightledger.gate.consenting import graph_target
from nightledger.gate.daily import close_day
from nightledger.gate.forgetting import keeping
from nightledger.gate.forgetting.keeping import (
    NAMES_AN_ENTRY,
    count_gone,
    find_damaged,
    present_blobs,
    remove_expired,
)
from nightledger.gate.integrity.checking import find_altered
from nightledger.gate.proposing.unproposed import make_unproposed

BEFORE = hashlib.sha256(MEMORY.encode()).hexdigest()


def sweep(desk: Desk) -> int:
    return remove_expired(desk.gate, desk.ledger(), desk.moment)


def live(desk: Desk, days: int) -> None:
    """Let days pass in which the machine runs: a heartbeat each."""
    for _ in range(days):
        desk.wait(days=1)
        close_day(desk.gate, desk.ledger(), desk.moment.at.date().isoformat(), desk.moment)


def damaged(desk: Desk) -> tuple[str, ...]:
    found = find_damaged(desk.home, desk.ledger(), desk.moment, desk.gate.undo_days)
    return tuple(os.path.basename(one.path) for one in found)


def held(desk: Desk) -> set[str]:
    return set(present_blobs(desk.home))


def changed_twice(desk: Desk) -> tuple[Proposal, str]:
    """Apply two changes; give the first and the hash of the bytes between them."""
    first = desk.applied(addition("One."))
    between = hashlib.sha256(desk.memory.read_bytes()).hexdigest()
    desk.applied(addition("Two."))
    return first, between


def test_blobs_go_when_their_undo_window_and_the_grace_are_over(desk: Desk) -> None:
    _, between = changed_twice(desk)
    now = hashlib.sha256(desk.memory.read_bytes()).hexdigest()
    live(desk, 8)
    assert sweep(desk) == 0
    live(desk, 2)
    assert sweep(desk) == 2
    assert {BEFORE, between} & held(desk) == set()
    assert now in held(desk)
    book = desk.ledger().book
    assert {book.gone[BEFORE], book.gone[between]} == {Gone.EXPIRED}
    assert count_gone(book) == {Gone.EXPIRED: 2, Gone.EXPUNGED: 0}
    assert damaged(desk) == ()
    assert sweep(desk) == 0
    assert desk.events().count("blobs.removed") == 1


def test_everything_in_an_open_window_can_be_undone_after_a_sweep(desk: Desk) -> None:
    first, _ = changed_twice(desk)
    live(desk, 6)
    sweep(desk)
    desk.undo(first)
    assert "One." not in desk.text()
    assert "Two." in desk.text()


def test_a_longer_window_keeps_longer(desk: Desk) -> None:
    changed_twice(desk)
    desk.set(undo_days=30)
    live(desk, 25)
    assert sweep(desk) == 0


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


def test_trust_files_never_go(desk: Desk) -> None:
    first = hashlib.sha256(Path(desk.home.allowed_signers).read_bytes()).hexdigest()
    let_sign(desk, new_key(desk.root, "ana"), "ana")
    second = hashlib.sha256(Path(desk.home.allowed_signers).read_bytes()).hexdigest()
    let_sign(desk, new_key(desk.root, "bo"), "bo")
    live(desk, 40)
    sweep(desk)
    assert {first, second} <= held(desk)
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()


def test_one_jump_of_the_clock_closes_no_window_early(desk: Desk) -> None:
    first, _ = changed_twice(desk)
    real = desk.moment
    desk.moment = Moment(at=real.at + timedelta(days=30_000))
    assert sweep(desk) == 0
    desk.record("heartbeat", day="2026-03-01", waiting=0)
    assert sweep(desk) == 0
    desk.moment = real
    live(desk, 6)
    assert sweep(desk) == 0
    desk.undo(first)


def test_within_one_boot_a_jump_of_the_clock_counts_for_nothing(desk: Desk) -> None:
    desk.moment = replace(desk.moment, boot="b", boot_s=100)
    first = desk.proposal(addition("One."))
    desk.approve(first)
    desk.moment = replace(desk.moment, at=desk.moment.at + timedelta(hours=3), boot_s=11_000)
    desk.apply(first)
    desk.moment = replace(desk.moment, at=desk.moment.at + timedelta(days=30), boot_s=12_000)
    planned = desk.plan_undo(first)
    assert not planned.problem
    assert sweep(desk) == 0


def test_a_clock_set_back_keeps_what_is_there(desk: Desk) -> None:
    changed_twice(desk)
    desk.wait(days=-400)
    assert sweep(desk) == 0


def test_a_gap_in_which_the_machine_was_off_counts_for_two_days(desk: Desk) -> None:
    changed_twice(desk)
    desk.wait(days=100)
    assert sweep(desk) == 0
    live(desk, 8)
    assert sweep(desk) == 2


def test_what_waits_keeps_its_blobs(desk: Desk) -> None:
    """Here what an apply that a crash cut short names, and what the log says of an open proposal."""
    proposal = desk.proposal(addition("One."))
    blobs = BlobStore(desk.home.blobs_dir)
    mine, other = blobs.put(b"of a proposal that waits"), blobs.put(b"of one that does not")
    desk.record("proposal.deferred", proposal=proposal.id, changes=[], places=[{"sha256": mine}])
    desk.record("proposal.deferred", proposal="p-" + "a" * 26, changes=[], places=[{"sha256": other}])
    torn = blobs.put(b"of an apply that was cut short")
    target = {"path": "MEMORY.md", "before": torn, "after": torn}
    decision = desk.approve(desk.proposal(addition("Two.")))[0]
    desk.record(
        "apply.intent",
        apply="a-" + "a" * 26,
        decision=decision.id,
        proposal=decision.proposal,
        changes=[1],
        targets=[target],
    )
    live(desk, 20)
    assert sweep(desk) == 1
    assert {mine, torn} <= held(desk)
    assert other not in held(desk)


def test_what_the_log_never_named_goes_when_it_is_old(desk: Desk) -> None:
    blobs = BlobStore(desk.home.blobs_dir)
    old, young = blobs.put(b"left by a run that died"), blobs.put(b"of a run at work")
    for sha256, age in ((old, 12), (young, 5)):
        at = (desk.moment.at - timedelta(days=age)).timestamp()
        os.utime(blobs.path(sha256), (at, at))
    assert sweep(desk) == 1
    assert (old in held(desk), young in held(desk)) == (False, True)
    assert desk.events().count("blobs.removed") == 0


def test_a_sweep_that_was_cut_short_is_finished_and_logged_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed_twice(desk)
    live(desk, 10)
    with monkeypatch.context() as patch:
        patch.setattr(keeping, "remove_blobs", lambda _home, _going: None)
        sweep(desk)
    assert BEFORE in held(desk)
    assert sweep(desk) == 2
    assert desk.events().count("blobs.removed") == 1
    assert BEFORE not in held(desk)


def test_bytes_that_come_back_are_there_again(desk: Desk) -> None:
    first, between = changed_twice(desk)
    live(desk, 10)
    sweep(desk)
    assert desk.ledger().book.gone[between] is Gone.EXPIRED
    desk.edit(desk.text().replace("- Two.\n", "").encode())
    assert hashlib.sha256(desk.memory.read_bytes()).hexdigest() == between
    book = desk.ledger().book
    assert between not in book.gone
    assert damaged(desk) == ()
    assert desk.plan_undo(first).problem.startswith("its undo window closed")


def test_an_undo_whose_bytes_expired_is_proposed_instead(desk: Desk) -> None:
    first, _ = changed_twice(desk)
    live(desk, 10)
    sweep(desk)
    desk.wait(days=-8)  # the clock was set back: the window looks open
    assert desk.plan_undo(first).problem == "the bytes that it needs were expired"


def test_drift_that_nobody_answered_goes_when_it_is_old_and_the_rest_stays(desk: Desk) -> None:
    for n in range(3):
        desk.memory.write_text(f"{desk.text()}- Note {n}.\n")
        desk.wait(hours=1)
        desk.guard()
    names = [s.id for s in desk.ledger().book.proposals.values()]
    settled = desk.drift()
    desk.settle(keep=[1])
    live(desk, 5)
    sweep(desk)
    assert [os.path.exists(desk.home.proposal(name)) for name in names] == [True, True, True]
    live(desk, 6)
    assert sweep(desk) > 0
    assert [os.path.exists(desk.home.proposal(name)) for name in names] == [False, False, True]
    assert names[2] == settled.id
    book = desk.ledger().book
    assert {book.gone[book.proposals[name].sha256] for name in names[:2]} == {Gone.EXPIRED}
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
    assert sweep(desk) == 0
    Path(desk.home.proposal(settled.id)).unlink()
    assert len(find_altered(desk.home, desk.ledger(), desk.moment)) == 1


def test_a_blob_that_vanished_is_missing(desk: Desk) -> None:
    changed_twice(desk)
    Path(BlobStore(desk.home.blobs_dir).path(BEFORE)).unlink()
    assert damaged(desk) == (BEFORE,)


def test_an_apply_that_was_given_up_needs_nothing(desk: Desk) -> None:
    decision = desk.approve(desk.proposal(addition("One.")))[0]
    target = {"path": "MEMORY.md", "before": "0" * 64, "after": "1" * 64}
    name = "a-" + "a" * 26
    desk.record(
        "apply.intent",
        apply=name,
        decision=decision.id,
        proposal=decision.proposal,
        changes=[1],
        targets=[target],
    )
    assert len(damaged(desk)) == 2
    desk.record("apply.aborted", apply=name, reason="crash")
    assert damaged(desk) == ()


def test_many_names_are_logged_in_entries_that_fit(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "NAMES_AN_ENTRY", 1)
    changed_twice(desk)
    live(desk, 10)
    assert sweep(desk) == 2
    assert desk.events().count("blobs.removed") == 2
    assert NAMES_AN_ENTRY * 67 < 65_535 - 1_000


def test_a_home_without_blobs_has_none(desk: Desk) -> None:

    shutil.rmtree(desk.home.blobs_dir)
    assert list(present_blobs(desk.home)) == []
    Path(desk.home.blobs_dir).mkdir()
    Path(desk.home.blobs_dir, ".gitignore").write_text("*\n")
    assert list(present_blobs(desk.home)) == []
