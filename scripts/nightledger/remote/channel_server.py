"""``POST /tc/message`` and ``GET /tc/health``: the same envelopes as in a spool, within limits.

Invariant: nobody holds a connection longer than its time, or makes us read more than one message;
what no known key has signed costs one verification and is answered with a word, unsigned.
"""
# mypy: disable-error-code="explicit-override"
# typing.override is newer than Python 3.11, and http.server is made to be overridden

import json
import sys
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from nightledger.codec.message import MAX_MESSAGE_BYTES
from nightledger.domain.errors import LockedError, NightledgerError, RecordError
from nightledger.remote.server import LimitedHandler, LimitedServer
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
_RETRY_AFTER_S = 5

Answer = Callable[[bytes], bytes]
"""Takes an envelope in and gives the signed answer."""


class ChannelServer(LimitedServer):
    """Serves one home; stopped with ``shutdown``."""

    name = "channel"

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
        super().__init__(address, _Handler, connections=MAX_CONNECTIONS, connection_s=connection_s)


class _Handler(LimitedHandler):
    """One request; the connection is closed after it."""

    server: ChannelServer

    def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
        if self.path != HEALTH_PATH:
            self.say(HTTPStatus.NOT_FOUND, "there is nothing here")
            return
        self.send_content(HTTPStatus.OK, json.dumps(self.server.health()).encode(), "application/json")

    def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
        if self.path != MESSAGE_PATH:
            self.say(HTTPStatus.NOT_FOUND, "there is nothing here")
            return
        raw = self.body(MAX_MESSAGE_BYTES, "message")
        if raw is not None:
            self._answer(raw)

    def say(self, status: HTTPStatus, text: str) -> None:
        later = _RETRY_AFTER_S if status is HTTPStatus.SERVICE_UNAVAILABLE else 0
        content = json.dumps({"error": text}).encode()
        self.send_content(status, content, "application/json", retry_after_s=later)

    def _answer(self, raw: bytes) -> None:
        try:
            reply = self.server.answer(raw)
        except RecordError as error:
            self.say(HTTPStatus.BAD_REQUEST, str(error))
        except SignatureError as error:
            self.say(HTTPStatus.FORBIDDEN, str(error))
        except LockedError:
            self.say(HTTPStatus.SERVICE_UNAVAILABLE, "another run is at work; try again")
        except NightledgerError as error:
            print(f"channel: {error}", file=sys.stderr)
            self.say(HTTPStatus.SERVICE_UNAVAILABLE, "this home needs its operator; try again")
        else:
            self.send_content(HTTPStatus.OK, reply, CONTENT_TYPE)
