"""Small requests over HTTP, asked and served within limits: what the channel, the witness and the review page stand on.

Invariant: nobody makes us read more than one small request, or takes more threads than there is room for; and a request
of ours is over in a given time, however its server drips: ``timeout`` of ``urllib3`` bounds each step alone, so
that a byte now and then, or ``100 Continue`` without end, would hold whoever asks for as long as the server likes.
Before that stand the name's lookup and, for each of its addresses, a connection's ``timeout``.
No redirects, no proxies.
"""
# mypy: disable-error-code="explicit-override"
# typing.override is newer than Python 3.11, and http.server is made to be overridden

import ipaddress
import math
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.client import HTTP_PORT
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct

from nightledger import __version__
from nightledger.domain.errors import ConfigurationError, LockedError, NightledgerError

if TYPE_CHECKING:
    from email.message import Message

    from urllib3 import HTTPConnectionPool

    from nightledger.surfaces.context import Context

NAMED = MappingProxyType({"User-Agent": "nightledger"})
PAUSES_S = (0.0, 1.0)
"""Before a busy server is asked again."""
_BARE = re.compile("%(?![0-9A-Fa-f]{2})")
NO_HEADERS: Mapping[str, str] = MappingProxyType({})
TEXT = "text/plain; charset=utf-8"
MAX_LENGTH_DIGITS = 12
"""A longer Content-Length is no number that we would read as one."""


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
        busy: Statuses on which a server is asked again after ``PAUSES_S``, or as many seconds as its ``Retry-After`` says
            (RFC 9110, 10.2.3) where those are more and there is the time; it gets the same bytes anew.
    """

    url: str
    max_bytes: int
    timeout_s: float
    patience_s: float
    port: int = HTTP_PORT
    busy: frozenset[int] = frozenset()

    def exchange(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] = NO_HEADERS
    ) -> tuple[int, bytes]:
        """Return status and content of the answer.

        Raises:
            TransportError: There was none, or a larger one.
        """
        ends = time.monotonic() + self.patience_s
        pauses = iter(PAUSES_S)
        while True:
            status, content, asked = self._ask(
                method, path, body, {**NAMED, **headers}, ends - time.monotonic()
            )
            wait = float(asked) if asked.isdecimal() and len(asked) < MAX_LENGTH_DIGITS else 0
            wait = max(wait, next(pauses, math.inf))
            if status not in self.busy or time.monotonic() + wait >= ends:
                break
            time.sleep(wait)
        if len(content) > self.max_bytes:
            raise TransportError(f"{self.url} answered with more than {self.max_bytes} bytes")
        return status, content

    def _ask(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str], left_s: float
    ) -> tuple[int, bytes, str]:
        """Return status and content of one answer, and when it wants to be asked again."""
        from urllib3.exceptions import HTTPError

        try:
            with _ended_after(left_s) as hold, _pool(self, hold) as pool:
                target = _BARE.sub("%25", f"{urlsplit(self.url).path.rstrip('/')}{path}")
                how = {"retries": False, "redirect": False, "preload_content": False}
                with pool.urlopen(method, target, body, headers, **how) as response:
                    content = response.read(self.max_bytes + 1, decode_content=False)
        except (OSError, ValueError, HTTPError) as error:
            cause = _cause(error)
            said = str(cause) or type(cause).__name__
            raise TransportError(f"{self.url} does not answer ({said})") from cause
        return response.status, content, response.headers.get("Retry-After", "")


def _cause(error: BaseException) -> BaseException:
    """Return what went wrong, below what the client made of it."""
    below = error.__cause__ or error.__context__
    return _cause(below) if isinstance(below, Exception) and not isinstance(error, OSError) else error


@contextmanager
def _ended_after(seconds: float) -> Iterator[Callable[[socket.socket], None]]:
    """Give what is told of each connection; cut them off when the time is over."""
    held: list[socket.socket] = []
    over = threading.Event()

    def hold(connected: socket.socket) -> None:
        held.append(connected)
        if over.is_set():
            raise TimeoutError

    def cut() -> None:
        over.set()
        for one in held:
            with suppress(OSError):
                socket.socket.shutdown(one, socket.SHUT_RDWR)  # of TLS too: its own would wait for the peer

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield hold
    except Exception:
        if not over.is_set():
            raise
    finally:
        timer.cancel()
    if over.is_set():
        raise TimeoutError("it took too long")


def _pool(caller: Caller, hold: Callable[[socket.socket], None]) -> "HTTPConnectionPool":
    from urllib3 import HTTPConnectionPool, HTTPSConnectionPool

    kinds: Mapping[str, type[HTTPConnectionPool]] = {"http": HTTPConnectionPool, "https": HTTPSConnectionPool}
    try:
        parts = urlsplit(caller.url)
        host = parts.hostname or ""
        host = host if host.isascii() else host.encode("idna").decode()
        port = parts.port or (caller.port if parts.scheme == "http" else None)
        pool = kinds[parts.scheme](host, port, caller.timeout_s)
    except (KeyError, ValueError) as error:
        raise TransportError(f"{caller.url} is no address") from error

    class Held(pool.ConnectionCls):  # type: ignore[misc, name-defined]  # a class by the scheme
        def connect(self) -> None:
            super().connect()
            hold(self.sock)

    pool.ConnectionCls = Held
    return pool


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine; a name is one only where it is ``localhost``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Response(Struct, frozen=True, kw_only=True):
    """An answer: status, content, its type."""

    status: int
    content: bytes
    kind: str = TEXT


def sentence(status: int, text: str) -> Response:
    """Return an answer that is a sentence."""
    return Response(status=status, content=f"{text}\n".encode())


class Service(Struct, frozen=True, kw_only=True):
    """What is served.

    Attributes:
        name: What it calls itself where it tells of trouble.
        path: Of requests.
        max_bytes: That one may have.
        answer: Answers one; what it raises becomes "not now", told here on standard error unless it is a lock.
        look: Answers ``GET`` of a path; None for "there is nothing here".
        admit: Refuses a request by its method and headers, before its body is read; None where it may go on.
        headers: Of every answer.
        is_over: Whether nothing more is to be served; asked twice a second.
    """

    name: str
    path: str
    max_bytes: int
    answer: Callable[[bytes], Response]
    look: Callable[[str], Response | None]
    admit: "Callable[[str, Message], Response | None]" = lambda *_: None
    headers: Mapping[str, str] = NO_HEADERS
    is_over: Callable[[], bool] = lambda: False


class Server(ThreadingHTTPServer):
    """Serves until ``shutdown``; a flood of connections does not become a flood of threads.

    Attributes:
        connections: How many are held at once; more are closed.
        connection_s: How long each step of a connection may take.
    """

    connections = 80
    connection_s = 20.0
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], service: Service) -> None:
        """Bind; nothing is answered before ``serve_forever``.

        Args:
            address: Host and port; port 0 takes a free one.
            service: What is served.

        Raises:
            ConfigurationError: The address is taken or is none of this machine's.
        """
        self.service = service
        self._held: set[Any] = set()
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        try:
            super().__init__(address, _Handler)
        except (OSError, OverflowError) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise ConfigurationError(
                f"cannot listen on {address[0]}:{address[1]} ({said})", hint="choose another --port"
            ) from error

    def verify_request(self, request: Any, client_address: Any) -> bool:
        """Take a connection where there is room for it; else it is closed."""
        del client_address
        if len(self._held) >= self.connections:
            return False
        self._held.add(request)
        return True

    def shutdown_request(self, request: Any) -> None:
        """Close a connection, whatever came of it, and give its room back."""
        self._held.discard(request)
        super().shutdown_request(request)

    def service_actions(self) -> None:
        """End where nothing more is to be served."""
        if self.service.is_over():
            threading.Thread(target=self.shutdown, daemon=True).start()

    def serve_until_told(self, context: "Context", what: str, page: str = "") -> None:
        """Say where it listens, and serve until Ctrl-C, a service manager or the service itself ends it in an orderly way.

        Args:
            context: The command's surroundings.
            what: What is served, for people.
            page: What follows the address where a person is to open it.
        """
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):  # a thread: shutdown waits for the loop
                signal.signal(number, lambda *_: threading.Thread(target=self.shutdown, daemon=True).start())
        host, port = self.server_address[:2]
        name = f"[{host!s}]" if ":" in str(host) else str(host)
        context.note(f"serving {what} on http://{name}:{port}{page}; end it with Ctrl-C")
        with self:
            self.serve_forever()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say one line about a connection that broke; the service goes on."""
        del request
        print(f"{self.service.name}: {client_address[0]}: {sys.exc_info()[1]!r}", file=sys.stderr)

    def answer(self, ask: Callable[[], Response | None]) -> Response:
        """Have a request answered; what stands in the way is told on standard error, and the client may come again."""
        try:
            return ask() or sentence(HTTPStatus.NOT_FOUND, "there is nothing here")
        except LockedError:
            return sentence(HTTPStatus.SERVICE_UNAVAILABLE, "others are at work; try again")
        except NightledgerError as error:
            print(f"{self.service.name}: {error}", file=sys.stderr)
            return sentence(HTTPStatus.SERVICE_UNAVAILABLE, "this machine needs its operator; try again")


