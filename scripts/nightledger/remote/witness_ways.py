"""The ways to a witness: over HTTP (C2SP tlog-witness), and as files that two machines share.

Over HTTP nothing is believed for where it came from; signatures tell what counts, so plain HTTP costs no more than that
others can see how long the log is.

``<origin hash>.request`` is written by the home only, ``.answer`` and ``.head`` by the witness
only, so that rsync and Syncthing never see two writers of one file. The first line carries
the time of asking and the hash of what follows: a file that arrived in part is left until
it is whole, and an answer fits one request. Invariant: a request that waits for its answer
is not replaced, so that a slow copy is enough; no file that anybody puts there keeps another
log's request from its answer.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from nightledger.domain.errors import LockedError, NightledgerError
from nightledger.files.atomic import replace_file
from nightledger.files.reading import list_names, read_optional
from nightledger.remote.client import Caller, TransportError
from nightledger.trust.cosigning import Exchange, WitnessUnreachableError
from nightledger.trust.note import MAX_NOTE_BYTES
from nightledger.trust.witness import MAX_REQUEST_BYTES, Answer, WitnessBox

TIMEOUT_S = 5.0
"""For each step of a connection; a night must not wait for a machine that is off. Our choice."""
PATIENCE_S = 20.0
"""For a request and its answer: a witness that drips must not hold up the others, and what waits for them."""
MAX_ANSWER_BYTES = 1 << 18
ADD_CHECKPOINT = "/add-checkpoint"
_FIRST = re.compile(
    rb"(ask|answer) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) ([0-9a-f]{64}) ([0-9a-f]{64})(?: (\d{3}))?\n"
)
_NAME = re.compile(r"([0-9a-f]{64})\.request")
_MAX_FILE_BYTES = MAX_REQUEST_BYTES + 256
_NOTHING = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """A request or an answer in a file.

    Attributes:
        kind: ``ask`` or ``answer``.
        at: When it was asked.
        of: Hex SHA-256 of the request that is answered; of no bytes in a request.
        status: Of an answer; 0 in a request.
        body: What was asked or answered.
    """

    kind: str
    at: str
    of: str
    status: int
    body: bytes


def dump_slip(slip: Slip) -> bytes:
    """Give the file's bytes; the inverse of :func:`read_slip`."""
    status = f" {slip.status}" if slip.kind == "answer" else ""
    first = f"{slip.kind} {slip.at} {slip.of} {hashlib.sha256(slip.body).hexdigest()}{status}\n"
    return first.encode() + slip.body


def read_slip(path: str, kind: str) -> Slip | None:
    """Read a file; None where it is missing, not whole yet, or of another kind."""
    try:
        raw = read_optional(path, _MAX_FILE_BYTES)
    except NightledgerError:
        return None
    match = _FIRST.match(raw) if raw else None
    if raw is None or match is None:
        return None
    body = raw[match.end() :]
    whole = hashlib.sha256(body).hexdigest() == match[4].decode()
    if not whole or match[1].decode() != kind or (kind == "answer") != bool(match[5]):
        return None
    return Slip(kind=kind, at=match[2].decode(), of=match[3].decode(), status=int(match[5] or 0), body=body)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolChannel:
    """A witness behind a shared directory.

    Attributes:
        directory: What is shared.
        origin_sha256: Hex SHA-256 of the log's name.
        now: The time of asking; aware.
        taken: Hashes of requests whose answers were taken already; this channel adds to it.
    """

    directory: str
    origin_sha256: str
    now: datetime
    taken: set[str]

    def ask(self, request: bytes) -> Exchange | None:
        """Take the answer to the request that waits, else put this one; its answer comes later.

        Raises:
            WitnessUnreachableError: The directory is missing or cannot be written.
        """
        if not os.path.isdir(self.directory):
            raise WitnessUnreachableError(f"the spool {self.directory} is missing")
        path = self._path("request")
        pending = read_slip(path, "ask")
        if pending is not None:
            answer = self._answer_to(pending)
            if answer is None:
                return None
            if answer.of not in self.taken:
                self.taken.add(answer.of)
                return Exchange(request=pending.body, answer=Answer(status=answer.status, body=answer.body))
        slip = Slip(kind="ask", at=f"{self.now:%Y-%m-%dT%H:%M:%SZ}", of=_NOTHING, status=0, body=request)
        try:
            replace_file(path, dump_slip(slip))
        except (OSError, NightledgerError) as error:
            raise WitnessUnreachableError(f"nothing can be put into {self.directory} ({error})") from error
        return None

    def newest(self, origin_sha256: str) -> bytes | None:
        """Give the newest head that the witness cosigned for a log."""
        try:
            return read_optional(os.path.join(self.directory, f"{origin_sha256}.head"), MAX_NOTE_BYTES)
        except NightledgerError:
            return None

    def _answer_to(self, pending: Slip) -> Slip | None:
        answer = read_slip(self._path("answer"), "answer")
        asked = hashlib.sha256(dump_slip(pending)).hexdigest()
        return answer if answer and answer.of == asked else None

    def _path(self, suffix: str) -> str:
        return os.path.join(self.directory, f"{self.origin_sha256}.{suffix}")


