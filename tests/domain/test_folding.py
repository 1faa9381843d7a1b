from datetime import timedelta

import pytest
from tests.domain.gate_values import START, Log

from nightledger.domain.decision import DecisionType
from nightledger.domain.folding import fold_events
from nightledger.domain.proposal import Kind
from nightledger.domain.states import AppliedTarget, Book, Drifted


def fold(log: Log) -> Book:
    return fold_events(log.events)


def states(log: Log, proposal: str = "p-1") -> list[str]:
    status = fold(log).proposals[proposal]
    return [status.state_of(n).value for n in sorted(status.changes)]


def test_a_proposal_waits_with_all_its_changes_and_what_its_leaf_says() -> None:
    status = fold(Log().proposed(3, boot="x", boot_s=7)).proposals["p-1"]
    assert status.open_changes() == (1, 2, 3)
    assert (status.sha256, status.kind, status.lane) == ("aa", Kind.CONSOLIDATE, "job")
    assert (status.created.at, status.created.boot, status.created.boot_s) == (START, "x", 7)
    assert (status.changes[1].decision, status.changes[1].since) == (None, None)


def test_a_second_leaf_of_the_same_proposal_changes_nothing() -> None:
    log = Log().proposed(2).decided("reject", 1).proposed(5)
    assert states(log) == ["rejected", "pending"]


def test_an_approval_moves_only_what_it_names_and_waits_to_be_applied() -> None:
    book = fold(Log().proposed(3).decided("approve", 1, 3))
    status = book.proposals["p-1"]
    assert status.open_changes() == (2,)
    assert status.approved_by("d-1") == (1, 3)
    assert status.approved_by("d-2") == ()
    assert [decision.id for decision in book.approvals_to_apply()] == ["d-1"]
    assert status.changes[1].since == START + timedelta(minutes=1)
    decided = book.decisions["d-1"]
    assert (decided.type, decided.changes, decided.sha256) == (DecisionType.APPROVE, (1, 3), "dd")
    assert (decided.proposal, decided.recorded.at) == ("p-1", START + timedelta(minutes=1))


def test_an_approval_is_taken_back_by_a_rejection_until_it_is_applied() -> None:
    log = Log().proposed(2).decided("approve", 1, 2).decided("reject", 1, decision="d-2")
    assert states(log) == ["rejected", "approved"]
    applied = Log().proposed(1).decided("approve", 1).intent(1).done().decided("reject", 1, decision="d-2")
    assert states(applied) == ["applied"]


def test_a_second_approval_does_not_take_over_what_the_first_approved() -> None:
    log = Log().proposed(1).decided("approve", 1).decided("approve", 1, decision="d-2")
    assert fold(log).proposals["p-1"].approved_by("d-1") == (1,)


def test_a_decision_counts_once() -> None:
    log = Log().proposed(1).decided("approve", 1)
    log.add("change.stale", proposal="p-1", changes=[1]).decided("approve", 1)
    assert states(log) == ["stale"]


def test_a_decision_about_an_unknown_proposal_changes_nothing() -> None:
    assert fold(Log().decided("approve", 1)).decisions == {}


@pytest.mark.parametrize(
    ("kind", "answerable"),
    [(DecisionType.APPROVE, (1, 2, 3)), (DecisionType.REJECT, (1, 2, 3, 4)), (DecisionType.UNDO, (5,))],
)
def test_each_kind_of_decision_has_states_that_it_may_be_about(
    kind: DecisionType, answerable: tuple[int, ...]
) -> None:
    log = Log().proposed(7).add("proposal.deferred", proposal="p-1", changes=[2])
    log.decided("approve", 3, 4, 5).intent(5).done()
    log.add("change.stale", proposal="p-1", changes=[3]).decided("reject", 6, 7, decision="d-2")
    assert states(log) == ["pending", "deferred", "stale", "approved", "applied", "rejected", "rejected"]
    assert fold(log).proposals["p-1"].answerable(kind) == answerable


def test_later_and_stale_can_still_be_answered_and_closed_cannot() -> None:
    log = Log().proposed(4).add("proposal.deferred", proposal="p-1", changes=[1])
    log.add("proposal.closed", proposal="p-1", changes=[2], reason="superseded")
    log.add("proposal.closed", proposal="p-1", changes=[3], reason="withdrawn")
    assert states(log) == ["deferred", "superseded", "withdrawn", "pending"]
    log.decided("approve", 1, 2, 3, 4)
    assert states(log) == ["approved", "superseded", "withdrawn", "approved"]


def test_only_stale_moves_what_is_approved() -> None:
    log = Log().proposed(3).decided("approve", 1, 2, 3)
    log.add("proposal.deferred", proposal="p-1", changes=[1])
    log.add("proposal.closed", proposal="p-1", changes=[2], reason="withdrawn")
    log.add("change.stale", proposal="p-1", changes=[3], decision="d-1")
    assert states(log) == ["approved", "approved", "stale"]


