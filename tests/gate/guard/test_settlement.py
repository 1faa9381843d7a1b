"""Decisions about drift: carried out on the very bytes that were signed, or not at all."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, Desk, addition

from nightledger.domain.decision import DecisionType
from nightledger.domain.drift import OnDrift
from nightledger.domain.errors import RefusedError
from nightledger.domain.states import DecisionStatus
from nightledger.files.blobs import BlobStore
from nightledger.gate.daily import is_tired
from nightledger.gate.deciding import with_id
from nightledger.gate.guard import settlement as settlement_module
from nightledger.gate.guard.guarding import is_quiet
from nightledger.gate.guard.settlement import (
    ELSEWHERE,
    NOT_SHOWN,
    Settlement,
    carry_out,
    compose_settlements,
    finish_settlements,
)
from nightledger.gate.integrity.checking import find_drift
from nightledger.gate.proposing.proposing import store
from nightledger.gate.review.composing import Refusal
from nightledger.gate.review.rechecking import recheck
from nightledger.gate.review.reviewing import Answer, Item, Verb, items_of
from nightledger.gate.stored import read_proposal

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


def test_the_decision_names_what_is_kept_and_the_bytes_before_and_after(drifted: Desk) -> None:
    ((settlement,), refusals) = composed(drifted, Verb.APPROVE, Verb.REJECT)
    assert refusals == []
    decision = settlement.decision
    assert (decision.type, decision.changes, settlement.taken_back) == (DecisionType.DRIFT, (1,), (2,))
    assert settlement.write.before == TWO.encode()
    assert settlement.write.after == settlement.write.accepted == TWO.removesuffix(BOAT).encode()
    assert decision.not_before == drifted.moment.at


def test_without_an_answer_nothing_is_decided(drifted: Desk) -> None:
    assert composed(drifted) == ([], [])
    assert composed(drifted, Verb.LATER, Verb.LATER) == ([], [])


def test_proposals_that_are_no_drift_are_passed_over(desk: Desk) -> None:
    proposal = desk.proposal(addition("Set the zone."))
    answers = [Answer(proposal=proposal.id, n=1, verb=Verb.APPROVE)]
    assert compose_settlements(desk.gate, desk.ledger().book, desk.items(), answers, desk.signing()) == (
        [],
        [],
    )


def test_it_is_neither_approved_nor_rejected(drifted: Desk) -> None:
    ((settlement,), _) = composed(drifted, Verb.APPROVE)
    for kind in (DecisionType.APPROVE, DecisionType.REJECT):
        decision = with_id(replace(settlement.decision, type=kind, id=""))
        with pytest.raises(RefusedError, match="change 1 is pending"):
            drifted.accept(decision)


def test_it_is_carried_out_on_the_signed_bytes_only(drifted: Desk) -> None:
    ((settlement,), _) = composed(drifted, Verb.APPROVE, Verb.REJECT)
    status = recorded(drifted, settlement)
    with pytest.raises(RefusedError, match="would not become what was signed"):
        carry_out(drifted.gate, drifted.ledger(), status, (1, 2), drifted.moment)
    drifted.memory.write_text(TWO + "- Later.\n")
    with pytest.raises(RefusedError, match="changed again"):
        carry_out(drifted.gate, drifted.ledger(), status, (2,), drifted.moment)
    assert drifted.text() == TWO + "- Later.\n"


def test_one_that_expired_or_was_altered_is_not_carried_out(drifted: Desk) -> None:
    ((settlement,), _) = composed(drifted, Verb.APPROVE, Verb.APPROVE)
    status = recorded(drifted, settlement)
    late = replace(drifted.moment, at=drifted.moment.at + timedelta(days=8))
    with pytest.raises(RefusedError, match="it has expired"):
        carry_out(drifted.gate, drifted.ledger(), status, (), late)
    Path(drifted.home.decision(status.id) + ".sig").write_text("no signature")
    with pytest.raises(RefusedError, match="does not verify"):
        carry_out(drifted.gate, drifted.ledger(), status, (), drifted.moment)


def test_one_over_other_bytes_of_the_item_is_not_carried_out(
    drifted: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((settlement,), _) = composed(drifted, Verb.APPROVE)
    status = recorded(drifted, settlement)
    monkeypatch.setattr(
        "nightledger.gate.guard.settlement.read_proposal",
        lambda *a: replace(read_proposal(*a), sha256="0" * 64),
    )
    with pytest.raises(RefusedError, match="other bytes of this item"):
        carry_out(drifted.gate, drifted.ledger(), status, (), drifted.moment)


def test_one_of_a_key_that_was_revoked_since_is_not_carried_out(
    drifted: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((settlement,), _) = composed(drifted, Verb.APPROVE)
    status = recorded(drifted, settlement)
    monkeypatch.setattr(
        "nightledger.gate.guard.settlement.why_void", lambda *_: "the key was revoked since it was signed"
    )
    with pytest.raises(RefusedError, match="revoked since"):
        carry_out(drifted.gate, drifted.ledger(), status, (), drifted.moment)


@pytest.mark.parametrize("verbs", [(Verb.APPROVE, Verb.REJECT), (Verb.APPROVE, Verb.APPROVE)])
def test_what_was_recorded_and_not_carried_out_is_finished_later(
    verbs: tuple[Verb, Verb], drifted: Desk
) -> None:
    ((settlement,), _) = composed(drifted, *verbs)
    recorded(drifted, settlement)
    finish_settlements(drifted.gate, drifted.ledger(), drifted.moment)
    assert find_drift(drifted.home, drifted.ledger().book) == ()
    assert (BOAT in drifted.text()) is (verbs[1] is Verb.APPROVE)
    before = drifted.events()
    finish_settlements(drifted.gate, drifted.ledger(), drifted.moment)
    assert drifted.events() == before


def test_what_cannot_be_finished_is_asked_again(drifted: Desk) -> None:
    ((settlement,), _) = composed(drifted, Verb.APPROVE)  # the second is left for later
    recorded(drifted, settlement)
    finish_settlements(drifted.gate, drifted.ledger(), drifted.moment)
    assert drifted.text() == TWO
    assert drifted.drift().changes[0].n == 1


def test_an_answer_falls_when_the_item_was_settled_meanwhile(drifted: Desk) -> None:
    shown, name = items(drifted), drifted.drift().id
    answer = Answer(proposal=name, n=1, verb=Verb.APPROVE)
    standing, fallen = recheck(drifted.gate, drifted.ledger().book, shown, [answer])
    assert (standing, fallen) == ([answer], [])
    drifted.settle(keep=[1, 2])
    standing, fallen = recheck(drifted.gate, drifted.ledger().book, shown, [answer])
    assert standing == []
    assert fallen[0].reason == "it is applied meanwhile"


def test_a_file_that_cannot_be_read_any_more_cannot_be_answered(drifted: Desk) -> None:
    drifted.memory.unlink()
    drifted.memory.symlink_to("/etc/hostname")
    assert "outside" in items(drifted)[0].unplaced


def test_changing_what_is_accepted_makes_the_item_old(drifted: Desk) -> None:
    name = drifted.drift().id
    shown = items(drifted)
    drifted.edit(drifted.memory.read_bytes().replace(b"relay", b"pump"))
    drifted.memory.write_text(TWO)
    answers = [Answer(proposal=name, n=1, verb=Verb.APPROVE)]
    _, refusals = compose_settlements(drifted.gate, drifted.ledger().book, shown, answers, drifted.signing())
    assert "changed again" in refusals[0].reason


def test_drift_never_grows_tired_and_an_offer_does(desk: Desk) -> None:
    desk.set(reviewable_days=0)
    desk.memory.write_text(TWO)
    desk.guard()
    ledger = desk.ledger()
    assert not is_tired(desk.gate, ledger, ledger.book.proposals[desk.drift().id])
    desk.set(on_drift=OnDrift.PROPOSE)
    (sighting,) = desk.guard()
    ledger = desk.ledger()
    assert is_tired(desk.gate, ledger, ledger.book.proposals[sighting.proposal])


def test_a_part_is_not_kept_where_the_bytes_accepted_before_are_lost_meanwhile(drifted: Desk) -> None:
    """Else whoever removes a blob could have all that drifted accepted by one answer about a part of it."""
    blob = Path(BlobStore(drifted.home.blobs_dir).path(drifted.ledger().book.gated["MEMORY.md"]))
    blob.unlink()
    item = drifted.drift()
    assert composed(drifted, Verb.APPROVE, Verb.LATER) == ([], [Refusal(proposal=item.id, reason=NOT_SHOWN)])
    assert not is_quiet(drifted.gate, drifted.ledger().book)
    (sighting,) = drifted.guard()
    assert (sighting.new, sighting.proposal != item.id) == (True, True)
    assert drifted.states(item) == ["superseded", "superseded"]
    assert [change.n for change in drifted.drift().changes] == [1]  # the whole file, shown as new
    assert drifted.guard()[0].new is False
    drifted.settle((1,))
    assert find_drift(drifted.home, drifted.ledger().book) == ()


def test_an_item_that_shows_other_lines_than_drifted_is_not_settled(drifted: Desk) -> None:
    """Only who has the log's key can put one into the log."""
    item = drifted.drift()
    one, two = item.changes
    harmless = replace(one, hunk=replace(one.hunk, added="- Keep backups for 31 days.\n"))
    forged = replace(item, id="p-" + "a" * 26, changes=(harmless, two))
    store(drifted.gate, forged, drifted.moment, superseded={})
    found = drifted.ledger().book.drifts["MEMORY.md"]
    told = {"path": found.path, "sha256": found.sha256, "base": found.base, "writer": found.writer}
    drifted.record("drift.found", **told, blob=found.sha256, proposal=forged.id)
    assert composed(drifted, Verb.APPROVE) == ([], [Refusal(proposal=forged.id, reason=NOT_SHOWN)])


