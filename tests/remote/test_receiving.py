"""A message is taken in once, answered signed, and judged by the log."""

from pathlib import Path

import pytest
from tests.remote.machines import Pair, opened

from nightledger.domain.errors import ConfigurationError, LockedError
from nightledger.domain.message import Status
from nightledger.files.lock import Lock
from nightledger.remote import receiving
from nightledger.remote.notes import contact
from nightledger.remote.receiving import take_in
from nightledger.trust.dsse import parse_envelope, verify_envelope


def test_a_heartbeat_is_executed_recorded_and_answered_signed(pair: Pair) -> None:
    message = pair.message()
    answered = take_in(pair.agent.context(), pair.sealed(message))
    reply = opened(answered.envelope)
    assert (reply.status, reply.re, reply.iss, reply.aud) == (
        Status.EXECUTED,
        message.id,
        pair.agent.home_id,
        pair.ops.home_id,
    )
    envelope = parse_envelope(answered.envelope, "it", max_bytes=1 << 20)
    verify_envelope(envelope, envelope.payload_type, [pair.agent.key.public_key])
    assert (answered.peer, answered.message) == ("ops", message)
    assert pair.agent.desk.events()[-1] == "message.received"
    assert contact(pair.agent.desk.home, "ops", "heard") == "2026-03-01T06:00:00Z"


def test_what_is_refused_for_its_time_or_home_is_answered_signed_and_leaves_nothing(pair: Pair) -> None:
    size = pair.agent.desk.ledger().log.size
    reply = pair.ask("update_heartbeat", aud="f" * 32)
    assert (reply.status, reply.reason) == (Status.REJECTED, "it is for another home")
    assert pair.agent.desk.ledger().log.size == size
    assert not pair.agent.spent.exists()


def test_what_is_refused_for_its_time_is_remembered_and_leaves_nothing_else(pair: Pair) -> None:
    size = pair.agent.desk.ledger().log.size
    raw = pair.sealed(pair.message(iat=pair.agent.now + 3600, exp=pair.agent.now + 7200))
    assert "future" in pair.agent.take_in(raw).reason
    record = pair.agent.spent
    before = (record.read_bytes(), record.stat().st_mtime_ns)
    assert "future" in pair.agent.take_in(raw).reason
    assert (record.read_bytes(), record.stat().st_mtime_ns) == before
    pair.agent.desk.wait(minutes=90)
    assert "came before" in pair.agent.take_in(raw).reason
    assert pair.agent.desk.ledger().log.size == size


