"""One server and one client of small requests over real sockets: what is answered, refused, and not waited for."""

import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http import HTTPStatus
from typing import Any

import pytest
from tests.blackbox.world import serving
from tests.rows import each_row, from_corpus

from nightledger.domain.errors import IntegrityError, LockedError
from nightledger.doors.transport import Caller, Response, Server, Service, TransportError, is_loopback

LIMIT = 8


def echo(raw: bytes) -> Response:
    if raw == b"locked":
        raise LockedError("busy")
    if raw == b"damaged":
        raise IntegrityError("damaged: /somewhere")
    if raw == b"bug":
        raise ZeroDivisionError
    return Response(status=HTTPStatus.OK, content=raw)


def look(path: str) -> Response | None:
    return Response(status=HTTPStatus.OK, content=b"well") if path == "/health" else None


SERVICE = Service(name="echo", path="/", max_bytes=LIMIT, answer=echo, look=look)


@contextmanager
def echoing(host: str = "127.0.0.1", **limits: float) -> Iterator[Server]:
    made = Server((host, 0), SERVICE)
    vars(made).update(limits)
    with serving(made):
        yield made


@pytest.fixture
def server() -> Iterator[Server]:
    with echoing() as made:
        yield made


def call(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=30)


def heard(server: Server, *sent: bytes, end: bool = False) -> bytes:
    with call(server) as client:
        for part in sent:
            client.sendall(part)
            time.sleep(0.02)
        if end:
            client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65_536), b""))


def ask(server: Server, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes, Any]:
    host, port = server.server_address[:2]
    with closing(http.client.HTTPConnection(str(host), int(port), timeout=30)) as connection:
        connection.request(method, path, body)
        with connection.getresponse() as answer:
            return answer.status, answer.read(), answer.headers


def test_what_is_asked_for_is_answered_and_the_connection_closed(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    status, content, headers = ask(server, "POST", "/", b"tap")
    assert (status, content, headers["Connection"]) == (200, b"tap", "close")
    assert ask(server, "GET", "/health")[:2] == (200, b"well")
    for method, path in (("GET", "/"), ("GET", "/x"), ("POST", "/health")):
        assert ask(server, method, path, b"" if method == "POST" else None)[0] == 404
    for body in (b"locked", b"damaged"):
        status, content, _ = ask(server, "POST", "/", body)
        assert (status, b"somewhere" in content) == (503, False)
    assert capsys.readouterr().err == "echo: damaged: /somewhere\n"
    with suppress(http.client.HTTPException, OSError):
        ask(server, "POST", "/", b"bug")
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert ask(server, "POST", "/", b"tap")[0] == 200
    with echoing(host="::1") as other:
        assert ask(other, "POST", "/", b"tap")[0] == 200


def test_what_is_no_small_request_is_refused_in_words(server: Server) -> None:
    start = b"POST / HTTP/1.1\r\n"
    for sent, status in (
        (start + b"Content-Length: 9\r\n\r\n", b"413"),
        (start + b"Content-Length: " + b"9" * 99 + b"\r\n\r\n", b"413"),
        (start + b"Content-Length: -1\r\n\r\n", b"411"),
        (start + b"Content-Length: many\r\n\r\n", b"411"),
        (start + b"\r\n", b"411"),
        (start + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
        (start + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\ntap", b"411"),
        (start + b"Content-Length: 8\r\n\r\ntap", b"400"),
        (b"PUT / HTTP/1.1\r\n\r\n", b"501"),
    ):
        assert heard(server, sent, end=True).split(b" ")[1] == status, sent


def test_who_says_no_more_is_cut_off_when_the_time_is_over() -> None:
    with echoing(connection_s=1.0) as server:
        assert b"408" in heard(server, b"POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\nta")
        assert heard(server, b"GET / HT") == b""


def test_more_connections_than_there_is_room_for_are_closed_and_the_next_is_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with echoing(connections=4) as server:
        with ExitStack() as held:
            for _ in range(4):
                held.enter_context(call(server))
            with call(server) as extra:  # taken in turn: those before it hold their room by now
                assert extra.recv(10) == b""
        answered(server)
        with monkeypatch.context() as patched:  # no thread: the room is for others
            patched.setattr(threading.Thread, "start", fail)
            assert [heard(server) for _ in range(8)] == [b""] * 8
        assert capsys.readouterr().err.count("can't start new thread") == 8
        answered(server)


def answered(server: Server) -> None:
    """Ask until there is room: connections that were closed give theirs back soon."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with suppress(OSError, http.client.HTTPException):
            assert ask(server, "POST", "/", b"tap")[0] == 200
            return
        time.sleep(0.02)
    pytest.fail("it does not answer any more")


# ------------------------------------------------------------ whoever asks


@contextmanager
def answering(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Serve one connection by hand; give its address."""

    def serve() -> None:
        with listener.accept()[0] as connection, suppress(OSError):
            connection.recv(65_536)
            answer(connection)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join(30)


def exchange(url: str, timeout_s: float = 10.0, patience_s: float = 10.0) -> tuple[int, bytes]:
    caller = Caller(url=url, max_bytes=100, timeout_s=timeout_s, patience_s=patience_s)
    return caller.exchange("POST", "/x", b"x")


@from_corpus("doors-http")
def test_a_server_without_end_is_left(first: bytes, then: bytes) -> None:
    def drip(connection: socket.socket) -> None:
        connection.sendall(first)
        while True:
            time.sleep(0.01)
            connection.sendall(then)

    # by the clock, or where Python itself counts the answers to continue (3.14: at most 100)
    with answering(drip) as url, pytest.raises(TransportError, match=r"too long|too many|interim responses"):
        exchange(url, patience_s=0.2)


@from_corpus("doors-http")
def test_what_is_no_small_answer_is_a_problem(said: bytes, problem: str) -> None:
    with answering(lambda at: at.sendall(said)) as url, pytest.raises(TransportError, match=problem):
        exchange(url)


def test_who_says_nothing_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        began = time.monotonic()
        with pytest.raises(TransportError, match="does not answer"):
            exchange(f"http://127.0.0.1:{listener.getsockname()[1]}", timeout_s=0.2)
        assert time.monotonic() - began < 10


@from_corpus("doors-http")
def test_an_answer_is_given_as_it_came_and_nothing_in_its_head_followed(status: int, head: str) -> None:
    answer = f"HTTP/1.1 {status} X\r\n{head}\r\nContent-Length: 0\r\n\r\n".encode()
    with answering(lambda connection: connection.sendall(answer)) as url:
        assert exchange(url)[0] == status


@each_row("url", ["ftp://x", "http://127.0.0.1:notaport", "http://[::1", "x"])
def test_what_is_no_address_is_a_problem(url: str) -> None:
    with pytest.raises(TransportError, match="is no address"):
        exchange(url)


def test_this_machine_is_told_from_others() -> None:
    here = ("127.0.0.1", "127.0.0.2", "::1", "localhost")
    elsewhere = ("10.0.0.5", "0.0.0.0", "localhost.example.org", "")  # noqa: S104 - it is refused
    assert [is_loopback(host) for host in (*here, *elsewhere)] == [True] * 4 + [False] * 4
