from tests.domain.gate_values import Log

from nightledger.domain.event import Actor, Event, EventName


def test_the_words_of_the_log_are_a_contract() -> None:
    assert {name.value for name in EventName} >= {
        "genesis",
        "proposal.created",
        "proposal.deferred",
        "proposal.closed",
        "decision.recorded",
        "change.stale",
        "apply.intent",
        "apply.done",
        "apply.aborted",
        "apply.raced",
        "text.quarantined",
        "heartbeat",
        "log.tail_closed",
    }
    assert [actor.value for actor in Actor] == ["human", "cron", "agent", "unknown"]


def test_events_of_one_moment_share_no_fields() -> None:
    first = Log().add("heartbeat").events[0]
    again = Event(v=1, seq=0, event="heartbeat", actor=Actor.HUMAN, at=first.at)
    assert again.fields == {}
    assert again.fields is not Event(v=1, seq=0, event="heartbeat", actor=Actor.HUMAN, at=first.at).fields