def test_events_about_unknown_things_change_nothing() -> None:
    log = Log().proposed(1).add("proposal.closed", proposal="p-2", changes=[1], reason="withdrawn")
    log.add("apply.done", apply="a-9").add("something.later", proposal="p-1").add("heartbeat", day="x")
    assert states(log) == ["pending"]


def test_an_intent_is_unfinished_until_it_is_done() -> None:
    log = Log().proposed(1).decided("approve", 1).intent(1)
    apply = fold(log).unfinished()[0]
    assert (apply.id, apply.decision, apply.changes, apply.outcome) == ("a-d-1", "d-1", (1,), "intent")
    assert apply.targets == (AppliedTarget(path="MEMORY.md", before="b0", after="b1"),)
    assert apply.at == START + timedelta(minutes=2)
    book = fold(log.done())
    assert book.unfinished() == ()
    assert book.approvals_to_apply() == ()
    assert book.applies["a-d-1"].outcome == "done"
    assert book.applies["a-d-1"].at == START + timedelta(minutes=3)
    assert states(log) == ["applied"]


def test_a_raced_apply_is_applied_and_an_aborted_one_is_not() -> None:
    raced = Log().proposed(1).decided("approve", 1).intent(1).done(outcome="raced")
    assert states(raced) == ["applied"]
    assert fold(raced).gated == {"MEMORY.md": "b1"}
    aborted = Log().proposed(1).decided("approve", 1).intent(1).done(outcome="aborted")
    assert states(aborted) == ["approved"]
    assert fold(aborted).gated == {}
    assert len(fold(aborted).approvals_to_apply()) == 1
    assert fold(aborted.done()).applies["a-d-1"].outcome == "aborted"


def test_an_intent_of_an_unknown_decision_moves_nothing() -> None:
    log = Log().proposed(1).intent(1).done()
    assert states(log) == ["pending"]
    assert fold(log).gated == {}


def test_an_undo_leaves_the_changes_undone() -> None:
    log = Log().proposed(2).decided("approve", 1, 2).intent(1, 2).done()
    log.decided("undo", 2, decision="d-2").intent(2, decision="d-2", before="b1", after="b2").done("d-2")
    assert states(log) == ["applied", "undone"]
    assert fold(log).gated == {"MEMORY.md": "b2"}


def test_the_genesis_says_what_the_gated_files_were_and_counts_once() -> None:
    log = (
        Log().add("genesis", gated=[{"path": "MEMORY.md", "sha256": "b0"}], trust=[]).add("genesis", gated=[])
    )
    book = fold(log)
    assert book.gated == {"MEMORY.md": "b0"}
    assert book.genesis["gated"] == [{"path": "MEMORY.md", "sha256": "b0"}]
    assert fold(Log().add("genesis", trust=[])).gated == {}


def test_an_apply_on_bytes_that_nobody_signed_is_remembered_as_drift() -> None:
    log = Log().add("genesis", gated=[{"path": "MEMORY.md", "sha256": "b0"}]).proposed(2)
    log.decided("approve", 1).intent(1).done()
    assert fold(log).drifted == ()
    log.decided("approve", 2, decision="d-2").intent(2, decision="d-2", before="by hand", after="b2").done(
        "d-2"
    )
    assert fold(log).drifted == (Drifted(apply="a-d-2", path="MEMORY.md", before="by hand"),)
    assert fold(log).gated == {"MEMORY.md": "b2"}


def test_what_is_settled_is_named_and_not_looked_at_again() -> None:
    log = Log().proposed(1).decided("approve", 1).proposed(2, proposal="p-2")
    log.decided("reject", 1, 2, decision="d-2", proposal="p-2").proposed(1, proposal="p-3")
    book = fold(log)
    assert set(book.settled) == {"p-2"}
    assert [status.id for status in book.live()] == ["p-1", "p-3"]
    assert set(fold(log.intent(1).done()).settled) == {"p-1", "p-2"}


LOGGED, COPIED = "memory/2026-01-02.md", "memory/archive/daily/2026-01-02.md"


def compressed(log: Log) -> Log:
    """Let an apply compress a log, as its entries say it."""
    log = log.proposed(1, kind="prune_stale_memory").decided("approve", 1)
    return log.add(
        "apply.intent",
        apply="a-d-1",
        decision="d-1",
        proposal="p-1",
        changes=[1],
        targets=[
            {"path": COPIED, "before": "e0", "after": "full"},
            {"path": LOGGED, "before": "full", "after": "short"},
        ],
    ).done()


def test_a_log_of_that_name_that_is_gated_stays_watched() -> None:
    log = Log().add("genesis", gated=[{"path": LOGGED, "sha256": "full"}])
    book = fold(compressed(log))
    assert book.gated[LOGGED] == "short"
    assert LOGGED not in book.kept
