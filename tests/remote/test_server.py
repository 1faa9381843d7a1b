"""The server's side of HTTP, its limits apart (tests/faults/test_replay.py)."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest

from nightledger.domain.errors import IntegrityError, LockedError, RecordError
from nightledger.domain.operator import PeerAddress
from nightledger.remote.channel_server import Answer, ChannelServer
from nightledger.remote.sending import TransportError, post
from nightledger.trust.sshsig import SignatureError


@contextmanager
def serving(answer: Answer, host: str = "127.0.0.1") -> Iterator[int]:
    server = ChannelServer((host, 0), answer, lambda: {"status": "ok"}, connection_s=2.0)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def ask(
    port: int, method: str, path: str, body: bytes | None = None, host: str = "127.0.0.1"
) -> tuple[int, Any, Any]:
    connection = http.client.HTTPConnection(host, port, timeout=10)
    try:
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, json.loads(response.read()), response.headers
    finally:
        connection.close()


def echo(raw: bytes) -> bytes:
    return json.dumps({"got": raw.decode()}).encode()


def test_a_message_is_answered_and_the_connection_closed() -> None:
    with serving(echo) as port:
        status, content, headers = ask(port, "POST", "/tc/message", b"hello")
    assert (status, content) == (200, {"got": "hello"})
    assert headers["Content-Type"] == "application/vnd.dsse.envelope.v1+json"
    assert headers["Connection"] == "close"


def test_health_is_for_everyone() -> None:
    with serving(echo) as port:
        assert ask(port, "GET", "/tc/health")[:2] == (200, {"status": "ok"})


def test_it_is_served_on_version_6_too() -> None:
    with serving(echo, "::1") as port:
        assert ask(port, "GET", "/tc/health", host="::1")[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 404), ("POST", "/", 404), ("GET", "/tc/message", 404), ("POST", "/tc/health", 404)],
)
def test_there_is_nothing_else(method: str, path: str, status: int) -> None:
    with serving(echo) as port:
        assert ask(port, method, path, b"" if method == "POST" else None)[0] == status


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RecordError("it", ("odd",)), 400),
        (SignatureError("unknown"), 403),
        (LockedError("busy"), 503),
        (IntegrityError("damaged: /somewhere"), 503),
    ],
)
def test_what_goes_wrong_has_its_status_and_tells_no_more_than_it_must(
    error: Exception, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_: bytes) -> bytes:
        raise error

    with serving(refuse) as port:
        found, content, headers = ask(port, "POST", "/tc/message", b"x")
    assert found == status
    assert "/somewhere" not in content["error"]
    assert ("Retry-After" in headers) == (status == 503)
    assert ("damaged" in capsys.readouterr().err) == isinstance(error, IntegrityError)


def test_a_bug_ends_one_connection_and_not_the_service(capsys: pytest.CaptureFixture[str]) -> None:
    def fail(raw: bytes) -> bytes:
        if raw == b"bad":
            raise ZeroDivisionError
        return b"{}"

    with serving(fail) as port:
        with pytest.raises((http.client.HTTPException, OSError)):
            ask(port, "POST", "/tc/message", b"bad")
        assert ask(port, "POST", "/tc/message", b"good")[0] == 200
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_body_that_is_cut_short_is_refused() -> None:
    import socket

    with serving(echo) as port, socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"POST /tc/message HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc")
        client.shutdown(socket.SHUT_WR)
        assert client.recv(4096).startswith(b"HTTP/1.0 400 ")


def test_an_answer_larger_than_asked_for_is_not_read() -> None:
    with serving(lambda _: b"x" * 200) as port, pytest.raises(TransportError, match="more than 100 bytes"):
        post(PeerAddress(url=f"http://127.0.0.1:{port}"), b"{}", 100)
