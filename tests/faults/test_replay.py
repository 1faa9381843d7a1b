"""Replay and forgery: a named test for each known weakness of channels that hash fields one after the other.

Every one of them is tried against the whole way in: bytes, signature, record, gate, log.
"""

import http.client
import json
import shutil
import socket
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.faults.failed_tests import has_failed
from tests.faults.sweep_report import report, sampled
from tests.gate.homes import addition
from tests.remote.machines import (
    AGENT_ADDRESS,
    ALL_ACTIONS,
    Pair,
    copy_pair,
    know,
    make_pair,
    opened,
)
from tests.second_verifier import second_look

from nightledger.codec.canonical import MAX_INTEGER, canonical
from nightledger.codec.message import MAX_MESSAGE_BYTES
from nightledger.codec.records import dump_record
from nightledger.domain.errors import (
    ConfigurationError,
    LockedError,
    NightledgerError,
    RecordError,
    RefusedError,
)
from nightledger.domain.message import MAX_LIFETIME_S, MESSAGE_TYPE, REPLY_TYPE, Message, Reply, Status
from nightledger.gate.signed import sign
from nightledger.remote import actions as gate_messages
from nightledger.remote import receiving
from nightledger.remote.letters import believe, known_peers
from nightledger.remote.receiving import KEPT, Seen, open_seen, take_in
from nightledger.trust.dsse import pae, seal
from nightledger.trust.keys import load_operator_key, operator_key_path
from nightledger.trust.sshsig import SignatureError

CHANGE = {"text": "- Ask before restarting the relay.", "reason": "a transfer was cut"}
COPIES = 64
SWEEP = "replay and forgery"


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give two machines that nobody writes to."""
    root = tmp_path_factory.mktemp("machines")
    with pytest.MonkeyPatch.context() as environment:
        make_pair(root, environment)
        yield root


@pytest.fixture
def pair(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Pair]:
    """Give two machines that know each other; what was tried on them is counted."""
    made = copy_pair(template, tmp_path, monkeypatch)
    yield made
    report(SWEEP, request.node.name, points=max(1, made.tried), failed=int(has_failed(request)))


def effects(pair: Pair) -> int:
    """Count what messages brought about in the agent's home."""
    ledger = pair.agent.desk.ledger()
    recorded = [event for event in ledger.log.events if event.event == "message.received"]
    carried_out = [event for event in recorded if event.fields["status"] != "rejected"]
    return len(carried_out) + len(ledger.book.proposals)


def refused(pair: Pair, raw: bytes) -> bool:
    """Tell whether bytes are not taken in, whatever the way they are turned away, and bring nothing about."""
    pair.tried += 1
    before = effects(pair)
    try:
        turned_away = pair.agent.take_in(raw).status is Status.REJECTED
    except NightledgerError:
        turned_away = True
    return turned_away and effects(pair) == before


def answered_by_log(pair: Pair, raw: bytes) -> bool:
    """Tell whether bytes that were carried out are answered by what the log says, and bring nothing about."""
    pair.tried += 1
    before = effects(pair)
    reply = pair.agent.take_in(raw)
    logged = [event for event in pair.agent.desk.ledger().log.events if event.event == "message.received"]
    told = [event.fields["status"] for event in logged if event.fields["message"] == reply.re]
    return told == [reply.status.value] and effects(pair) == before


def later(pair: Pair, **by: float) -> None:
    """Let time pass on both machines."""
    for machine in (pair.agent, pair.ops):
        machine.desk.moment = type(machine.desk.moment)(at=machine.desk.moment.at + timedelta(**by))


# ---------------------------------------------------------------- what is signed


def moved(payload: bytes) -> Iterator[bytes]:
    """Give every payload in which one character has moved over the border between two neighbouring values."""
    claims = json.loads(payload)
    names = sorted(name for name in claims if isinstance(claims[name], str))
    for first, second in pairwise(names):
        for count in range(1, len(claims[first])):
            yield canonical(
                {**claims, first: claims[first][:-count], second: claims[first][-count:] + claims[second]}
            )


def test_no_character_moves_between_fields(pair: Pair) -> None:
    good = json.loads(pair.sealed(pair.message()))
    payload = b64decode(good["payload"])
    variants = list(moved(payload))
    assert len(variants) > 51  # as many as the published channel took for one signature
    for variant in variants:
        assert refused(pair, json.dumps({**good, "payload": b64encode(variant).decode()}).encode())


