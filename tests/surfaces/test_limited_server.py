import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

import pytest

from nightledger.surfaces import limited_server
from nightledger.surfaces.limited_server import LINGER_BYTES, TEXT, LimitedHandler, LimitedServer

LIMIT = 8


class Echo(LimitedHandler):
    """Gives back what it was sent."""

    def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
        raw = self.body(LIMIT, "word")
        if raw is not None:
            self.send_content(HTTPStatus.OK, raw, TEXT, retry_after_s=3)


@contextmanager
def serving(*, connections: int, connection_s: float) -> Iterator[LimitedServer]:
    made = LimitedServer(("127.0.0.1", 0), Echo, connections=connections, connection_s=connection_s)
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield made
    finally:
        made.shutdown()
        thread.join()
        made.server_close()


@pytest.fixture
def server() -> Iterator[LimitedServer]:
    """With room to spare: who has his answer may call again before the room of his last call is free."""
    with serving(connections=16, connection_s=20.0) as made:
        yield made


def call(server: LimitedServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=30)


def post(server: LimitedServer, body: bytes, **headers: str) -> tuple[int, bytes, str | None]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
    connection.request("POST", "/", body, headers)
    answer = connection.getresponse()
    found = answer.status, answer.read(), answer.getheader("Retry-After")
    connection.close()
    return found


def test_a_small_request_is_answered_and_the_connection_closed(server: LimitedServer) -> None:
    assert post(server, b"tap") == (200, b"tap", "3")


def test_a_request_that_is_too_long_or_says_no_length_is_refused_in_words(server: LimitedServer) -> None:
    assert post(server, b"x" * (LIMIT + 1)) == (413, b"a word has at most 8 bytes\n", None)
    assert post(server, b"tap", **{"Content-Length": "many"})[0] == 411
    assert post(server, b"tap", **{"Transfer-Encoding": "chunked"})[0] == 411
    assert post(server, b"", **{"Content-Length": "9" * 20})[0] == 413


def test_an_answer_to_a_body_that_nobody_read_is_heard(server: LimitedServer) -> None:
    """The whole body is sent before the answer is read, as ``http.client`` does it."""
    for size in (LIMIT + 1, LINGER_BYTES // 2):
        with call(server) as client:
            client.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % size)
            time.sleep(0.05)
            for _ in range(2):
                client.sendall(b"x" * (size // 2))
                time.sleep(0.05)
            heard = b""
            while more := client.recv(1000):
                heard += more
        assert heard.startswith(b"HTTP/1.0 413")
        assert heard.endswith(b"a word has at most 8 bytes\n")


def test_a_refused_body_that_has_no_end_is_dropped_only_for_a_while(
    server: LimitedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited_server, "LINGER_BYTES", 1 << 17)
    with call(server) as client:
        client.sendall(b"POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n")
        with pytest.raises(ConnectionError):
            client.sendall(b"x" * (1 << 26))
    monkeypatch.setattr(limited_server, "LINGER_S", 0.1)
    with call(server) as client:
        client.sendall(b"POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n")
        assert b"413" in client.recv(1000).split(b"\r\n")[0]
        while client.recv(1000):
            pass


def test_a_request_that_drips_is_cut_off_when_its_time_is_over() -> None:
    with serving(connections=2, connection_s=1.0) as server, call(server) as client:
        client.sendall(b"POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\nta")
        assert b"408" in client.recv(1000).split(b"\r\n")[0]


def test_more_connections_than_there_is_room_for_are_closed() -> None:
    with (
        serving(connections=2, connection_s=20.0) as server,
        call(server),
        call(server),
        call(server) as third,
    ):
        assert third.recv(10) == b""
