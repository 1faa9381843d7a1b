"""A message goes out, is tried again, and becomes a dead letter with its reason."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.blackbox.world import serving
from tests.remote.machines import AGENT_ADDRESS, Pair
from tests.rows import each_row

from nightledger.domain.errors import IntegrityError, RecordError, RefusedError, UsageError
from nightledger.domain.message import MAX_LIFETIME_S
from nightledger.doors.transport import Response, Server, Service
from nightledger.remote.letters import Delivery, deliver, prepare
from nightledger.remote.receiving import MESSAGE_PATH

KEY = "sk-ant-api03-" + "Zk3Qw8Rt5Yx1Lm7Nv2Bc9Df4Gh6Js0Pa" * 3
BEAT = {"state": {"mail": "checked"}}


def send(
    pair: Pair, waits: list[float] | None = None, action: str = "update_heartbeat", **body: Any
) -> Delivery:
    context = pair.ops.context()
    outgoing = prepare(context, "agent", action, body or BEAT)
    return deliver(context, outgoing, pause=list[float]().append if waits is None else waits.append)


@contextmanager
def answering(pair: Pair, status: int, content: bytes) -> Iterator[list[bytes]]:
    """Answer each try so; gives what was sent."""
    seen: list[bytes] = []

    def answer(raw: bytes) -> Response:
        seen.append(raw)
        return Response(status=status, content=content)

    service = Service(name="x", path=MESSAGE_PATH, max_bytes=1 << 20, answer=answer, look=lambda _: None)
    server = Server((AGENT_ADDRESS, 0), service)
    with serving(server):
        pair.ops.reach(agent={"url": f"http://{AGENT_ADDRESS}:{server.server_address[1]}"})
        yield seen


def test_tries_wait_longer_each_time_and_send_the_same_bytes(pair: Pair) -> None:
    waits: list[float] = []
    with answering(pair, 503, b"{}") as seen:
        delivery = send(pair, waits)
    assert waits == [1, 5, 30]
    assert len(seen) == 4
    assert len(set(seen)) == 1
    (letter,) = pair.ops.dead_letters()
    assert letter["envelope"] == json.loads(seen[0])
    assert letter["attempts"] == delivery.attempts == 4
    assert "answered 503" in letter["error"]
    assert letter["dead_lettered_at"] == "2026-03-01T06:00:00Z"
    assert set(letter) == {"envelope", "error", "dead_lettered_at", "attempts"}


@each_row(
    ("status", "tries"),
    [*((n, 1) for n in (400, 403, 404, 413)), *((n, 4) for n in (408, 425, 429, 500, 301))],
)
def test_only_what_a_later_try_may_mend_is_tried_again(pair: Pair, status: int, tries: int) -> None:
    with answering(pair, status, b"no\n") as seen:
        delivery = send(pair)
    assert len(seen) == tries
    assert delivery.error.endswith(f"answered {status}: no")


def test_an_answer_that_nobody_signed_is_no_answer(pair: Pair) -> None:
    for content in (b"{}", b'{"status": "executed"}', b"\xff" * 10):
        with answering(pair, 200, content):
            assert send(pair).reply is None
    assert len(pair.ops.dead_letters()) == 3


def test_where_http_fails_the_spool_is_the_way_that_remains(pair: Pair, tmp_path: Path) -> None:
    pair.ops.reach(agent={"url": f"http://{AGENT_ADDRESS}:1", "spool": str(tmp_path)})
    assert send(pair).spooled
    assert pair.ops.dead_letters() == []


def test_numbers_rise_whatever_the_clock_does_and_whatever_becomes_of_their_note(pair: Pair) -> None:
    pair.ops.reach(agent={"url": f"http://{AGENT_ADDRESS}:1"})
    numbers = []
    for hours in (0, 0, -3, 0, 9):
        pair.ops.desk.wait(hours=hours)
        numbers.append(prepare(pair.ops.context(), "agent", "update_heartbeat", BEAT).message.seq)
    assert numbers == sorted(set(numbers))
    pair.ops.spent.unlink()
    pair.ops.desk.wait(minutes=1)
    numbers.append(prepare(pair.ops.context(), "agent", "update_heartbeat", BEAT).message.seq)
    assert numbers[-1] > numbers[-2]
    pair.ops.spent.write_bytes(b"[]")
    with pytest.raises(IntegrityError, match="is damaged"):
        prepare(pair.ops.context(), "agent", "update_heartbeat", BEAT)


def test_a_log_is_masked_before_it_leaves_and_a_change_with_a_secret_stays(pair: Pair) -> None:
    pair.ops.reach(agent={"url": f"http://{AGENT_ADDRESS}:1"})
    context = pair.ops.context()
    body = {"date": "2026-02-28", "text": f"- the key is {KEY}\n- more"}
    sent = prepare(context, "agent", "consolidate_daily", body).message.body["text"]
    assert KEY not in sent
    assert sent.endswith("\n- more")
    with pytest.raises(RefusedError, match="holds a secret"):
        prepare(context, "agent", "propose_behavioral_change", {"text": f"- {KEY}", "reason": "x"})


def test_what_cannot_be_sent_is_refused_before_anything_goes_out(pair: Pair) -> None:
    context = pair.ops.context()
    with pytest.raises(UsageError, match="no machine 'other'"):
        prepare(context, "other", "update_heartbeat", BEAT)
    with pytest.raises(UsageError, match="where the machine 'agent' is reached"):
        prepare(context, "agent", "update_heartbeat", BEAT)
    pair.ops.reach(agent={"url": f"http://{AGENT_ADDRESS}:1"})
    with pytest.raises(RecordError, match="body"):
        prepare(context, "agent", "update_heartbeat", {})
    with pytest.raises(RecordError, match="too many"):
        prepare(context, "agent", "later_action", {"text": "x " * 600_000})
    with pytest.raises(RefusedError, match="bytes; at most 1048576"):
        prepare(context, "agent", "later_action", {"text": "x " * 400_000})
    assert MAX_LIFETIME_S == 7 * 86_400
