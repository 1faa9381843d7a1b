"""An HTTP server of small requests, within limits: what the channel and the witness stand on.

Invariant: nobody holds a connection longer than its time, makes us read more than one request,
or takes more threads than there is room for.
"""
# mypy: disable-error-code="explicit-override"
# typing.override is newer than Python 3.11, and http.server is made to be overridden

import io
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from nightledger import __version__
from nightledger.domain.errors import ConfigurationError
from nightledger.surfaces.context import Context

TEXT = "text/plain; charset=utf-8"
MAX_LENGTH_DIGITS = 12
"""A longer Content-Length is no number that we would read as one."""
LINGER_S = 1.0
LINGER_BYTES = 1 << 20
"""How long, and how much of, a body that was refused is still taken in and dropped. Closed with
bytes unread, a connection is reset, and the reset may reach the client before the answer does
(RFC 9112 section 9.6)."""


class LimitedServer(ThreadingHTTPServer):
    """Serves until ``shutdown``; a flood of connections does not become a flood of threads."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    name = "server"
    """What it calls itself where it tells of a connection that broke."""

    def __init__(
        self,
        address: tuple[str, int],
        handler: "type[LimitedHandler]",
        *,
        connections: int,
        connection_s: float,
    ) -> None:
        """Bind; nothing is answered before ``serve_forever``.

        Args:
            address: Host and port; port 0 takes a free one.
            handler: What answers one request.
            connections: How many are held at once; more are closed.
            connection_s: How long one request may take to arrive, however slowly it drips.

        Raises:
            ConfigurationError: The address is taken or is none of this machine's.
        """
        self.connection_s = connection_s
        self._room = threading.BoundedSemaphore(connections)
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        try:
            super().__init__(address, handler)
        except (OSError, OverflowError) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise ConfigurationError(
                f"cannot listen on {address[0]}:{address[1]} ({said})", hint="choose another --port"
            ) from error

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give a connection a thread, or close it where there are too many."""
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except Exception:  # no thread could be started, and so none gives the room back
            self._room.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer one connection and give its room back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def serve_until_told(self, context: Context, what: str) -> None:
        """Say where it listens, and serve until Ctrl-C or a service manager ends it in an orderly way.

        Args:
            context: The command's surroundings.
            what: What is served, for people.
        """
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGTERM, signal.SIGINT):  # a thread: shutdown waits for the loop
                signal.signal(number, lambda *_: threading.Thread(target=self.shutdown, daemon=True).start())
        host, port = self.server_address[:2]
        name = f"[{host!s}]" if ":" in str(host) else str(host)
        context.note(f"serving {what} on http://{name}:{port}; end it with Ctrl-C")
        with self:
            self.serve_forever()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say one line about a connection that broke; the service goes on."""
        del request
        print(f"{self.name}: {client_address[0]}: {sys.exc_info()[1]!r}", file=sys.stderr)


class _Paced(io.RawIOBase):
    """A connection that is read until its time is over, whatever the pace of the sender."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection = connection
        self._deadline = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class LimitedHandler(BaseHTTPRequestHandler):
    """One request; the connection is closed after it."""

    server: LimitedServer
    server_version = f"nightledger/{__version__}"
    sys_version = ""
    _body_read = False

    def setup(self) -> None:
        """Read within the connection's time."""
        super().setup()
        self.rfile.close()
        self.rfile = io.BufferedReader(_Paced(self.connection, self.server.connection_s))

    def handle(self) -> None:
        """Answer one request; a client that went away, or had its time, is no news."""
        with suppress(ConnectionError, TimeoutError):
            self.handle_one_request()

    def finish(self) -> None:
        """Send what is left; after an answer to a body that nobody read, let the client hear it."""
        super().finish()
        headers = getattr(self, "headers", None)
        if (
            headers
            and not self._body_read
            and ("Content-Length" in headers or "Transfer-Encoding" in headers)
        ):
            with suppress(OSError):
                self._linger()

    def _linger(self) -> None:
        self.connection.shutdown(socket.SHUT_WR)
        coming = _Paced(self.connection, min(LINGER_S, self.server.connection_s))
        left = LINGER_BYTES
        while left > 0 and (dropped := coming.readinto(bytearray(1 << 16))):
            left -= dropped

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing of each request."""

    def say(self, status: HTTPStatus, text: str) -> None:
        """Answer with a sentence: as plain text, where a server has no form of its own for it.

        Args:
            status: The status.
            text: The sentence.
        """
        self.send_content(status, f"{text}\n".encode(), TEXT)

    def body(self, limit: int, word: str) -> bytes | None:
        """Read the body; None where it was refused and that was said.

        Args:
            limit: Bytes that it may have.
            word: What it is: ``message``.
        """
        lengths = self.headers.get_all("Content-Length", [])
        if len(lengths) > 1:  # who reads the other one sees another request (RFC 9112 section 6.3)
            self.say(HTTPStatus.BAD_REQUEST, "say its length once")
            return None
        text = lengths[0] if lengths else ""
        if not (text.isascii() and text.isdigit()) or "Transfer-Encoding" in self.headers:
            self.say(HTTPStatus.LENGTH_REQUIRED, "say its length with Content-Length")
            return None
        if len(text) > MAX_LENGTH_DIGITS or int(text) > limit:
            self.say(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a {word} has at most {limit} bytes")
            return None
        self._body_read = True
        try:
            raw = self.rfile.read(int(text))
        except TimeoutError:
            self.say(HTTPStatus.REQUEST_TIMEOUT, f"the {word} did not arrive in time")
            return None
        if len(raw) < int(text):
            self.say(HTTPStatus.BAD_REQUEST, f"the {word} was cut short")
            return None
        return raw

    def send_content(self, status: int, content: bytes, kind: str, *, retry_after_s: int = 0) -> None:
        """Answer, and close.

        Args:
            status: The status.
            content: The body.
            kind: Its content type.
            retry_after_s: When to ask again; 0 says nothing of it.
        """
        self.connection.settimeout(self.server.connection_s)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        if retry_after_s:
            self.send_header("Retry-After", str(retry_after_s))
        self.end_headers()
        self.wfile.write(content)
