"""One request over HTTP that is over in a given time, however its server drips.

Invariant: ``timeout`` of ``http.client`` bounds each step alone: a byte now and then, or ``100 Continue``
without end, would hold whoever asks for as long as the server likes. No redirects, no proxies.
"""

import http.client
import ipaddress
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from types import MappingProxyType
from urllib.parse import urlsplit

from msgspec import Struct

from nightledger.domain.errors import NightledgerError

_KINDS = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}


class TransportError(NightledgerError):
    """The request did not arrive, or no answer came; the same bytes may be sent again."""


class Caller(Struct, frozen=True, kw_only=True):
    """How somebody is asked.

    Attributes:
        url: Address, without a slash at its end.
        max_bytes: The largest answer that is read.
        timeout_s: How long each step may take.
        patience_s: How long a request and its answer may take together.
        port: Of plain HTTP, where the address names none.
    """

    url: str
    max_bytes: int
    timeout_s: float
    patience_s: float
    port: int = http.client.HTTP_PORT

    def exchange(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> tuple[int, str, bytes]:
        """Return status, content type and content of the answer.

        Raises:
            TransportError: There was none, or a larger one.
        """
        try:
            parts = urlsplit(self.url)
            port = parts.port or (self.port if parts.scheme == "http" else None)
            connection = _KINDS[parts.scheme](parts.hostname or "", port, timeout=self.timeout_s)
        except (KeyError, ValueError, http.client.InvalidURL) as error:
            raise TransportError(f"{self.url} is no address") from error
        try:
            with closing(connection), _ended_after(connection, self.patience_s):
                connection.request(method, f"{parts.path.rstrip('/')}{path}", body, dict(headers))
                with connection.getresponse() as response:  # one not read to its end keeps its socket open
                    content = response.read(self.max_bytes + 1)
        except (OSError, ValueError, http.client.HTTPException) as error:
            said = str(error) or type(error).__name__
            raise TransportError(f"{self.url} does not answer ({said})") from error
        if len(content) > self.max_bytes:
            raise TransportError(f"{self.url} answered with more than {self.max_bytes} bytes")
        return response.status, response.getheader("Content-Type", ""), content


@contextmanager
def _ended_after(connection: http.client.HTTPConnection, seconds: float) -> Iterator[None]:
    """Connect, and cut the connection off when its time is over."""
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
    except (OSError, http.client.HTTPException):
        if not over.is_set():
            raise
    finally:
        timer.cancel()
    if over.is_set():
        raise TimeoutError("it took too long")


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine; a name is one only where it is ``localhost``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