class _Handler(BaseHTTPRequestHandler):
    """One request; the connection is closed after it."""

    server: Server
    server_version = f"nightledger/{__version__}"
    sys_version = ""

    def setup(self) -> None:
        self.request.settimeout(self.server.connection_s)
        super().setup()

    def handle(self) -> None:
        with suppress(ConnectionError, TimeoutError):  # a client that went away, or had its time, is no news
            self.handle_one_request()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing of each request."""

    def do_GET(self) -> None:
        service = self.server.service
        self._send(service.admit("GET", self.headers) or self.server.answer(lambda: service.look(self.path)))

    def do_POST(self) -> None:
        service = self.server.service
        found = service.admit("POST", self.headers) or self._body()
        if isinstance(found, bytes):
            raw = found
            found = self.server.answer(lambda: service.answer(raw))
        self._send(found)

    def _body(self) -> bytes | Response:
        """Read the body; an answer where it is refused."""
        service, lengths = self.server.service, self.headers.get_all("Content-Length", [])
        text = (
            lengths[0] if len(lengths) == 1 else ""
        )  # who reads another one sees another request (RFC 9112, 6.3)
        if self.path != service.path:
            return sentence(HTTPStatus.NOT_FOUND, "there is nothing here")
        if not (text.isascii() and text.isdigit()) or "Transfer-Encoding" in self.headers:
            return sentence(HTTPStatus.LENGTH_REQUIRED, "say its length once, with Content-Length")
        if len(text) > MAX_LENGTH_DIGITS or int(text) > service.max_bytes:
            told = f"at most {service.max_bytes} bytes are taken"
            return sentence(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, told)
        try:
            raw = self.rfile.read(int(text))
        except TimeoutError:
            return sentence(HTTPStatus.REQUEST_TIMEOUT, "the request did not arrive in time")
        return raw if len(raw) == int(text) else sentence(HTTPStatus.BAD_REQUEST, "the request was cut short")

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        self.send_header("Content-Type", response.kind)
        self.send_header("Content-Length", str(len(response.content)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(response.content)

    def end_headers(self) -> None:
        for name, value in self.server.service.headers.items():
            self.send_header(name, value)
        super().end_headers()
