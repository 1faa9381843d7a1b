"""What the log adds up to: states, what is accepted, what is kept, names of entries, drift and races."""

from datetime import timedelta
from typing import Any

import pytest
from tests.domain.gate_values import START, Log, play
from tests.rows import from_corpus

from nightledger.domain.decision import DecisionType
from nightledger.domain.states import AppliedTarget, Drift, Raced, proposal_state

GATED = [{"path": "MEMORY.md", "sha256": "b0"}]
LOGGED, COPIED = "memory/2026-01-02.md", "memory/archive/daily/2026-01-02.md"


def states_of(log: Log, proposal: str = "p-1") -> list[str]:
    status = log.book().proposals[proposal]
    return [status.state_of(n).value for n in sorted(status.changes)]


def home() -> Log:
    return Log().add("genesis", gated=GATED)


def begin(log: Log, *targets: dict[str, str], proposal: str = "p-1", **fields: Any) -> Log:
    """Let an apply of decision d-1 begin with these targets."""
    asked = {"apply": "a-d-1", "decision": "d-1", "proposal": proposal, "changes": [1], **fields}
    return log.add("apply.intent", targets=list(targets), **asked)


def to(path: str, before: str, after: str, **accepted: str) -> dict[str, str]:
    return {"path": path, "before": before, "after": after, **accepted}


# ---------------------------------------------------------------- proposals and decisions


def test_an_approval_moves_only_what_it_names_and_waits_to_be_applied() -> None:
    book = Log().proposed(3).decided("approve", 1, 3).book()
    status, decided = book.proposals["p-1"], book.decisions["d-1"]
    assert (status.open_changes(), status.approved_by("d-1"), status.approved_by("d-2")) == ((2,), (1, 3), ())
    assert [decision.id for decision in book.approvals_to_apply()] == ["d-1"]
    assert status.changes[1].since == decided.recorded.at == START + timedelta(minutes=1)
    assert (decided.type, decided.changes, decided.sha256) == (DecisionType.APPROVE, (1, 3), "dd")


@from_corpus("domain-folding")
def test_the_log_adds_up_to_states_and_lists_show_the_most_urgent(
    why: str, steps: list[list[Any]], states: list[str], word: str, gated: dict[str, str]
) -> None:
    log = play(steps)
    assert (states_of(log), log.book().gated) == (states, gated), why
    assert proposal_state(log.book().proposals["p-1"], START, {}) == word, why


def test_a_decision_counts_once_and_a_second_approval_takes_nothing_over() -> None:
    log = Log().proposed(1).decided("approve", 1).decided("approve", 1, decision="d-2")
    assert log.book().proposals["p-1"].approved_by("d-1") == (1,)
    log.add("change.stale", proposal="p-1", changes=[1]).decided("approve", 1)
    assert states_of(log) == ["stale"]
    assert Log().decided("approve", 1).book().decisions == {}


def test_each_kind_of_decision_has_states_that_it_may_be_about() -> None:
    log = Log().proposed(7).add("proposal.deferred", proposal="p-1", changes=[2])
    log.decided("approve", 3, 4, 5).intent(5).done()
    log.add("change.stale", proposal="p-1", changes=[3]).decided("reject", 6, 7, decision="d-2")
    assert states_of(log) == ["pending", "deferred", "stale", "approved", "applied", "rejected", "rejected"]
    status = log.book().proposals["p-1"]
    found = {kind.value: status.answerable(kind) for kind in DecisionType if status.answerable(kind)}
    every = tuple(range(1, 8))
    assert found == {"approve": every[:3], "reject": every[:4], "undo": (5,), "close": every}


def test_what_the_operator_closed_is_known_and_nothing_of_it_waits_any_more() -> None:
    log = Log().proposed(4).decided("approve", 1, 2).intent(1).done().decided("reject", 3, decision="d-2")
    assert log.book().closed() == frozenset()
    book = log.decided("close", 1, 2, 3, 4, decision="d-3").book()
    assert book.closed() == {"p-1"}
    assert book.approvals_to_apply() == ()


def test_what_is_settled_is_named_and_not_looked_at_again() -> None:
    log = Log().proposed(1).decided("approve", 1).proposed(2, proposal="p-2")
    log.decided("reject", 1, 2, decision="d-2", proposal="p-2").proposed(1, proposal="p-3")
    book = log.book()
    assert (set(book.settled), [status.id for status in book.live()]) == ({"p-2"}, ["p-1", "p-3"])
    assert set(log.intent(1).done().book().settled) == {"p-1", "p-2"}


