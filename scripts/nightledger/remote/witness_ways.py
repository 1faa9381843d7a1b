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
import http.client
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from nightledger.domain.errors import LockedError, NightledgerError
from nightledger.files.atomic import replace_file
from nightledger.files.reading import list_names, read_optional
from nightledger.remote.client import ended_after
from nightledger.trust.cosigning import Exchange, WitnessUnreachableError
from nightledger.trust.note import MAX_NOTE_BYTES
from nightledger.trust.witness import MAX_REQUEST_BYTES, UNAVAILABLE, Answer, WitnessBox

TIMEOUT_S = 5.0
"""For each step of a connection; a night must not wait for a machine that is off. Our choice."""
PATIENCE_S = 20.0
"""For a request and its answer: a witness that drips must not hold up the others, and what waits for them."""
MAX_ANSWER_BYTES = 1 << 18
_NOT_FOUND = 404
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What became of one request in a spool.

    Attributes:
        log: The hash of the log's name.
        status: What was answered; 503 where no answer could be made or put there.
        error: Why not; None where it could. The request waits for the next round.
    """

    log: str
    status: int
    error: NightledgerError | OSError | None = None


def answer_spool(directory: str, box: WitnessBox, now: datetime) -> Iterator[Answered]:
    """Answer every request in a directory that is not answered yet; for cron.

    One that cannot be answered stops none of the others.

    Args:
        directory: What is shared.
        box: The witness.
        now: The time that cosignatures state; aware.

    Yields:
        What became of each.

    Raises:
        MissingFileError: The directory is missing.
        LockedError: Other requests took longer than 10 s.
    """
    for name in list_names(directory):
        match = _NAME.fullmatch(name)
        if match is None:
            continue
        try:
            status = _answer_one(directory, match[1], box, now)
        except LockedError:
            raise
        except (NightledgerError, OSError) as error:
            yield Answered(log=match[1], status=UNAVAILABLE, error=error)
            continue
        if status is not None:
            yield Answered(log=match[1], status=status)


def _answer_one(directory: str, log: str, box: WitnessBox, now: datetime) -> int | None:
    """Answer one log's request and give the status; None where there is none, or it was answered before."""
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
    return answer.status


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
        status, kind, body = self._exchange("POST", "/add-checkpoint", request, MAX_ANSWER_BYTES)
        return Exchange(request=request, answer=Answer(status=status, body=body, content_type=kind))

    def newest(self, origin_sha256: str) -> bytes | None:
        """Give the newest head that the witness cosigned for a log."""
        status, _, body = self._exchange("GET", f"/{origin_sha256}/checkpoint", None, MAX_NOTE_BYTES)
        if status == _NOT_FOUND:
            return None
        if status != http.client.OK:
            raise WitnessUnreachableError(f"{self.url} answered {status}")
        return body

    def _exchange(self, method: str, path: str, body: bytes | None, limit: int) -> tuple[int, str, bytes]:
        parts = urlsplit(self.url)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        try:
            connection = kinds[parts.scheme](parts.hostname or "", parts.port, timeout=self.timeout_s)
        except (KeyError, ValueError) as error:
            raise WitnessUnreachableError(f"{self.url} is no address") from error
        try:
            with ended_after(connection, self.patience_s):
                connection.request(method, f"{parts.path.rstrip('/')}{path}", body)
                response = connection.getresponse()
                content = response.read(limit + 1)
        except (OSError, http.client.HTTPException) as error:
            said = str(error) or type(error).__name__
            raise WitnessUnreachableError(f"{self.url} does not answer ({said})") from error
        finally:
            connection.close()
        if len(content) > limit:
            raise WitnessUnreachableError(f"{self.url} answered with more than {limit} bytes")
        return response.status, response.getheader("Content-Type", ""), content