Outcome = Answer | NightledgerError | OSError
"""What became of a request: an answer, or why there is none; then it waits for the next round."""


def answer_spool(directory: str, box: WitnessBox, now: datetime) -> Iterator[tuple[str, Outcome]]:
    """Answer every request in a directory that is not answered yet; for cron.

    One that cannot be answered stops none of the others.

    Args:
        directory: What is shared.
        box: The witness.
        now: The time that cosignatures state; aware.

    Yields:
        The hash of each log's name, and what became of its request.

    Raises:
        MissingFileError: The directory is missing.
        LockedError: Other requests took longer than 10 s.
    """
    for match in filter(None, map(_NAME.fullmatch, list_names(directory))):
        try:
            answer = _answer_one(directory, match[1], box, now)
        except LockedError:
            raise
        except (NightledgerError, OSError) as error:
            yield match[1], error
        else:
            if answer is not None:
                yield match[1], answer


def _answer_one(directory: str, log: str, box: WitnessBox, now: datetime) -> Answer | None:
    """Answer one log's request; None where there is none, or it was answered before."""
    request = read_slip(os.path.join(directory, f"{log}.request"), "ask")
    if request is None:
        return None
    asked = hashlib.sha256(dump_slip(request)).hexdigest()
    path = os.path.join(directory, f"{log}.answer")
    before = read_slip(path, "answer")
    if before and before.of == asked:
        return None
    answer = box.answer(request.body, now)
    head = box.checkpoint(log)
    if head is not None:
        replace_file(os.path.join(directory, f"{log}.head"), head)
    slip = Slip(kind="answer", at=request.at, of=asked, status=answer.status, body=answer.body)
    replace_file(path, dump_slip(slip))
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpChannel:
    """A witness at an address.

    Attributes:
        url: Submission and monitoring prefix, without a slash at its end.
        timeout_s: How long each step may take.
        patience_s: How long a request and its answer may take together.
    """

    url: str
    timeout_s: float = TIMEOUT_S
    patience_s: float = PATIENCE_S

    def ask(self, request: bytes) -> Exchange:
        """Send a request; see :class:`nightledger.trust.cosigning.Channel`."""
        status, kind, body = self._exchange("POST", ADD_CHECKPOINT, request)
        return Exchange(request=request, answer=Answer(status=status, body=body, content_type=kind))

    def newest(self, origin_sha256: str) -> bytes | None:
        """Return the newest head that the witness cosigned for a log."""
        status, _, body = self._exchange("GET", f"/{origin_sha256}/checkpoint")
        if status not in (HTTPStatus.OK, HTTPStatus.NOT_FOUND):
            raise WitnessUnreachableError(f"{self.url} answered {status}")
        return body if status == HTTPStatus.OK else None

    def _exchange(self, method: str, path: str, body: bytes | None = None) -> tuple[int, str, bytes]:
        caller = Caller(
            url=self.url, max_bytes=MAX_ANSWER_BYTES, timeout_s=self.timeout_s, patience_s=self.patience_s
        )
        try:
            return caller.exchange(method, path, body)
        except TransportError as error:
            raise WitnessUnreachableError(str(error)) from error
