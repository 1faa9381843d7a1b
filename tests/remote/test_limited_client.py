"""Whoever asks over HTTP gets away from a server that never ends."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from nightledger.domain.operator import PeerAddress
from nightledger.remote.sending import TransportError, post
from nightledger.remote.witness_ways import HttpChannel
from nightledger.trust.cosigning import WitnessUnreachableError

ENDLESS = {
    "drips": (b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n", b"x"),
    "drips and closes": (b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", b"x"),
    "drips a head": (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
    "says to continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}

LEFT = "too long|too many|interim responses"
"""By the clock, or where Python itself counts the answers to continue (3.14: at most 100)."""


@contextmanager
def endless(kind: str) -> Iterator[str]:
    """Serve one connection without end; give its address."""
    over = threading.Event()
    first, then = ENDLESS[kind]

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            try:
                connection.sendall(first)
                while not over.wait(0.01):
                    connection.sendall(then)
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            over.set()
            thread.join(10)


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_witness_without_end_is_left(kind: str) -> None:
    with endless(kind) as url, pytest.raises(WitnessUnreachableError, match=LEFT):
        HttpChannel(url=url, patience_s=0.2).ask(b"x")


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_machine_without_end_is_left(kind: str) -> None:
    with endless(kind) as url, pytest.raises(TransportError, match=LEFT):
        post(PeerAddress(url=url), b"{}", 1 << 20, timeout_s=0.5)