def test_a_border_between_type_and_payload_cannot_move_either(pair: Pair) -> None:
    good = json.loads(pair.sealed(pair.message()))
    payload = b64decode(good["payload"])
    kind = good["payloadType"] + " " + payload[:4].decode()
    changed = {**good, "payloadType": kind, "payload": b64encode(payload[4:]).decode()}
    assert refused(pair, json.dumps(changed).encode())


def test_nothing_that_is_not_signed_means_anything(pair: Pair) -> None:
    good = json.loads(pair.sealed(pair.message()))
    (signature,) = good["signatures"]
    for changed in (
        {**good, "action": "decide"},
        {**good, "timestamp": 0},
        {**good, "signatures": [{**signature, "domain": "files"}]},
        {**good, "signatures": [{**signature, "keyid": pair.agent.key.public_key.fingerprint}]},
        {**good, "signatures": [signature, signature]},
    ):
        assert refused(pair, json.dumps(changed).encode())


def test_an_object_never_has_a_key_twice(pair: Pair) -> None:
    raw = pair.sealed(pair.message())
    assert refused(pair, raw.replace(b'{"payload"', b'{"payload":"e30=","payload"', 1))
    payload = dump_record(pair.message())
    twice = payload.replace(b'"action":', b'"action":"decide","action":', 1)
    assert refused(pair, seal(MESSAGE_TYPE, twice, pair.ops.key))  # signed so by a careless machine


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1.0", b"1e9", b"9007199254740993"])
def test_a_number_means_the_same_to_every_reader(pair: Pair, number: bytes) -> None:
    for claim in (b'"exp":', b'"seq":', b'"iat":'):
        head, _, tail = dump_record(pair.message()).partition(claim)
        payload = head + claim + number + tail[tail.index(b",") :]
        assert refused(pair, seal(MESSAGE_TYPE, payload, pair.ops.key))


def test_every_flipped_bit_of_an_envelope_is_refused(pair: Pair) -> None:
    raw = pair.sealed(pair.message())
    for at in range(0, len(raw), 7):
        for bit in (0x01, 0x20):
            flipped = raw[:at] + bytes([raw[at] ^ bit]) + raw[at + 1 :]
            assert refused(pair, flipped), flipped


def test_who_receives_cannot_forge(pair: Pair) -> None:
    assert refused(pair, seal(MESSAGE_TYPE, dump_record(pair.message()), pair.agent.key))


def test_a_machine_speaks_for_its_own_home_only(pair: Pair) -> None:
    assert refused(pair, pair.sealed(pair.message(iss=pair.agent.home_id)))


def test_a_message_for_another_home_is_refused(pair: Pair) -> None:
    assert refused(pair, pair.sealed(pair.message(aud="f" * 32)))
    assert refused(pair, pair.sealed(pair.message(aud=pair.ops.home_id)))


def test_one_id_cannot_stand_for_other_bytes(pair: Pair) -> None:
    first = pair.message("propose_behavioral_change", body=CHANGE)
    assert pair.agent.take_in(pair.sealed(first)).status is Status.QUEUED
    claims = json.loads(dump_record(first))
    other = canonical({**claims, "body": {**CHANGE, "text": "- Never ask."}})
    assert refused(pair, seal(MESSAGE_TYPE, other, pair.ops.key))


def test_an_answer_is_no_message_and_a_message_no_answer(pair: Pair) -> None:
    message = pair.message()
    reply = take_in(pair.agent.context(), pair.sealed(message)).envelope
    assert refused(pair, reply)
    peer = known_peers(pair.ops.context()).named("agent")
    assert peer is not None
    with pytest.raises(SignatureError):
        believe(pair.ops.context(), pair.sealed(message), peer, message.id)


def test_an_answer_is_believed_for_its_own_message_and_signature_only(pair: Pair) -> None:
    peer = known_peers(pair.ops.context()).named("agent")
    assert peer is not None
    one, two = pair.message(), pair.message()
    reply = take_in(pair.agent.context(), pair.sealed(one)).envelope
    assert believe(pair.ops.context(), reply, peer, one.id).status is Status.EXECUTED
    with pytest.raises(RefusedError, match="another message"):
        believe(pair.ops.context(), reply, peer, two.id)
    forged = Reply(
        v=1,
        re=one.id,
        iss=pair.agent.home_id,
        aud=pair.ops.home_id,
        iat=0,
        status=Status.EXECUTED,
        reason="",
        body={},
    )
    with pytest.raises(SignatureError):
        believe(pair.ops.context(), seal(REPLY_TYPE, dump_record(forged), pair.ops.key), peer, one.id)
    with pytest.raises((SignatureError, RecordError)):
        believe(pair.ops.context(), reply.replace(b'"sig":"', b'"sig":"AA', 1), peer, one.id)


