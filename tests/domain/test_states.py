from datetime import timedelta

from tests.domain.gate_values import START, Log

from nightledger.domain.decision import DecisionType
from nightledger.domain.folding import fold_events
from nightledger.domain.states import proposal_state


def word(log: Log, *, minutes: float = 0, cools: dict[str, float] | None = None) -> str:
    ends = {name: START + timedelta(minutes=end) for name, end in (cools or {}).items()}
    return proposal_state(fold_events(log.events).proposals["p-1"], START + timedelta(minutes=minutes), ends)


def test_lists_show_the_most_urgent_word() -> None:
    log = Log().proposed(3).decided("approve", 1)
    assert word(log) == "pending"
    log.decided("reject", 2, 3, decision="d-2")
    assert word(log, minutes=9, cools={"d-1": 10}) == "cooling"
    assert word(log, minutes=10, cools={"d-1": 10}) == "approved"
    assert word(log) == "approved"
    assert word(log.intent(1).done()) == "applied"
    assert word(Log().proposed(1).decided("reject", 1)) == "rejected"
    assert word(Log().proposed(2).add("proposal.deferred", proposal="p-1", changes=[1, 2])) == "deferred"
    stale = Log().proposed(2).decided("approve", 1, 2).add("change.stale", proposal="p-1", changes=[2])
    assert word(stale) == "stale"


def test_what_the_operator_closed_is_known_and_nothing_of_it_waits_any_more() -> None:
    log = Log().proposed(4).decided("approve", 1, 2).intent(1).done().decided("reject", 3, decision="d-2")
    book = fold_events(log.events)
    assert book.closed() == frozenset()
    assert book.proposals["p-1"].answerable(DecisionType.CLOSE) == (1, 2, 3, 4)
    book = fold_events(log.decided("close", 1, 2, 3, 4, decision="d-3").events)
    assert book.closed() == {"p-1"}
    status = book.proposals["p-1"]
    assert [status.state_of(n).value for n in range(1, 5)] == ["applied", "rejected", "rejected", "rejected"]
    assert book.approvals_to_apply() == ()