ALWAYS = "# M\n\n## Always\n\n- Ask.\n- Two.\n- Three.\n- Four.\n"
NEVER = ALWAYS.replace("Always", "Never") + "- Push all keys.\n"


@pytest.fixture
def under_never(desk: Desk) -> Desk:
    """What drifted gave a section another heading, and a line below it."""
    desk.edit(ALWAYS.encode())
    desk.memory.write_text(NEVER)
    desk.guard()
    return desk


@pytest.mark.parametrize("taken_back", [(1,), ()])
def test_a_line_is_not_kept_without_the_drifted_heading_under_which_it_was_shown(
    under_never: Desk, taken_back: tuple[int, ...]
) -> None:
    name = under_never.drift().id
    refusals = under_never.settle(keep=[2], take_back=taken_back)
    assert refusals == [Refusal(proposal=f"{name}#2", reason=ELSEWHERE)]
    accepted = BlobStore(under_never.home.blobs_dir).get(under_never.ledger().book.gated["MEMORY.md"])
    assert accepted == ALWAYS.encode()
    assert under_never.text() == (ALWAYS + "- Push all keys.\n" if taken_back else NEVER)


def test_a_line_is_kept_with_its_drifted_heading_and_the_heading_alone(under_never: Desk) -> None:
    assert under_never.settle(keep=[1], take_back=[2]) == []
    assert under_never.text() == ALWAYS.replace("Always", "Never")
    under_never.memory.write_text(NEVER.replace("Never", "Seldom"))
    under_never.guard()
    assert under_never.settle(keep=[1, 2]) == []
    assert under_never.text() == NEVER.replace("Never", "Seldom")


def test_one_that_stands_elsewhere_takes_no_other_with_it(desk: Desk) -> None:
    desk.edit(ALWAYS.encode())
    desk.memory.write_text(NEVER.replace("# M\n", "# M\nA word.\n"))
    desk.guard()
    name = desk.drift().id
    assert desk.settle(keep=[1, 3]) == [Refusal(proposal=f"{name}#3", reason=ELSEWHERE)]
    accepted = BlobStore(desk.home.blobs_dir).get(desk.ledger().book.gated["MEMORY.md"])
    assert accepted == ALWAYS.replace("# M\n", "# M\nA word.\n").encode()


def test_a_decision_over_what_was_shown_elsewhere_is_not_carried_out(
    under_never: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settlement_module, "lands_elsewhere", lambda *_: False)
    ((settlement,), _) = composed(under_never, Verb.LATER, Verb.APPROVE)
    status = recorded(under_never, settlement)
    monkeypatch.undo()
    with pytest.raises(RefusedError, match="accepted elsewhere than they were shown"):
        carry_out(under_never.gate, under_never.ledger(), status, (), under_never.moment)