def test_what_is_approved_cools_first() -> None:
    status = Log().proposed(1).decided("approve", 1).book().proposals["p-1"]
    cools = {"d-1": START + timedelta(minutes=10)}
    found = [proposal_state(status, START + timedelta(minutes=minutes), cools) for minutes in (9, 10)]
    assert found == ["cooling", "approved"]


# ---------------------------------------------------------------- applies


def test_an_intent_is_unfinished_until_it_is_done() -> None:
    log = Log().proposed(1).decided("approve", 1).intent(1, 9)
    apply = log.book().unfinished()[0]
    assert (apply.id, apply.decision, apply.changes, apply.outcome) == ("a-d-1", "d-1", (1, 9), "intent")
    assert apply.targets == (AppliedTarget(path="MEMORY.md", before="b0", after="b1"),)
    assert apply.at == START + timedelta(minutes=2)
    book = log.done().book()
    assert (book.unfinished(), book.approvals_to_apply(), states_of(log)) == ((), (), ["applied"])
    assert (book.applies["a-d-1"].outcome, book.applies["a-d-1"].at) == ("done", START + timedelta(minutes=3))
    assert book.applied_at == {"p-1": START + timedelta(minutes=3)}


def test_when_something_was_last_applied_is_known_whatever_the_clock_did() -> None:
    log = Log().proposed(2).decided("approve", 1).decided("approve", 2, decision="d-2")
    log.intent(1).add("apply.done", after={"minutes": 30}, apply="a-d-1")
    log.intent(2, decision="d-2").add("apply.done", after={"minutes": 20}, apply="a-d-2")
    assert log.book().applied_at == {"p-1": START + timedelta(minutes=30)}


def test_an_aborted_apply_leaves_its_approval_and_cannot_end_otherwise() -> None:
    aborted = Log().proposed(1).decided("approve", 1).intent(1).done(outcome="aborted")
    assert len(aborted.book().approvals_to_apply()) == 1
    assert aborted.done().book().applies["a-d-1"].outcome == "aborted"


def test_all_bytes_that_were_ever_accepted_are_known_with_their_time_through_apply_and_undo() -> None:
    log = home().add("genesis", gated=[]).proposed(2).decided("approve", 1, 2).intent(1, 2).done()
    log.decided("undo", 2, decision="d-2").intent(2, decision="d-2", before="b1", after="b0").done("d-2")
    book = log.book()
    assert (states_of(log), book.gated) == (["applied", "undone"], {"MEMORY.md": "b0"})
    assert book.genesis["gated"] == GATED
    known = [("b1", START + timedelta(minutes=5)), ("b0", START + timedelta(minutes=8))]
    assert list(book.accepted["MEMORY.md"].items()) == known


# ---------------------------------------------------------------- daily logs, the archive, names of entries


def compressed(log: Log) -> Log:
    """Let an apply compress a log, as its entries say it."""
    log = log.proposed(1, kind="prune_stale_memory").decided("approve", 1)
    return begin(log, to(COPIED, "", "full"), to(LOGGED, "full", "short")).done()


def test_a_compressed_log_has_its_full_text_in_its_copy_until_it_is_taken_back() -> None:
    log = compressed(Log())
    book = log.book()
    assert (book.kept, book.copies) == ({LOGGED: "short", COPIED: "full"}, {LOGGED: COPIED})
    assert dict(book.gated) == {}
    assert book.begun[0].accepted == {LOGGED: None, COPIED: None}
    book = begin(log, to(LOGGED, "short", "full"), to(COPIED, "full", "")).done().book()
    assert (book.kept, book.copies) == ({LOGGED: "full", COPIED: ""}, {})


def test_a_log_of_that_name_that_is_gated_stays_watched() -> None:
    book = compressed(Log().add("genesis", gated=[{"path": LOGGED, "sha256": "full"}])).book()
    assert (book.gated[LOGGED], LOGGED in book.kept) == ("short", False)


def test_a_leak_that_was_overwritten_stands_so_in_what_the_gate_wrote_and_nowhere_else() -> None:
    places = [{"path": COPIED, "sha256": "holes"}, {"path": "other", "sha256": "z"}]
    log = compressed(Log()).decided("expunge", decision="d-x", proposal="")
    book = log.add("text.expunged", decision="d-x", sha256s=["full"], places=places).book()
    assert book.kept == {LOGGED: "short", COPIED: "holes"}
    assert book.gone_at["full"] == log.entries[-1][2]


