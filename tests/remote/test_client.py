"""The client's side of HTTP."""

import http.client
import socket
import threading
from typing import Any

import pytest

from nightledger.domain.errors import ConfigurationError
from nightledger.domain.operator import PeerAddress
from nightledger.remote.client import is_loopback
from nightledger.remote.sending import TransportError, _said, post


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.0.0.2", True),
        ("::1", True),
        ("localhost", True),
        ("10.0.0.5", False),
        ("0.0.0.0", False),  # noqa: S104 - it is refused
        ("localhost.example.org", False),
        ("", False),
    ],
)
def test_this_machine_is_told_from_others(host: str, here: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert is_loopback(host) is here


def test_plain_http_beyond_this_machine_must_be_asked_for() -> None:
    with pytest.raises(ConfigurationError, match="can be read on the way"):
        post(PeerAddress(url="http://192.0.2.1:18799"), b"{}", 100)


def test_where_it_was_asked_for_it_is_tried() -> None:
    address = PeerAddress(
        url="http://0.0.0.0:1", insecure_plain_http=True
    )  # no name of this machine, and it is here
    with pytest.raises(TransportError, match="does not answer"):
        post(address, b"{}", 100, timeout_s=1)


def test_https_needs_no_asking() -> None:
    with pytest.raises(TransportError, match="does not answer"):
        post(PeerAddress(url="https://127.0.0.1:1"), b"{}", 100, timeout_s=1)


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"{}", b"[" * 5_000, b"[" * 3_000])
def test_what_another_machine_says_wrongly_is_not_repeated(content: bytes) -> None:
    assert _said(content) == "nothing that can be read"
    assert _said(b'{"error": "not now"}') == "not now"


def test_an_answer_that_is_not_read_to_its_end_leaves_no_socket_open(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[http.client.HTTPResponse] = []

    class Noted(http.client.HTTPResponse):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            given.append(self)

    def answer_at_length() -> None:
        with listener.accept()[0] as peer:
            peer.recv(4096)
            peer.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 4096)

    monkeypatch.setattr(http.client.HTTPConnection, "response_class", Noted)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)
        thread = threading.Thread(target=answer_at_length, daemon=True)
        thread.start()
        address = PeerAddress(url=f"http://127.0.0.1:{listener.getsockname()[1]}")
        with pytest.raises(TransportError, match="answered with more than 100 bytes"):
            post(address, b"{}", 100, timeout_s=10)
        thread.join(10)
    assert [one.isclosed() for one in given] == [True]
