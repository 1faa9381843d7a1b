import http.client
import socket
import threading
from collections.abc import Iterator
from http import HTTPStatus

import pytest

from nightledger.surfaces.limited_server import TEXT, LimitedHandler, LimitedServer

LIMIT = 8


class Echo(LimitedHandler):
    """Gives back what it was sent."""

    def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
        raw = self.body(LIMIT, "word")
        if raw is not None:
            self.send_content(HTTPStatus.OK, raw, TEXT, retry_after_s=3)


@pytest.fixture
def server() -> Iterator[LimitedServer]:
    made = LimitedServer(("127.0.0.1", 0), Echo, connections=2, connection_s=1.0)
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def call(server: LimitedServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=5)


def post(server: LimitedServer, body: bytes, **headers: str) -> tuple[int, bytes, str | None]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=5)
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


def test_a_request_that_drips_is_cut_off_when_its_time_is_over(server: LimitedServer) -> None:
    with call(server) as client:
        client.sendall(b"POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\nta")
        assert b"408" in client.recv(1000).split(b"\r\n")[0]


def test_a_length_that_is_said_twice_is_refused(server: LimitedServer) -> None:
    """RFC 9112 section 6.3: a proxy before us may have read the other one."""
    for second in (b"3", b"8"):
        with call(server) as client:
            client.sendall(b"POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: %b\r\n\r\ntap" % second)
            assert b"400" in client.recv(1000).split(b"\r\n")[0]
    assert post(server, b"tap")[0] == 200


def test_connections_for_which_no_thread_could_be_started_leave_their_room_to_others(
    server: LimitedServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", fail)
        for _ in range(5):
            with call(server) as client:
                assert client.recv(10) == b""
    assert capsys.readouterr().err.count("can't start new thread") == 5
    assert post(server, b"tap")[0] == 200


def test_more_connections_than_there_is_room_for_are_closed(server: LimitedServer) -> None:
    with call(server), call(server), call(server) as third:
        assert third.recv(10) == b""
