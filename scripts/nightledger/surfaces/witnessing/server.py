"""C2SP tlog-witness over HTTP: ``POST /add-checkpoint`` and ``GET /<origin hash>/checkpoint``, within limits.

Invariant: nobody holds a connection longer than its time or makes us read more than one
request; what no known log has signed costs at most a few verifications.
"""
# mypy: disable-error-code="explicit-override"
# typing.override is newer than Python 3.11, and http.server is made to be overridden

import io
import re
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from nightledger import __version__
from nightledger.domain.errors import LockedError, NightledgerError
from nightledger.trust.witness import MAX_REQUEST_BYTES, TEXT, UNAVAILABLE, Answer, WitnessBox

PORT = 18_800
ADD_CHECKPOINT = "/add-checkpoint"
MAX_CONNECTIONS = 64
"""More are closed at once: a flood must not become a flood of threads."""
CONNECTION_S = 15.0
"""How long a client may take for its whole request, however slowly it drips."""
_MAX_LENGTH_DIGITS = 12
_CHECKPOINT = re.compile(r"/([0-9a-f]{64})/checkpoint")


class WitnessServer(ThreadingHTTPServer):
    """Serves one witness; stopped with ``shutdown``."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(
        self,
        address: tuple[str, int],
        box: WitnessBox,
        now: Callable[[], datetime],
        *,
        connection_s: float = CONNECTION_S,
    ) -> None:
        """Bind; nothing is answered before ``serve_forever``.

        Args:
            address: Host and port; port 0 takes a free one.
            box: The witness.
            now: The clock; aware.
            connection_s: How long one request may take to arrive.
        """
        self.box = box
        self.now = now
        self.connection_s = connection_s
        self._room = threading.BoundedSemaphore(MAX_CONNECTIONS)
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give a connection a thread, or close it where there are too many."""
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer one connection and give its room back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say one line about a connection that broke; the service goes on."""
        del request
        print(f"witness: {client_address[0]}: {sys.exc_info()[1]!r}", file=sys.stderr)


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


class _Handler(BaseHTTPRequestHandler):
    """One request; the connection is closed after it."""

    server: WitnessServer
    server_version = f"nightledger/{__version__}"
    sys_version = ""

    def setup(self) -> None:
        super().setup()
        self.rfile.close()
        self.rfile = io.BufferedReader(_Paced(self.connection, self.server.connection_s))

    def handle(self) -> None:
        with suppress(ConnectionError, TimeoutError):  # the client went away, or had its time
            self.handle_one_request()

    def do_GET(self) -> None:
        match = _CHECKPOINT.fullmatch(self.path)
        head = self.server.box.checkpoint(match[1]) if match else None
        if head is None:
            self._say(HTTPStatus.NOT_FOUND, "there is nothing here")
        else:
            self._send(Answer(status=HTTPStatus.OK, body=head))

    def do_POST(self) -> None:
        if self.path != ADD_CHECKPOINT:
            self._say(HTTPStatus.NOT_FOUND, "there is nothing here")
            return
        raw = self._body()
        if raw is not None:
            self._answer(raw)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing of each request."""

    def _body(self) -> bytes | None:
        text = self.headers.get("Content-Length", "")
        if not (text.isascii() and text.isdigit()) or "Transfer-Encoding" in self.headers:
            self._say(HTTPStatus.LENGTH_REQUIRED, "say its length with Content-Length")
            return None
        if len(text) > _MAX_LENGTH_DIGITS or int(text) > MAX_REQUEST_BYTES:
            self._say(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MAX_REQUEST_BYTES} bytes")
            return None
        try:
            raw = self.rfile.read(int(text))
        except TimeoutError:
            self._say(HTTPStatus.REQUEST_TIMEOUT, "the request did not arrive in time")
            return None
        if len(raw) < int(text):
            self._say(HTTPStatus.BAD_REQUEST, "the request was cut short")
            return None
        return raw

    def _answer(self, raw: bytes) -> None:
        try:
            answer = self.server.box.answer(raw, self.server.now())
        except LockedError:
            answer = Answer(status=UNAVAILABLE, body=b"other requests are at work; try again\n")
        except NightledgerError as error:
            print(f"witness: {error}", file=sys.stderr)
            answer = Answer(status=UNAVAILABLE, body=b"this witness needs its operator\n")
        self._send(answer)

    def _say(self, status: HTTPStatus, text: str) -> None:
        self._send(Answer(status=status, body=f"{text}\n".encode(), content_type=TEXT))

    def _send(self, answer: Answer) -> None:
        self.connection.settimeout(self.server.connection_s)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer.body)
