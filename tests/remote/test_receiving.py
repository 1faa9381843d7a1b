"""A message is taken in once, answered signed, and judged by the log."""

from pathlib import Path

import pytest
from tests.gate.homes import Desk
from tests.remote.machines import AGENT_ADDRESS, Pair
from tests.remote.peer_work import make_work

from nightledger.codec.records import dump_record
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.message import MESSAGE_TYPE, Status
from nightledger.doors.transport import Caller
from nightledger.remote.receiving import MESSAGE_PATH, perform
from nightledger.trust.dsse import seal


def test_a_home_without_its_keys_takes_in_nothing_and_leaves_nothing_where_they_belong(pair: Pair) -> None:
    raw, folder = pair.sealed(pair.message()), pair.agent.keys / pair.agent.home_id
    folder.rename(folder.with_name("away"))
    with pytest.raises(ConfigurationError, match="is missing"):
        pair.agent.take_in(raw)
    assert not folder.exists()
    folder.with_name("away").rename(folder)
    assert pair.agent.take_in(raw).status is Status.EXECUTED


def test_over_http_each_refusal_has_its_status(pair: Pair) -> None:
    good, path = pair.sealed(pair.message()), Path(pair.agent.desk.home.peers)
    known, strange = path.read_bytes(), seal(MESSAGE_TYPE, dump_record(pair.message()), pair.agent.key)
    ops, agent = (one.key.public_key.line.split()[1].encode() for one in (pair.ops, pair.agent))
    planted = known.replace(ops, agent)
    with pair.serving() as server:
        url = f"http://{AGENT_ADDRESS}:{server.server_address[1]}"
        caller = Caller(url=url, max_bytes=10_000, timeout_s=20, patience_s=20)
        for content, raw, status in (
            (known, b"{}", 400),
            (known, strange, 403),
            (planted, strange, 403),  # the list on disk is never enough
            (b"{", good, 503),
            (known, good, 200),
        ):
            path.write_bytes(content)
            assert caller.exchange("POST", MESSAGE_PATH, raw)[0] == status, (content, raw)
    assert pair.agent.desk.events().count("message.received") == 1


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