def test_what_is_signed_is_the_length_of_each_part(pair: Pair) -> None:
    payload = dump_record(pair.message())
    assert pae(MESSAGE_TYPE, payload).startswith(b"DSSEv1 %d " % len(MESSAGE_TYPE))


# ---------------------------------------------------------------- time


def test_a_message_from_the_future_is_refused(pair: Pair) -> None:
    now = pair.agent.now
    assert refused(pair, pair.sealed(pair.message(iat=now + 61, exp=now + 120)))
    assert refused(pair, pair.sealed(pair.message(iat=now + 10**9, exp=now + 10**9 + 60)))


def test_a_message_from_the_future_stays_refused_when_its_time_has_come(pair: Pair) -> None:
    held = pair.sealed(pair.message(iat=pair.agent.now + 7200, exp=pair.agent.now + 10_800))
    assert refused(pair, held)
    later(pair, hours=2.5)  # within its life
    assert refused(pair, held)
    assert pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED


def test_a_message_from_the_future_does_not_set_the_clock(pair: Pair) -> None:
    now = pair.agent.now
    assert refused(pair, pair.sealed(pair.message(iat=now + 10**8, exp=now + 10**8 + 60)))
    assert pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED


def test_an_expired_message_stays_refused_when_the_clock_is_set_back(pair: Pair) -> None:
    held = pair.sealed(pair.message())
    later(pair, hours=3)  # a clock that is wrong for a while; nothing else comes in meanwhile
    assert refused(pair, held)
    later(pair, hours=-3)
    assert refused(pair, held)
    assert pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED


def test_no_count_of_refused_messages_keeps_good_ones_out(pair: Pair) -> None:
    held = [pair.sealed(pair.message(iat=pair.agent.now + 900 + n)) for n in range(20)]
    assert all(refused(pair, raw) for raw in held)
    assert pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED
    later(pair, minutes=30)
    assert all(refused(pair, raw) for raw in held)


def test_two_clocks_that_were_ahead_together_shut_nobody_out(pair: Pair) -> None:
    taken = pair.sealed(pair.message())
    assert pair.agent.take_in(taken).status is Status.EXECUTED
    later(pair, days=20)
    ahead = pair.message(body={"state": {}})
    assert pair.agent.take_in(pair.sealed(ahead)).status is Status.EXECUTED
    later(pair, days=-20)
    assert pair.ask("update_heartbeat", body={"state": {}}, seq=ahead.seq + 1).status is Status.EXECUTED
    before = effects(pair)
    pair.agent.take_in(taken)
    assert effects(pair) == before


def test_what_was_sent_before_one_that_came_is_refused_for_good(pair: Pair) -> None:
    first, second = (pair.sealed(pair.message(body={"state": {"mail": f"{n}"}})) for n in (1, 2))
    assert pair.agent.take_in(second).status is Status.EXECUTED
    assert refused(pair, first)
    shutil.rmtree(pair.agent.desk.home.work_dir)
    assert refused(pair, first)
    record_of(pair).unlink()  # then the log has the highest number
    assert refused(pair, first)


def test_a_message_is_good_for_a_week_at_most(pair: Pair) -> None:
    now = pair.agent.now
    assert refused(pair, pair.sealed(pair.message(exp=now + MAX_LIFETIME_S + 1)))
    assert refused(pair, pair.sealed(pair.message(exp=now)))
    assert refused(pair, pair.sealed(pair.message(iat=now - 10**8, exp=now + 60)))


def test_a_clock_set_back_opens_nothing(pair: Pair) -> None:
    held = pair.sealed(pair.message())  # good for an hour, and held back by somebody on the way
    taken = pair.sealed(pair.message())
    assert pair.agent.take_in(taken).status is Status.EXECUTED
    later(pair, hours=3)
    assert pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED
    later(pair, hours=-3)
    assert refused(pair, held)
    before = effects(pair)
    pair.agent.take_in(taken)
    assert effects(pair) == before


def test_a_clock_set_forward_and_back_forgets_nothing(pair: Pair) -> None:
    taken = pair.sealed(pair.message())
    assert pair.agent.take_in(taken).status is Status.EXECUTED
    later(pair, hours=5)  # both clocks are wrong for a while
    assert pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED
    later(pair, hours=-5)
    assert answered_by_log(pair, taken)


# ---------------------------------------------------------------- once


def test_a_retry_gets_the_stored_answer(pair: Pair) -> None:
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    first = take_in(pair.agent.context(), raw).envelope
    before = effects(pair)
    assert take_in(pair.agent.context(), raw).envelope == first
    assert effects(pair) == before


