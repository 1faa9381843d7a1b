"""A message is taken in once, answered signed, and judged by the log."""

import pytest
from tests.gate.homes import Desk
from tests.remote.machines import Pair
from tests.remote.peer_work import make_work

from nightledger.domain.errors import ConfigurationError
from nightledger.domain.message import Status
from nightledger.remote.receiving import perform


def test_a_home_without_its_keys_takes_in_nothing_and_leaves_nothing_where_they_belong(pair: Pair) -> None:
    raw, folder = pair.sealed(pair.message()), pair.agent.keys / pair.agent.home_id
    folder.rename(folder.with_name("away"))
    with pytest.raises(ConfigurationError, match="is missing"):
        pair.agent.take_in(raw)
    assert not folder.exists()
    folder.with_name("away").rename(folder)
    assert pair.agent.take_in(raw).status is Status.EXECUTED


def test_an_answer_that_is_too_large_is_a_rejection_and_what_was_made_is_never_called_one(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.codec.records.MAX_REPLY_BYTES", 400)
    reply = pair.ask("load_memory_file", body={"path": "MEMORY.md"})
    assert (reply.status, "at most 400 are sent" in reply.reason) == (Status.REJECTED, True)
    body = {"text": "- Ask first, and " + "then " * 80 + "go.", "reason": "a transfer was cut"}
    reply = pair.ask("propose_behavioral_change", body=body)
    (proposal,) = pair.agent.desk.ledger().book.proposals
    assert (reply.status, reply.reason, reply.body) == (Status.QUEUED, "", {"proposal": proposal})
    restored = pair.ask("restore_context")
    assert (restored.status, restored.body) == (Status.EXECUTED, {})


def test_many_unknown_actions_are_recorded_as_blocked_a_few_times_a_day(desk: Desk) -> None:
    for n in range(25):
        perform(make_work(desk, f"action_{n}", seq=n))
    assert desk.events().count("message.received") == 25
    assert desk.events().count("consent.blocked") == 20
