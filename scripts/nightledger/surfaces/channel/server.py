"""``POST /tc/message`` and ``GET /tc/health``: the same envelopes as in a spool, within limits.

Invariant: nobody holds a connection longer than its time, or makes us read more than one message;
what no known key has signed costs one verification and is answered with a word, unsigned.
"""
# mypy: disable-error-code="explicit-override"
# typing.override is newer than Python 3.11, and http.server is made to be overridden

import io
import json
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from nightledger import __version__
from nightledger.codec.message import MAX_MESSAGE_BYTES
from nightledger.domain.errors import LockedError, NightledgerError, RecordError
from nightledger.trust.sshsig import SignatureError

PORT = 18_799
"""The port in use (FACTS: the published channel)."""
MESSAGE_PATH = "/tc/message"
HEALTH_PATH = "/tc/health"
CONTENT_TYPE = "application/vnd.dsse.envelope.v1+json"
MAX_CONNECTIONS = 80
"""More are closed at once: a flood must not become a flood of threads."""
CONNECTION_S = 20.0
"""How long a client may take for its whole request, however slowly it drips."""
MAX_LENGTH_DIGITS = 12
_RETRY_AFTER_S = 5

Answer = Callable[[bytes], bytes]
"""Takes an envelope in and gives the signed answer."""


class ChannelServer(ThreadingHTTPServer):
    """Serves one home; stopped with ``shutdown``."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(
        self,
        address: tuple[str, int],
        answer: Answer,
        health: Callable[[], dict[str, Any]],
        *,
        connection_s: float = CONNECTION_S,
    ) -> None:
        """Bind; nothing is answered before ``serve_forever``.

        Args:
            address: Host and port; port 0 takes a free one.
            answer: Takes an envelope in.
            health: What ``GET /tc/health`` tells anyone who asks.
            connection_s: How long one request may take to arrive.
        """
        self.answer = answer
        self.health = health
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
        print(f"channel: {client_address[0]}: {sys.exc_info()[1]!r}", file=sys.stderr)


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

    server: ChannelServer
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
        if self.path != HEALTH_PATH:
            self._say(HTTPStatus.NOT_FOUND, "there is nothing here")
            return
        self._send(HTTPStatus.OK, json.dumps(self.server.health()).encode(), "application/json")

    def do_POST(self) -> None:
        if self.path != MESSAGE_PATH:
            self._say(HTTPStatus.NOT_FOUND, "there is nothing here")
            return
        raw = self._body()
        if raw is not None:
            self._answer(raw)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing of each request: the audit log has what was done."""

    def _body(self) -> bytes | None:
        text = self.headers.get("Content-Length", "")
        if not (text.isascii() and text.isdigit()) or "Transfer-Encoding" in self.headers:
            self._say(HTTPStatus.LENGTH_REQUIRED, "say its length with Content-Length")
            return None
        if len(text) > MAX_LENGTH_DIGITS or int(text) > MAX_MESSAGE_BYTES:
            self._say(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a message has at most {MAX_MESSAGE_BYTES} bytes")
            return None
        try:
            raw = self.rfile.read(int(text))
        except TimeoutError:
            self._say(HTTPStatus.REQUEST_TIMEOUT, "the message did not arrive in time")
            return None
        if len(raw) < int(text):
            self._say(HTTPStatus.BAD_REQUEST, "the message was cut short")
            return None
        return raw

    def _answer(self, raw: bytes) -> None:
        try:
            reply = self.server.answer(raw)
        except RecordError as error:
            self._say(HTTPStatus.BAD_REQUEST, str(error))
        except SignatureError as error:
            self._say(HTTPStatus.FORBIDDEN, str(error))
        except LockedError:
            self._say(HTTPStatus.SERVICE_UNAVAILABLE, "another run is at work; try again")
        except NightledgerError as error:
            print(f"channel: {error}", file=sys.stderr)
            self._say(HTTPStatus.SERVICE_UNAVAILABLE, "this home needs its operator; try again")
        else:
            self._send(HTTPStatus.OK, reply, CONTENT_TYPE)

    def _say(self, status: HTTPStatus, text: str) -> None:
        self._send(status, json.dumps({"error": text}).encode(), "application/json")

    def _send(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.connection.settimeout(self.server.connection_s)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        if status is HTTPStatus.SERVICE_UNAVAILABLE:
            self.send_header("Retry-After", str(_RETRY_AFTER_S))
        self.end_headers()
        self.wfile.write(content)