@from_corpus("domain-folding")
def test_an_id_is_followed_from_edit_to_edit_and_back(
    applies: list[list[list[str]]], names: dict[str, str]
) -> None:
    log = Log().proposed(1).decided("approve", 1)
    for steps in applies:
        begin(log)
        for step in steps:  # in several entries of the log
            log.add("entries.named", apply="a-d-1", names=[step])
        log.done()
    assert log.book().names == names
    assert set(log.book().edited_at.values()) <= {log.entries[-1][2], log.entries[4][2]}
    lost = begin(Log().proposed(1).decided("approve", 1))
    lost.add("entries.named", apply="a-d-1", names=[["A", "B"]])
    assert lost.done(outcome="aborted").book().names == {}


# ---------------------------------------------------------------- drift and races


def found(log: Log, sha256: str, *, proposal: str = "p-1", base: str = "b0", path: str = "MEMORY.md") -> Log:
    return log.add("drift.found", path=path, sha256=sha256, base=base, proposal=proposal, writer="git")


def drifted(changes: int) -> Log:
    return found(home().proposed(changes, kind="drift", lane="drift"), "x1")


def test_what_the_guard_found_last_is_open_until_its_item_is_answered_by_a_decision_of_its_own_type() -> None:
    log, at = drifted(2), START + timedelta(minutes=2)
    drift = Drift(path="MEMORY.md", sha256="x1", base="b0", proposal="p-1", writer="git", at=at)
    assert (log.book().drifts, log.book().open_drift("MEMORY.md")) == ({"MEMORY.md": drift}, drift)
    assert log.book().open_drift("NOTES.md") is None
    status = log.book().proposals["p-1"]
    kinds = (DecisionType.DRIFT, DecisionType.APPROVE, DecisionType.REJECT)
    assert [status.answerable(kind) for kind in kinds] == [(1, 2), (), ()]
    log.add("proposal.closed", proposal="p-1", changes=[1, 2], reason="withdrawn")
    assert log.book().open_drift("MEMORY.md") is None


def test_keeping_and_taking_back_say_what_is_accepted_since() -> None:
    log = drifted(3).decided("drift", 1)
    assert [decision.id for decision in log.book().unsettled()] == ["d-1"]
    target = to("MEMORY.md", "x1", "x2", accepted_before="b0", accepted="b1")
    book = begin(log, target, taken_back=[2]).done().book()
    assert states_of(log) == ["applied", "rejected", "pending"]
    assert (book.gated, book.accepted_of("MEMORY.md")) == ({"MEMORY.md": "b1"}, "b1")
    assert book.unsettled() == ()


def test_an_apply_around_drift_leaves_it_drift() -> None:
    log = drifted(1).proposed(1, proposal="p-2").decided("approve", 1, proposal="p-2")
    target = to("MEMORY.md", "x1", "x2", accepted_before="b0", accepted="b1")
    book = begin(log, target, proposal="p-2").done().book()
    assert (book.gated, states_of(log, "p-2")) == ({"MEMORY.md": "b1"}, ["applied"])
    assert book.open_drift("MEMORY.md") is not None


def test_what_raced_waits_until_it_was_offered() -> None:
    log = home().proposed(1).decided("approve", 1).intent(1)
    raced = Raced(path="MEMORY.md", sha256="r1", before="b0")
    for sha256 in ("r1", "r2"):
        log.add("apply.raced", apply="a-d-1", replaced=[{"path": "MEMORY.md", "sha256": sha256}])
        assert log.book().races == (raced,)
    assert found(log, "r1", base="b1").book().races == ()


@pytest.mark.parametrize("settled", [False, True])
def test_a_protected_file_is_known_by_its_first_bytes_until_others_are_acknowledged(*, settled: bool) -> None:
    log = home()
    for sha256 in ("s0", "s1"):
        log.add("protected.seen", files=[{"path": "SOUL.md", "sha256": sha256}])
    if settled:
        found(log.proposed(1, kind="drift", lane="drift"), "s1", base="s0", path="SOUL.md").decided(
            "drift", 1
        )
        begin(log, to("SOUL.md", "s1", "s1", accepted_before="s0", accepted="s1")).done()
    book = log.book()
    assert (book.protected, book.gated) == ({"SOUL.md": "s1" if settled else "s0"}, {"MEMORY.md": "b0"})
    assert (book.accepted_of("SOUL.md"), book.accepted_of("NOTES.md")) == (book.protected["SOUL.md"], None)
