"""A request over HTTP that is over in a given time, however its server drips.

Invariant: ``timeout`` of ``http.client`` bounds each step alone: a byte now and then, or ``100 Continue``
without end, would hold whoever asks for as long as the server likes.
"""

import http.client
import ipaddress
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def ended_after(connection: http.client.HTTPConnection, seconds: float) -> Iterator[None]:
    """Connect, and cut the connection off when its time is over.

    Args:
        connection: Not yet connected; its own timeout bounds the connecting.
        seconds: How long all that is done inside may take.

    Raises:
        TimeoutError: The time was over, whatever was read until then.
        OSError: Nobody is there.
    """
    connection.connect()
    held, over = connection.sock, threading.Event()

    def cut() -> None:
        over.set()
        with suppress(OSError):
            socket.socket.shutdown(held, socket.SHUT_RDWR)  # of TLS too: its own would wait for the peer

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, http.client.HTTPException) as error:
        if over.is_set():
            raise TimeoutError("it took too long") from error
        raise
    finally:
        timer.cancel()
    if over.is_set():
        raise TimeoutError("it took too long")


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine; a name is one only where it is ``localhost``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
