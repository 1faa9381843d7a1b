"""C2SP tlog-witness over HTTP: ``POST /add-checkpoint`` and ``GET /<origin hash>/checkpoint``, within limits.

Invariant: nobody holds a connection longer than its time or makes us read more than one
request; what no known log has signed costs at most a few verifications.
"""
# mypy: disable-error-code="explicit-override"
# typing.override is newer than Python 3.11, and http.server is made to be overridden

import os
import re
import sys
from collections.abc import Callable
from datetime import datetime
from http import HTTPStatus

from nightledger.domain.errors import LockedError, NightledgerError
from nightledger.surfaces.limited_server import LimitedHandler, LimitedServer
from nightledger.trust.witness import LOGS, MAX_REQUEST_BYTES, UNAVAILABLE, Answer, WitnessBox, renew

PORT = 18_800
ADD_CHECKPOINT = "/add-checkpoint"
MAX_CONNECTIONS = 64
"""More are closed at once: a flood must not become a flood of threads."""
CONNECTION_S = 15.0
"""How long a client may take for its whole request, however slowly it drips."""
_CHECKPOINT = re.compile(r"/([0-9a-f]{64})/checkpoint")


class WitnessServer(LimitedServer):
    """Serves one witness; stopped with ``shutdown``."""

    name = "witness"

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
        self._known = (_state_of(box), box)
        self.now = now
        super().__init__(address, _Handler, connections=MAX_CONNECTIONS, connection_s=connection_s)

    @property
    def box(self) -> WitnessBox:
        """The witness, with the logs that were added since it began to serve.

        A list that cannot be read is told once; it goes on with the logs that it knew.
        """
        state, box = self._known
        found = _state_of(box)
        if found != state:
            try:
                box = renew(box)
            except (NightledgerError, OSError) as error:
                print(f"witness: {error}", file=sys.stderr)
            self._known = (found, box)
        return box


def _state_of(box: WitnessBox) -> tuple[int, int, int]:
    """Tell one list of logs from another: to read it for each request would be work that anybody could ask for."""
    try:
        status = os.stat(box.directory / LOGS)
    except FileNotFoundError:
        return (0, 0, 0)
    return (status.st_ino, status.st_size, status.st_mtime_ns)


class _Handler(LimitedHandler):
    """One request; the connection is closed after it."""

    server: WitnessServer

    def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
        match = _CHECKPOINT.fullmatch(self.path)
        head = self.server.box.checkpoint(match[1]) if match else None
        if head is None:
            self.say(HTTPStatus.NOT_FOUND, "there is nothing here")
        else:
            self._send(Answer(status=HTTPStatus.OK, body=head))

    def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
        if self.path != ADD_CHECKPOINT:
            self.say(HTTPStatus.NOT_FOUND, "there is nothing here")
            return
        raw = self.body(MAX_REQUEST_BYTES, "request")
        if raw is not None:
            self._answer(raw)

    def _answer(self, raw: bytes) -> None:
        try:
            answer = self.server.box.answer(raw, self.server.now())
        except LockedError:
            answer = Answer(status=UNAVAILABLE, body=b"other requests are at work; try again\n")
        except NightledgerError as error:
            print(f"witness: {error}", file=sys.stderr)
            answer = Answer(status=UNAVAILABLE, body=b"this witness needs its operator\n")
        self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_content(answer.status, answer.body, answer.content_type)
