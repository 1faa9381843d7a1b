from datetime import timedelta

from tests.domain.gate_values import START, Log

from nightledger.domain.decision import DecisionType
from nightledger.domain.folding import fold_events
from nightledger.domain.states import AppliedTarget, Book, Drift, Raced


def fold(log: Log) -> Book:
    return fold_events(log.events)


def home() -> Log:
    return Log().add("genesis", gated=[{"path": "MEMORY.md", "sha256": "b0"}])


def found(log: Log, sha256: str, *, proposal: str = "p-1", base: str = "b0", path: str = "MEMORY.md") -> Log:
    return log.add("drift.found", path=path, sha256=sha256, base=base, proposal=proposal, writer="git")


def settled(log: Log, *kept: int, taken_back: tuple[int, ...] = (), after: str, accepted: str) -> Log:
    log.decided("drift", *kept)
    target = {
        "path": "MEMORY.md",
        "before": "x1",
        "after": after,
        "accepted_before": "b0",
        "accepted": accepted,
    }
    log.add(
        "apply.intent",
        apply="a-1",
        decision="d-1",
        proposal="p-1",
        changes=list(kept),
        taken_back=list(taken_back),
        targets=[target],
    )
    return log.add("apply.done", apply="a-1")


def test_what_the_guard_found_last_is_open_until_its_item_is_answered() -> None:
    log = found(home().proposed(2, kind="drift", lane="drift"), "x1")
    drift = Drift(
        path="MEMORY.md",
        sha256="x1",
        base="b0",
        proposal="p-1",
        writer="git",
        at=START + timedelta(minutes=2),
    )
    assert fold(log).drifts == {"MEMORY.md": drift}
    assert fold(log).open_drift("MEMORY.md") == drift
    assert fold(log).open_drift("NOTES.md") is None
    log.add("proposal.closed", proposal="p-1", changes=[1, 2], reason="withdrawn")
    assert fold(log).open_drift("MEMORY.md") is None


def test_an_item_is_settled_by_a_decision_of_its_own_type_only() -> None:
    log = found(home().proposed(2, kind="drift", lane="drift"), "x1")
    status = fold(log).proposals["p-1"]
    assert status.answerable(DecisionType.DRIFT) == (1, 2)
    assert status.answerable(DecisionType.APPROVE) == ()
    assert status.answerable(DecisionType.REJECT) == ()
    other = fold(home().proposed(2)).proposals["p-1"]
    assert other.answerable(DecisionType.DRIFT) == ()
    assert other.answerable(DecisionType.TRUST) == ()


def test_keeping_and_taking_back_say_what_is_accepted_since() -> None:
    log = found(home().proposed(3, kind="drift", lane="drift"), "x1")
    settled(log, 1, taken_back=(2,), after="x2", accepted="b1")
    book = fold(log)
    status = book.proposals["p-1"]
    assert [status.state_of(n).value for n in (1, 2, 3)] == ["applied", "rejected", "pending"]
    assert book.gated == {"MEMORY.md": "b1"}
    assert book.accepted_of("MEMORY.md") == "b1"
    assert book.drifted == ()
    assert book.applies["a-1"].targets == (
        AppliedTarget(path="MEMORY.md", before="x1", after="x2", accepted_before="b0", accepted="b1"),
    )


def test_a_decision_that_was_recorded_and_not_carried_out_is_unsettled() -> None:
    log = found(home().proposed(1, kind="drift", lane="drift"), "x1").decided("drift", 1)
    assert [decision.id for decision in fold(log).unsettled()] == ["d-1"]
    assert fold(log).proposals["p-1"].open_changes() == (1,)
    log = found(home().proposed(1, kind="drift", lane="drift"), "x1")
    assert fold(settled(log, 1, after="x1", accepted="x1")).unsettled() == ()
    assert fold(Log().proposed(1).decided("approve", 1)).unsettled() == ()


def test_an_apply_around_drift_leaves_it_drift() -> None:
    log = found(home().proposed(1, kind="drift", lane="drift"), "x1")
    log.proposed(1, proposal="p-2").decided("approve", 1, proposal="p-2")
    target = {"path": "MEMORY.md", "before": "x1", "after": "x2", "accepted_before": "b0", "accepted": "b1"}
    log.add("apply.intent", apply="a-1", decision="d-1", proposal="p-2", changes=[1], targets=[target]).add(
        "apply.done", apply="a-1"
    )
    book = fold(log)
    assert book.gated == {"MEMORY.md": "b1"}
    assert book.drifted == ()
    assert book.proposals["p-2"].state_of(1).value == "applied"
    assert book.open_drift("MEMORY.md") is not None


def test_what_raced_waits_until_it_was_offered() -> None:
    log = home().proposed(1).decided("approve", 1).intent(1, before="b0", after="b1")
    log.add("apply.raced", apply="a-d-1", replaced=[{"path": "MEMORY.md", "sha256": "r1"}])
    raced = Raced(apply="a-d-1", path="MEMORY.md", sha256="r1", before="b0")
    assert fold(log).races == (raced,)
    log.add("apply.raced", apply="a-d-1", replaced=[{"path": "MEMORY.md", "sha256": "r2"}])
    assert fold(log).races == (raced,)
    assert fold(found(log, "r1", base="b1")).races == ()


def test_a_protected_file_is_known_by_its_first_bytes_until_others_are_acknowledged() -> None:
    log = home().add("protected.seen", files=[{"path": "SOUL.md", "sha256": "s0"}])
    log.add("protected.seen", files=[{"path": "SOUL.md", "sha256": "s1"}])
    assert fold(log).protected == {"SOUL.md": "s0"}
    assert fold(log).accepted_of("SOUL.md") == "s0"
    assert fold(log).accepted_of("NOTES.md") is None
    found(log.proposed(1, kind="drift", lane="drift"), "s1", base="s0", path="SOUL.md").decided("drift", 1)
    target = {"path": "SOUL.md", "before": "s1", "after": "s1", "accepted_before": "s0", "accepted": "s1"}
    log.add("apply.intent", apply="a-1", decision="d-1", proposal="p-1", changes=[1], targets=[target]).add(
        "apply.done", apply="a-1"
    )
    assert fold(log).protected == {"SOUL.md": "s1"}
    assert fold(log).gated == {"MEMORY.md": "b0"}