def test_white_space_and_another_alphabet_do_not_make_a_second_message(pair: Pair) -> None:
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    first = take_in(pair.agent.context(), raw).envelope
    again = json.dumps(json.loads(raw), indent=2).encode()
    assert again != raw
    assert take_in(pair.agent.context(), again).envelope == first


def test_64_copies_at_once_are_carried_out_exactly_once(pair: Pair) -> None:
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    context = pair.agent.context()
    start = threading.Barrier(COPIES)

    def copy(_: int) -> bytes:
        start.wait()
        return take_in(context, raw).envelope

    with ThreadPoolExecutor(COPIES) as pool:
        answers = list(pool.map(copy, range(COPIES)))
    assert len(set(answers)) == 1
    assert opened(answers[0]).status is Status.QUEUED
    assert effects(pair) == 2  # one proposal and the record of one message


def test_64_copies_at_once_over_http_are_carried_out_exactly_once(pair: Pair) -> None:
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    with pair.serving(connection_s=60.0) as server:
        port = int(server.server_address[1])

        def copy(_: int) -> tuple[int, bytes]:
            return post(port, raw)

        with ThreadPoolExecutor(COPIES) as pool:
            answers = list(pool.map(copy, range(COPIES)))
    assert {status for status, _ in answers} == {200}
    assert len({content for _, content in answers}) == 1
    assert effects(pair) == 2


def test_no_flood_flushes_an_id_out(pair: Pair) -> None:
    """The published ring of 1,000 was flushed in six seconds, and what had stood in it came again."""
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    pair.agent.take_in(raw)
    context = pair.agent.context()
    seen = open_seen(context, pair.agent.desk.home)
    for _ in range(KEPT + 1):
        seen.take(pair.message())
    before = effects(pair)
    assert pair.agent.take_in(raw).status is Status.QUEUED
    assert effects(pair) == before