def test_a_run_at_work_is_not_disturbed_and_the_message_may_come_again(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.surfaces.session.LOCK_TIMEOUT_S", 0.0)
    raw = pair.sealed(pair.message())
    with Lock(pair.agent.desk.home.lock_path()), pytest.raises(LockedError):
        take_in(pair.agent.context(), raw)
    assert pair.agent.take_in(raw).status is Status.EXECUTED


def test_the_channel_waits_for_the_message_before(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiving, "PATIENCE_S", 0.0)
    with receiving.channel_lock(pair.agent.context(), pair.agent.desk.home), pytest.raises(LockedError):
        take_in(pair.agent.context(), pair.sealed(pair.message()))


def test_a_home_without_its_keys_takes_in_nothing_and_leaves_nothing_where_they_belong(pair: Pair) -> None:
    raw, folder = pair.sealed(pair.message()), pair.agent.keys / pair.agent.home_id
    folder.rename(folder.with_name("away"))
    with pytest.raises(ConfigurationError, match="is missing"):
        take_in(pair.agent.context(), raw)
    assert not folder.exists()
    folder.with_name("away").rename(folder)
    assert pair.agent.take_in(raw).status is Status.EXECUTED


def test_looking_takes_no_lock_and_leaves_no_entry(pair: Pair) -> None:
    size = pair.agent.desk.ledger().log.size
    with Lock(pair.agent.desk.home.lock_path()):
        reply = pair.ask("load_memory_file", body={"path": "MEMORY.md"})
    assert reply.status is Status.EXECUTED
    assert reply.body["text"] == pair.agent.desk.text()
    assert pair.agent.desk.ledger().log.size == size


def test_an_answer_that_is_too_large_is_a_rejection(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiving, "MAX_REPLY_BYTES", 400)
    reply = pair.ask("load_memory_file", body={"path": "MEMORY.md"})
    assert reply.status is Status.REJECTED
    assert "at most 400 are sent" in reply.reason


def test_what_was_made_is_never_called_rejected_for_the_size_of_its_answer(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "MAX_REPLY_BYTES", 400)
    body = {"text": "- Ask first, and " + "then " * 80 + "go.", "reason": "a transfer was cut"}
    reply = pair.ask("propose_behavioral_change", body=body)
    (proposal,) = pair.agent.desk.ledger().book.proposals
    assert (reply.status, reply.reason, reply.body) == (Status.QUEUED, "", {"proposal": proposal})
    restored = pair.ask("restore_context")
    assert (restored.status, restored.body) == (Status.EXECUTED, {})


def test_what_an_agent_puts_in_the_way_of_a_message_has_it_wait(pair: Pair) -> None:
    home = pair.agent.desk.home
    beat = pair.message("update_heartbeat", body={"state": {"mail": "checked"}})
    change = pair.message("propose_behavioral_change", body={"text": "- Ask.", "reason": "so"})
    for message, path in ((beat, home.heartbeat), (change, home.received(change.id))):
        raw = pair.sealed(message)
        Path(path).mkdir(parents=True)
        with pytest.raises(ConfigurationError, match=r"it|regular") as caught:
            pair.agent.take_in(raw)
        assert caught.value.hint == f"take away what stands at {path}"
        Path(path).rmdir()
        assert pair.agent.take_in(raw).status is not Status.REJECTED


@pytest.mark.parametrize("left", [None, b""])
def test_an_answer_that_was_removed_is_given_by_the_log_without_doing_it_twice(
    pair: Pair, left: bytes | None
) -> None:
    message = pair.message(
        "propose_behavioral_change", body={"text": "- Ask first.", "reason": "a transfer was cut"}
    )
    first = pair.agent.take_in(pair.sealed(message))
    answer = pair.agent.answer(message.id)
    answer.unlink() if left is None else answer.write_bytes(left)
    again = pair.agent.take_in(pair.sealed(message))
    assert (again.status, again.body) == (first.status, {"proposal": first.body["proposal"]})
    assert len(pair.agent.desk.ledger().book.proposals) == 1


@pytest.mark.parametrize("left", [None, b"{}"])
def test_a_look_whose_answer_was_removed_is_not_taken_anew(pair: Pair, left: bytes | None) -> None:
    message = pair.message("load_memory_file", body={"path": "MEMORY.md"})
    assert pair.agent.take_in(pair.sealed(message)).status is Status.EXECUTED
    answer = pair.agent.answer(message.id)
    answer.unlink() if left is None else answer.write_bytes(left)
    again = pair.agent.take_in(pair.sealed(message))
    assert (again.status, again.reason) == (Status.REJECTED, receiving.ANSWER_GONE)


def test_a_look_that_a_crash_cut_short_is_taken_in_its_time_only(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    raws = [pair.sealed(pair.message("load_memory_file", body={"path": "MEMORY.md"})) for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setattr(receiving, "perform", die)
        for raw in raws:
            with pytest.raises(KeyboardInterrupt):
                pair.agent.take_in(raw)
    assert pair.agent.take_in(raws[0]).status is Status.EXECUTED
    pair.agent.desk.wait(hours=2)
    assert pair.agent.take_in(raws[1]).reason == "it has expired"


def test_what_stands_in_the_way_of_an_answer_is_told_and_the_message_may_come_again(pair: Pair) -> None:
    message = pair.message()
    answer = pair.agent.answer(message.id)
    answer.mkdir(parents=True)
    with pytest.raises(LockedError, match="the answer cannot be kept"):
        pair.agent.take_in(pair.sealed(message))
    answer.rmdir()
    assert pair.agent.take_in(pair.sealed(message)).status is Status.EXECUTED
    assert pair.agent.desk.events().count("message.received") == 1


def test_what_the_log_names_is_answered_by_it_when_it_has_expired_and_the_record_is_gone(pair: Pair) -> None:
    message = pair.message()
    raw = pair.sealed(message)
    pair.agent.take_in(raw)
    answer = pair.agent.answer(message.id)
    answer.unlink()
    pair.agent.desk.wait(hours=3)
    assert pair.agent.take_in(raw).status is Status.EXECUTED
