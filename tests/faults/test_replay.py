"""Replay and forgery: a named test for each known weakness of channels that hash fields one after the other.

Every one of them is tried against the whole way in: bytes, signature, record, gate, log.
"""

import http.client
import json
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.faults.failed_tests import has_failed
from tests.faults.sweep_report import report
from tests.remote.machines import AGENT_ADDRESS, Pair, copy_pair, opened, take_in

from nightledger.codec.canonical import MAX_INTEGER, canonical
from nightledger.codec.records import dump_record
from nightledger.domain.errors import NightledgerError, RecordError, RefusedError
from nightledger.domain.message import MESSAGE_TYPE, REPLY_TYPE, Reply, Status
from nightledger.remote import receiving
from nightledger.remote.letters import believe, known_peers
from nightledger.trust.dsse import seal
from nightledger.trust.sshsig import SignatureError

CHANGE = {"text": "- Ask before restarting the relay.", "reason": "a transfer was cut"}
COPIES = 64
SWEEP = "replay and forgery"


@pytest.fixture
def pair(
    pair_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Pair]:
    """Give two machines that know each other; what was tried on them is counted."""
    made = copy_pair(pair_template, tmp_path, monkeypatch)
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


def later(pair: Pair, **by: float) -> None:
    """Let time pass on both machines."""
    for machine in (pair.agent, pair.ops):
        machine.desk.moment = type(machine.desk.moment)(at=machine.desk.moment.at + timedelta(**by))


def test_what_two_readers_could_read_in_two_ways_is_refused_though_it_is_signed(pair: Pair) -> None:
    payload = dump_record(pair.message())
    odd = [payload.replace(b'"action":', b'"action":"decide","action":', 1)]
    for claim in (b'"exp":', b'"seq":', b'"iat":'):
        head, _, tail = payload.partition(claim)
        numbers = (b"NaN", b"Infinity", b"-Infinity", b"1.0", b"1e9", b"9007199254740993")
        odd += [head + claim + number + tail[tail.index(b",") :] for number in numbers]
    assert all(refused(pair, seal(MESSAGE_TYPE, one, pair.ops.key)) for one in odd)


def test_one_id_cannot_stand_for_other_bytes(pair: Pair) -> None:
    first = pair.message("propose_behavioral_change", body=CHANGE)
    assert pair.agent.take_in(pair.sealed(first)).status is Status.QUEUED
    claims = json.loads(dump_record(first))
    other = canonical({**claims, "body": {**CHANGE, "text": "- Never ask."}})
    assert refused(pair, seal(MESSAGE_TYPE, other, pair.ops.key))


def test_an_answer_is_believed_for_its_own_message_and_signature_only(pair: Pair) -> None:
    peer = known_peers(pair.ops.context()).named("agent")
    assert peer is not None
    one, two = pair.message(), pair.message()
    reply = take_in(pair.agent.context(), pair.sealed(one))
    assert believe(pair.ops.context(), reply, peer, one.id).status is Status.EXECUTED
    with pytest.raises(RefusedError, match="another message"):
        believe(pair.ops.context(), reply, peer, two.id)
    ends = {"iss": pair.agent.home_id, "aud": pair.ops.home_id}
    forged = Reply(v=1, re=one.id, iat=0, status=Status.EXECUTED, reason="", body={}, **ends)
    with pytest.raises(SignatureError):
        believe(pair.ops.context(), seal(REPLY_TYPE, dump_record(forged), pair.ops.key), peer, one.id)
    with pytest.raises((SignatureError, RecordError)):
        believe(pair.ops.context(), reply.replace(b'"sig":"', b'"sig":"AA', 1), peer, one.id)


def test_letters_of_one_sender_are_taken_in_in_whatever_order_they_come(pair: Pair) -> None:
    texts = ("- Oil the winch.", "- Ring the bell.", "- Count the keys.")
    sent = [
        pair.sealed(pair.message("propose_behavioral_change", body={**CHANGE, "text": text}))
        for text in texts
    ]
    assert [pair.agent.take_in(raw).status for raw in reversed(sent)] == [Status.QUEUED] * 3
    assert [pair.agent.take_in(raw).status for raw in sent] == [Status.QUEUED] * 3
    assert effects(pair) == 6  # three proposals, and the records of three messages


@pytest.mark.parametrize("over_http", [False, True])
def test_64_copies_at_once_are_carried_out_exactly_once(pair: Pair, *, over_http: bool) -> None:
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    context, start = pair.agent.context(), threading.Barrier(COPIES)
    with pair.serving(connection_s=60.0) as server, ThreadPoolExecutor(COPIES) as pool:
        port = int(server.server_address[1])

        def copy(_: int) -> bytes:
            start.wait()
            return post(port, raw)[1] if over_http else take_in(context, raw)

        answers = set(pool.map(copy, range(COPIES)))
    assert {opened(answer).status for answer in answers} == {Status.QUEUED}
    assert effects(pair) == 2  # one proposal and the record of one message


CRASHES = pytest.mark.parametrize(
    ("owner", "name", "after"),
    [
        (receiving, "perform", False),
        (receiving, "record", False),  # carried out, not in the log
        (receiving, "record", True),  # in the log, no checkpoint
        (receiving, "replace_file", False),  # all but its number and the answer
        (receiving, "replace_file", True),
    ],
)


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


def record_of(pair: Pair) -> Path:
    return pair.agent.spent


@pytest.mark.parametrize("gone", ["nothing", "what lies in the home"])
@CRASHES
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
    pair.agent.take_in(old)
    assert '"new"' in Path(pair.agent.desk.home.heartbeat).read_text()
    assert effects(pair) <= 2


@CRASHES
def test_what_a_crash_cut_short_is_finished_and_made_once(
    pair: Pair,
    owner: object,
    name: str,
    after: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    raw = pair.sealed(pair.message("propose_behavioral_change", body=CHANGE))
    with killed_at(owner, name, after=after), pytest.raises(Killed):
        pair.agent.take_in(raw)
    for _ in range(2):
        pair.tried += 1
        assert pair.agent.take_in(raw).status is Status.QUEUED
    assert effects(pair) == 2


def test_a_stranger_in_the_list_on_disk_leaves_nothing_and_shuts_nobody_out(pair: Pair) -> None:
    """The list lies in the home, where an agent may write: it lists a key of its own, for its own home."""
    path, stranger = Path(pair.agent.desk.home.peers), pair.agent.key
    good = path.read_bytes()
    record = json.loads(good)
    key = {"key": " ".join(stranger.public_key.line.split()[:2])}
    for fields in ({}, {"home": "a" * 32}):
        listed = {**record["peers"][0], "keys": [key], **fields}
        path.write_bytes(canonical({**record, "peers": [listed]}) + b"\n")
        message = pair.message(seq=MAX_INTEGER, **({"iss": "a" * 32} if fields else {}))
        assert refused(pair, seal(MESSAGE_TYPE, dump_record(message), stranger))
    assert not record_of(pair).exists()
    path.write_bytes(good)
    assert pair.ask("update_heartbeat", body={"state": {}}).status is Status.EXECUTED


def post(port: int, raw: bytes, **headers: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(AGENT_ADDRESS, port, timeout=90)
    try:
        connection.request("POST", "/tc/message", raw, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