def test_an_id_that_gave_way_is_answered_by_the_log(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nightledger.remote.receiving.KEPT", 2)
    first = pair.sealed(pair.message())
    pair.agent.take_in(first)
    for _ in range(3):
        pair.agent.take_in(pair.sealed(pair.message()))
    assert answered_by_log(pair, first)
    folder = pair.agent.answer("x").parent
    assert len(list(folder.glob("m-*.json"))) == 2


# ---------------------------------------------------------------- the record of ids


def record_of(pair: Pair) -> Path:
    return pair.agent.spent


def test_a_deleted_record_allows_no_replay(pair: Pair) -> None:
    raw = pair.sealed(pair.message())
    pair.agent.take_in(raw)
    record_of(pair).unlink()
    assert answered_by_log(pair, raw)
    assert (
        pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED
    )  # and the channel goes on


def test_all_that_is_disposable_may_go_and_nothing_comes_again(pair: Pair) -> None:
    raw = pair.sealed(pair.message())
    pair.agent.take_in(raw)
    shutil.rmtree(pair.agent.desk.home.work_dir)
    assert answered_by_log(pair, raw)


def test_a_record_put_back_from_before_allows_no_replay(pair: Pair) -> None:
    pair.ask("update_heartbeat", body={"state": {}})
    old = record_of(pair).read_bytes()
    raw = pair.sealed(pair.message())
    pair.agent.take_in(raw)
    record_of(pair).write_bytes(old)
    assert answered_by_log(pair, raw)


def test_a_damaged_record_is_an_alarm_and_allows_no_replay(pair: Pair) -> None:
    raw = pair.sealed(pair.message())
    pair.agent.take_in(raw)
    whole = record_of(pair).read_bytes()
    for cut in sampled(range(len(whole) - 1), 11):
        record_of(pair).write_bytes(whole[:cut])
        assert refused(pair, raw)
    record_of(pair).unlink()
    assert answered_by_log(pair, raw)
    assert pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED


def test_what_may_be_written_in_the_home_says_nothing_of_ids(pair: Pair) -> None:
    home = pair.agent.desk.home
    raw = pair.sealed(pair.message())
    assert pair.agent.take_in(raw).status is Status.EXECUTED
    record = record_of(pair)
    assert not record.is_relative_to(home.root)
    shutil.rmtree(home.work_dir)
    assert (
        pair.agent.take_in(raw).status is Status.EXECUTED
    )  # by the log: no more is known, and nothing is done
    assert effects(pair) == 1


@pytest.mark.parametrize("gone", ["the answer", "the id", "the hash", "all"])
def test_a_refusal_stays_one_whatever_becomes_of_its_answer(pair: Pair, gone: str) -> None:
    assert pair.agent.run("channel", "peer", "remove", "ops").status == 0
    know(pair.agent, "ops", pair.ops, "load_memory_file")
    message = pair.message()
    raw = pair.sealed(message)
    assert refused(pair, raw)
    know(pair.agent, "ops", pair.ops, ALL_ACTIONS)
    record = json.loads(record_of(pair).read_bytes())
    (sender,) = record["senders"]
    if gone == "the answer":
        pair.agent.answer(message.id).unlink()
    elif gone == "the id":
        record_of(pair).write_bytes(canonical({**record, "senders": [{**sender, "ids": []}]}))
    elif gone == "the hash":
        record_of(pair).write_bytes(canonical({**record, "senders": [{**sender, "ids": [[message.id, ""]]}]}))
    else:
        shutil.rmtree(pair.agent.desk.home.work_dir)
    assert refused(pair, raw)
    later(pair, hours=30)
    assert refused(pair, raw)


def test_what_was_done_is_not_done_again_when_its_answer_goes(pair: Pair) -> None:
    message = pair.message(body={"state": {"mail": "old"}})
    raw = pair.sealed(message)
    assert pair.agent.take_in(raw).status is Status.EXECUTED
    pair.agent.answer(message.id).unlink()
    assert pair.ask("update_heartbeat", body={"state": {"mail": "new"}}).status is Status.EXECUTED
    before = effects(pair)
    pair.agent.take_in(raw)
    assert effects(pair) == before
    assert '"new"' in Path(pair.agent.desk.home.heartbeat).read_text()


def test_a_begun_message_is_finished_though_its_sender_may_not_ask_any_more(pair: Pair) -> None:
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    with killed_at(Seen, "answered", after=False), pytest.raises(Killed):
        pair.agent.take_in(raw)
    assert pair.agent.run("channel", "peer", "remove", "ops").status == 0
    know(pair.agent, "ops", pair.ops, "load_memory_file")
    assert pair.agent.take_in(raw).status is Status.QUEUED  # as the log has it


@pytest.mark.parametrize("gone", ["nothing", "what lies in the home"])
@pytest.mark.parametrize(
    ("owner", "name", "after"),
    [
        (receiving, "perform", False),
        (gate_messages, "_carry_out", True),
        (gate_messages, "_record", True),
        (Seen, "answered", False),
        (Seen, "answered", True),
    ],
)
def test_no_crash_lets_an_old_heartbeat_be_written_over_a_newer_one(
    pair: Pair,
    owner: object,
    name: str,
    after: bool,  # noqa: FBT001 - a parameter of the test
    gone: str,
) -> None:
    old = pair.sealed(pair.message(body={"state": {"mail": "old"}}))
    with killed_at(owner, name, after=after), pytest.raises(Killed):
        pair.agent.take_in(old)
    assert pair.ask("update_heartbeat", body={"state": {"mail": "new"}}).status is Status.EXECUTED
    if gone != "nothing":
        shutil.rmtree(pair.agent.desk.home.work_dir)
    later(pair, days=3)
    pair.tried += 1
    assert pair.agent.take_in(old).status is Status.EXECUTED
    assert '"new"' in Path(pair.agent.desk.home.heartbeat).read_text()
    assert effects(pair) == 2


def test_what_was_begun_and_not_made_has_its_time_and_no_more(pair: Pair) -> None:
    received = Path(pair.agent.desk.home.received(pair.message().id)).parent
    received.parent.mkdir(parents=True, exist_ok=True)
    received.write_text("in the way of what a message says")
    messages = [
        pair.sealed(pair.message("propose_behavioral_change", body={**CHANGE, "text": f"- {text}"}))
        for text in ("Ask before restarting the relay.", "Write down which relay it was.")
    ]
    for raw in messages:
        with pytest.raises(ConfigurationError):
            pair.agent.take_in(raw)
    received.unlink()
    assert pair.agent.take_in(messages[0]).status is Status.QUEUED  # within its life
    later(pair, hours=2)
    assert refused(pair, messages[1])
    later(pair, hours=-2)
    assert refused(pair, messages[1])


def test_a_refusal_ends_what_was_begun_whatever_is_found_later(pair: Pair) -> None:
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    with killed_at(gate_messages, "_carry_out", after=True), pytest.raises(Killed):
        pair.agent.take_in(raw)
    (path,) = Path(pair.agent.desk.home.root).rglob("memory/state/proposals/p-*.json")
    content = path.read_bytes()
    path.unlink()
    later(pair, hours=2)
    assert refused(pair, raw)
    path.write_bytes(content)
    assert refused(pair, raw)
    shutil.rmtree(pair.agent.desk.home.work_dir)
    assert refused(pair, raw)


def test_an_agents_own_proposal_is_never_taken_for_what_a_message_made(pair: Pair) -> None:
    message = pair.message("propose_behavioral_change", body=CHANGE)
    raw = pair.sealed(message)
    with killed_at(receiving, "perform", after=False), pytest.raises(Killed):
        pair.agent.take_in(raw)
    home = pair.agent.desk.home
    path = Path(home.received(message.id))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x\ny\n")
    own = (
        "--text",
        "- Label the shelves.",
        "--reason",
        "because",
        "--source",
        f"{home.relative(str(path))}:1",
    )
    assert pair.agent.run("propose", *own).status == 0
    answer = pair.agent.take_in(raw)
    assert answer.status is Status.QUEUED
    assert "relay" in answer.body["diff"]
    assert len(pair.agent.desk.ledger().book.proposals) == 2


def test_a_decision_that_was_refused_stays_so_when_another_message_brings_it(pair: Pair) -> None:
    desk = pair.agent.desk
    (decision,), _ = desk.compose_all(desk.proposal(addition("first")))
    signed = sign(decision, load_operator_key(operator_key_path(desk.ring, desk.home.identity.id)))
    body = {"decision": signed.content.decode(), "signature": signed.signature}
    first, second = (
        pair.sealed(pair.message("decide", body=body, exp=pair.ops.now + life)) for life in (60, 86_400)
    )
    with killed_at(receiving, "perform", after=False), pytest.raises(Killed):
        pair.agent.take_in(first)
    later(pair, hours=2)
    assert refused(pair, first)
    assert pair.agent.take_in(second).status is Status.EXECUTED
    assert refused(pair, first)


def test_a_pruning_that_a_crash_cut_short_is_finished_however_late(pair: Pair) -> None:
    raw = pair.sealed(pair.message("prune_stale_memory"))
    with killed_at(gate_messages, "_carry_out", after=True), pytest.raises(Killed):
        pair.agent.take_in(raw)
    later(pair, hours=2)
    assert pair.agent.take_in(raw).status is not Status.REJECTED
    assert answered_by_log(pair, raw)


@pytest.mark.parametrize(
    "graph", ["{", '{"v":1,"domains":{"self_modification":{"blocked":["update_heartbeat_state"]}}}']
)
def test_what_was_begun_and_may_be_done_waits_for_a_graph_that_lets_it_end(pair: Pair, graph: str) -> None:
    raw = pair.sealed(pair.message("update_heartbeat", body={"state": {"mail": "checked"}}))
    with killed_at(gate_messages, "_carry_out", after=True), pytest.raises(Killed):
        pair.agent.take_in(raw)
    path = Path(pair.agent.desk.home.consent_graph)
    path.write_text(graph)
    with pytest.raises(ConfigurationError, match="was begun and may be done; now the consent graph"):
        pair.agent.take_in(raw)
    path.unlink()
    assert pair.agent.take_in(raw).status is Status.EXECUTED


def test_what_was_made_is_answered_as_made_however_late(pair: Pair) -> None:
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    with killed_at(gate_messages, "_carry_out", after=True), pytest.raises(Killed):
        pair.agent.take_in(raw)
    later(pair, days=8)
    assert pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED
    assert pair.agent.take_in(raw).status is Status.QUEUED
    assert len(pair.agent.desk.ledger().book.proposals) == 1


def test_the_log_answers_for_a_record_that_is_gone(pair: Pair) -> None:
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    assert pair.agent.take_in(raw).status is Status.QUEUED
    record_of(pair).unlink()
    assert answered_by_log(pair, raw)
    later(pair, hours=2)
    assert answered_by_log(pair, raw)


@pytest.mark.parametrize(("name", "after"), [("_carry_out", True), ("_record", True)])
def test_what_was_made_is_answered_though_its_sender_may_not_ask_any_more(
    pair: Pair,
    name: str,
    after: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    with killed_at(gate_messages, name, after=after), pytest.raises(Killed):
        pair.agent.take_in(raw)
    assert pair.agent.run("channel", "peer", "remove", "ops").status == 0
    know(pair.agent, "ops", pair.ops, "load_memory_file")
    pair.tried += 1
    assert pair.agent.take_in(raw).status is Status.QUEUED
    assert effects(pair) == 2


# ---------------------------------------------------------------- who is known


def in_peers_file(pair: Pair, **fields: Any) -> None:
    """Write what an agent may write: other fields of the one machine that is known."""
    path = Path(pair.agent.desk.home.peers)
    record = json.loads(path.read_bytes())
    path.write_bytes(canonical({**record, "peers": [{**record["peers"][0], **fields}]}) + b"\n")


def test_a_stranger_in_the_list_on_disk_leaves_nothing_and_shuts_nobody_out(pair: Pair) -> None:
    path = Path(pair.agent.desk.home.peers)
    good, now = path.read_bytes(), pair.agent.now
    stranger = pair.agent.key
    line = " ".join(stranger.public_key.line.split()[:2])
    in_peers_file(pair, keys=[{"key": line, "valid_after": None, "valid_before": None}])
    for fields in ({"iat": now + 61, "exp": now + 120}, {"iat": 1_000, "exp": 2_000}, {"iss": "c" * 32}):
        message = pair.message(seq=MAX_INTEGER, **fields)
        with pytest.raises(SignatureError):
            pair.agent.take_in(seal(MESSAGE_TYPE, dump_record(message), stranger))
    for fields in ({"aud": "c" * 32}, {"exp": now + 10**7}):  # no machine's word makes these good
        message = pair.message(seq=MAX_INTEGER, **fields)
        assert refused(pair, seal(MESSAGE_TYPE, dump_record(message), stranger))
    assert not (pair.agent.keys / pair.agent.home_id / "channel.json").exists()
    path.write_bytes(good)
    assert pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED


def test_a_machine_speaks_for_the_home_that_the_log_binds_it_to(pair: Pair) -> None:
    good = Path(pair.agent.desk.home.peers).read_bytes()
    other, own = pair.sealed(pair.message(iss="a" * 32)), pair.sealed(pair.message())
    in_peers_file(pair, home="a" * 32)
    assert refused(pair, other)
    assert pair.agent.take_in(own).status is Status.EXECUTED  # that file is asked for nothing else
    Path(pair.agent.desk.home.peers).write_bytes(good)
    assert refused(pair, other)


def test_a_record_that_goes_amid_a_message_takes_no_refusal_with_it(pair: Pair) -> None:
    """The lock that both wait for lies beside what it guards."""
    held = pair.sealed(pair.message(iat=pair.agent.now + 7200, exp=pair.agent.now + 10_800))
    good, context = pair.sealed(pair.message()), pair.agent.context()
    take = Seen.take

    def interrupted(self: Seen, message: Message) -> None:
        shutil.rmtree(pair.agent.desk.home.work_dir, ignore_errors=True)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(receiving, "PATIENCE_S", 0.0)
            with pytest.raises(LockedError):
                take_in(context, held)
        take(self, message)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Seen, "take", interrupted)
        assert pair.agent.take_in(good).status is Status.EXECUTED
    assert refused(pair, held)
    later(pair, hours=2.5)
    assert refused(pair, held)


# ---------------------------------------------------------------- restart between record and execution


class Killed(BaseException):
    """Stands for the end of the process: nothing that comes after it is run."""


@contextmanager
def killed_at(owner: object, name: str, *, after: bool) -> Iterator[None]:
    """Let the process end before or after a step."""
    step = getattr(owner, name)

    def die(*words: Any, **named: Any) -> Any:
        if after:
            step(*words, **named)
        raise Killed

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(owner, name, die)
        yield


@pytest.mark.parametrize(
    ("owner", "name", "after"),
    [
        (receiving, "perform", False),  # recorded, not begun
        (gate_messages, "_carry_out", True),  # carried out, not in the log
        (gate_messages, "_record", True),  # in the log, no checkpoint
        (receiving, "perform", True),
        (receiving, "_sealed", False),
        (Seen, "answered", False),  # all but the answer
        (Seen, "answered", True),
    ],
)
@pytest.mark.parametrize("action", ["propose_behavioral_change", "consolidate_daily", "update_heartbeat"])
def test_a_restart_finishes_what_was_begun_and_does_nothing_twice(
    pair: Pair,
    owner: object,
    name: str,
    after: bool,  # noqa: FBT001 - a parameter of the test
    action: str,
) -> None:
    log = "# 2026-02-28\n\n- 09:40 Root cause: cron has no PATH; call restic by its full path from now on\n"
    bodies = {
        "propose_behavioral_change": CHANGE,
        "consolidate_daily": {"date": "2026-02-28", "text": log},
        "update_heartbeat": {"state": {"mail": "checked"}},
    }
    raw = pair.sealed(pair.message(action, body=bodies[action]))
    with killed_at(owner, name, after=after), pytest.raises(Killed):
        pair.agent.take_in(raw)
    unmade = name == "perform" and not after and action != "update_heartbeat"
    later(pair, hours=0.5 if unmade else 2)  # after it has expired, too: what was made is finished
    answer = pair.agent.take_in(raw)
    assert answer.status is (Status.EXECUTED if action == "update_heartbeat" else Status.QUEUED)
    assert effects(pair) == (1 if action == "update_heartbeat" else 2)
    assert pair.agent.take_in(raw) == answer
    assert pair.agent.run("verify").status == 0
    desk = pair.agent.desk
    assert second_look(desk.home.root, desk.ring.directory)[0] == 0


# ---------------------------------------------------------------- the wire


def post(port: int, raw: bytes, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(AGENT_ADDRESS, port, timeout=90)
    try:
        connection.request("POST", "/tc/message", raw, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_an_oversized_message_is_refused_before_it_is_read(pair: Pair) -> None:
    with (
        pair.serving() as server,
        socket.create_connection((AGENT_ADDRESS, server.server_address[1])) as client,
    ):
        client.sendall(
            f"POST /tc/message HTTP/1.1\r\nContent-Length: {MAX_MESSAGE_BYTES + 1}\r\n\r\n".encode()
        )
        assert client.recv(4096).startswith(b"HTTP/1.0 413 ")
    assert refused(pair, b" " * (MAX_MESSAGE_BYTES + 1))


@pytest.mark.parametrize("length", ["9" * 30, "-1", "1e3", "0x10", "\uff11\uff12", ""])
def test_a_length_that_is_none_is_refused(pair: Pair, length: str) -> None:
    head = f"POST /tc/message HTTP/1.1\r\nContent-Length: {length}\r\n\r\n"
    with (
        pair.serving() as server,
        socket.create_connection((AGENT_ADDRESS, server.server_address[1])) as client,
    ):
        client.sendall(head.encode())
        assert client.recv(4096)[:12] in (b"HTTP/1.0 411", b"HTTP/1.0 413")


def test_a_body_in_pieces_is_refused(pair: Pair) -> None:
    with pair.serving() as server:
        status, _ = post(int(server.server_address[1]), b"x", **{"Transfer-Encoding": "chunked"})
    assert status == 411


def test_a_slow_client_has_its_time_and_keeps_nobody_waiting(pair: Pair) -> None:
    with pair.serving(connection_s=2.0) as server:
        port = int(server.server_address[1])
        began = time.monotonic()
        dripping = [socket.create_connection((AGENT_ADDRESS, port)) for _ in range(8)]
        for number, client in enumerate(dripping):  # some in the middle of a header, some of a body
            client.sendall(b"POST /tc/message HTTP/1.1\r\nContent-Length: 1000\r\n" + b"\r\n{" * (number % 2))
        status, _ = post(port, pair.sealed(pair.message()))
        assert status == 200
        gone = 0
        while gone < len(dripping) and time.monotonic() - began < 60:
            gone = sum(_is_closed(client) for client in dripping)
        assert gone == len(dripping)
        for client in dripping:
            client.close()


def _is_closed(client: socket.socket) -> bool:
    """Drip one more byte; tell whether the other side has ended it."""
    try:
        client.sendall(b" ")
        client.settimeout(0.05)
        answer = client.recv(4096)
    except TimeoutError:
        return False
    except OSError:
        return True
    return answer == b"" or b"408" in answer


def test_more_connections_than_there_is_room_for_are_closed_at_once(pair: Pair) -> None:
    with pair.serving(connection_s=60.0) as server:
        port = int(server.server_address[1])
        with ExitStack() as held:
            for _ in range(80):
                held.enter_context(socket.create_connection((AGENT_ADDRESS, port)))
            with socket.create_connection((AGENT_ADDRESS, port)) as extra:  # they are taken in turn
                extra.settimeout(30)
                assert extra.recv(10) == b""


def test_what_nobody_signed_gets_no_signed_answer_and_leaves_no_trace(pair: Pair) -> None:
    size = pair.agent.desk.ledger().log.size
    forged = seal(MESSAGE_TYPE, dump_record(pair.message()), pair.agent.key)
    with pair.serving() as server:
        port = int(server.server_address[1])
        answers = [post(port, raw) for raw in (forged, b"{}", b"", b"\xff")]
    assert [status for status, _ in answers] == [403, 400, 400, 400]
    assert all(b'"signatures":' not in content for _, content in answers)
    assert pair.agent.desk.ledger().log.size == size
    assert not record_of(pair).exists()
