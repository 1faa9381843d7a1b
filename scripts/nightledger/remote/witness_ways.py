"""Ask one witness to cosign a head of this log, over HTTP (C2SP tlog-witness) or by files, and judge its answer.

Invariant: a line is taken only when it holds for the very head that was asked for. When a
witness remembers a head that this log does not continue, that is told with the head
itself where the witness shows it: the log was cut, or there are two of it. Nothing is believed for where it
came from, so plain HTTP costs no more than that others can see how long the log is.

By files: ``<origin hash>.request`` is written by the home only, ``.answer`` and ``.head`` by the witness
only, so that rsync and Syncthing never see two writers of one file. The first line carries
the time of asking and the hash of what follows: a file that arrived in part is left until
it is whole, and an answer fits one request. A request that waits for its answer is not replaced, so that a
slow copy is enough; no file that anybody puts there keeps another log's request from its answer.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Protocol

from msgspec import Struct

from nightledger.domain.errors import IntegrityError, LockedError, NightledgerError
from nightledger.files.atomic import replace_file
from nightledger.files.reading import list_names, read_optional
from nightledger.remote.cosigner import CONFLICT, INCONSISTENT, MAX_REQUEST_BYTES, OK, Answer, Cosigner
from nightledger.trust.checkpoint import Checkpoint, parse_checkpoint, verifiers_of
from nightledger.trust.merkle import Tree
from nightledger.trust.note import (
    MAX_NOTE_BYTES,
    Note,
    NoteError,
    NoteSignature,
    dump_note,
    parse_note,
    verify_note,
)
from nightledger.trust.policy import Policy, Witness, verify_log
from nightledger.trust.proof import Continuation, ProofFormError, dump_continuation, parse_continuation
from nightledger.trust.report import Damage, contradicts

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
MAX_TRIES = 3
"""A witness that says where it stands is asked once more from there; a spool may answer an older request first."""


class WitnessUnreachableError(NightledgerError):
    """A witness did not answer as one; its lines are missing, and nothing else is held up by that."""

    hint = "see whether it runs and whether its address in operator.yaml is right"


class Exchange(Struct, frozen=True, kw_only=True):
    """A request and its answer; over a spool the request may be an earlier one."""

    request: bytes
    answer: Answer


class Channel(Protocol):
    """A way to a witness."""

    def ask(self, request: bytes) -> Exchange | None:
        """Send a request; None where its answer comes later.

        Raises:
            WitnessUnreachableError: Nobody answered in time, or nothing that a witness would say.
        """

    def newest(self, origin_sha256: str) -> bytes | None:
        """Give the newest head that the witness cosigned for a log; None where it does not show any.

        Raises:
            WitnessUnreachableError: As :meth:`ask`.
        """


class Cosigned(Struct, frozen=True, kw_only=True):
    """Lines that a witness gave for a head."""

    note: Note
    lines: tuple[NoteSignature, ...]


class Asked(Struct, frozen=True, kw_only=True):
    """What came of asking one witness.

    Attributes:
        name: Name of its keys.
        size: The size that it cosigned last, as far as is known; 0 where nothing is.
        cosigned: Lines it gave, in the order in which it gave them.
        waiting: Whether its answer comes later.
        problem: Why it gave none; empty where it did or will.
        refused: Whether it says that this log does not continue what it remembers, and shows no head for it.
        damage: What it means that it remembers what this log does not continue: ROLLBACK, when it saw a longer log;
            FORK, when it saw another one; None where it does not.
        seen: The head that it remembers then, signed by the log and the witness.
    """

    name: str
    size: int
    cosigned: tuple[Cosigned, ...] = ()
    waiting: bool = False
    problem: str = ""
    refused: bool = False
    damage: Damage | None = None
    seen: Checkpoint | None = None


class LogView(Struct, frozen=True, kw_only=True):
    """This log as its witnesses are asked about it.

    Attributes:
        note: Its newest signed head.
        tree: Of all its lines.
        policy: Whose lines count.
    """

    note: Note
    tree: Tree
    policy: Policy

    @property
    def head(self) -> Checkpoint:
        """What the note says."""
        return parse_checkpoint(self.note.text)


def ask_witness(name: str, channel: Channel, view: LogView, known_size: int) -> Asked:
    """Ask one witness to cosign the newest head.

    Args:
        name: Name of its keys in the policy.
        channel: The way to it.
        view: What is to be cosigned.
        known_size: The size that it cosigned last, as far as is known; 0 where nothing is.
    """
    got: list[Cosigned] = []
    if known_size > view.head.size:
        known_size = 0  # this log was longer once: let the witness say so, and show it
    try:
        for _ in range(MAX_TRIES):
            exchange = channel.ask(_request(view, known_size))
            if exchange is None:
                return Asked(name=name, size=known_size, cosigned=tuple(got), waiting=True)
            if exchange.answer.status == CONFLICT:
                known_size = _conflict(exchange.answer, view)
                continue
            got.append(_take(name, exchange, view))
            known_size = parse_checkpoint(got[-1].note.text).size
            if got[-1].note.text == view.note.text:
                return Asked(name=name, size=known_size, cosigned=tuple(got))
    except InconsistentError as error:
        return _contradicted(name, channel, view, str(error))
    except (WitnessUnreachableError, NoteError) as error:
        return Asked(name=name, size=known_size, cosigned=tuple(got), problem=str(error))
    return Asked(name=name, size=known_size, cosigned=tuple(got), problem="it gave no line for this head")


class InconsistentError(IntegrityError):
    """A witness says that this log does not continue what it remembers."""


def _request(view: LogView, known_size: int) -> bytes:
    size = view.head.size
    hashes = view.tree.consistency_proof(known_size, size) if 0 < known_size <= size else ()
    return dump_continuation(
        Continuation(old_size=known_size, hashes=hashes, checkpoint=dump_note(view.note))
    )


def _conflict(answer: Answer, view: LogView) -> int:
    """Give the size that a witness says it cosigned last."""
    text = answer.body.removesuffix(b"\n")
    if not (text.isdigit() and len(text) < 20):  # noqa: PLR2004 - digits of 2**63
        raise WitnessUnreachableError(f"it answered 409 with {answer.body[:40]!r}, which is no size")
    if int(text) > view.head.size:
        raise InconsistentError(
            f"it says that it cosigned {int(text)} entries, and this log has {view.head.size}"
        )
    return int(text)


def _take(name: str, exchange: Exchange, view: LogView) -> Cosigned:
    """Give the lines of an answer that are by this witness; they hold."""
    answer = exchange.answer
    if answer.status != OK:
        said = answer.body[:200].decode("utf-8", "replace").strip()
        kind = InconsistentError if answer.status == INCONSISTENT else WitnessUnreachableError
        raise kind(f"it answered {answer.status}: {said}")
    try:
        checkpoint = parse_continuation(exchange.request).checkpoint
        note = parse_note(checkpoint)
        lines = parse_note(checkpoint + answer.body).signatures[len(note.signatures) :]
    except (ProofFormError, NoteError) as error:
        raise WitnessUnreachableError(f"its answer cannot be read: {error}") from error
    mine = [witness for witness in view.policy.witnesses if witness.key.name == name]
    held = _held(Note(text=note.text, signatures=lines), mine)
    # An earlier request of ours may be answered first; what it asked about must be of this log, too.
    head = parse_checkpoint(note.text)
    if contradicts(head, view.tree):
        raise WitnessUnreachableError("it answered about a head that is not of this log")
    return Cosigned(note=note, lines=held)


def _held(note: Note, witnesses: Sequence[Witness]) -> tuple[NoteSignature, ...]:
    """Give the lines by these witnesses.

    Raises:
        NoteError: There is none, or one does not hold.
    """
    return verify_note(note, verifiers_of(witness.key for witness in witnesses))


def _contradicted(name: str, channel: Channel, view: LogView, said: str) -> Asked:
    """Look at what the witness remembers, and say what that means for this log."""
    head = None
    try:
        head = _remembered(name, channel, view)
    except (WitnessUnreachableError, NoteError) as error:
        said = f"{said} (what it remembers cannot be seen: {error})"
    if head is None:
        # Only its word, which pins nothing: anybody on the way could have said so.
        return Asked(name=name, size=0, problem=f"it does not cosign this log: {said}", refused=True)
    damage = contradicts(head, view.tree)
    if (
        damage is None
    ):  # what it shows is of this log: then its answer was wrong, and there is nothing to fear
        return Asked(name=name, size=head.size, problem=said)
    what = "a log" if damage is Damage.ROLLBACK else "another history"
    message = f"the witness {name} cosigned {what} of {head.size} entries"
    if damage is Damage.ROLLBACK:
        message += f", and this one has {view.tree.size}"
    return Asked(name=name, size=head.size, problem=message, damage=damage, seen=head)


def _remembered(name: str, channel: Channel, view: LogView) -> Checkpoint | None:
    """Give the head that a witness remembers of this log, signed by the log and by it."""
    origin = view.head.origin
    raw = channel.newest(hashlib.sha256(origin.encode()).hexdigest())
    if raw is None:
        return None
    note = parse_note(raw)
    head = parse_checkpoint(note.text)
    if head.origin != origin:
        raise WitnessUnreachableError("it shows a head of another log")
    verify_log(note, origin, view.policy.logs)
    _held(note, [witness for witness in view.policy.witnesses if witness.key.name == name])
    return head


class Slip(Struct, frozen=True, kw_only=True):
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


class SpoolChannel(Struct, frozen=True, kw_only=True):
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


def answer_spool(directory: str, box: Cosigner, now: datetime) -> Iterator[tuple[str, Outcome]]:
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


def _answer_one(directory: str, log: str, box: Cosigner, now: datetime) -> Answer | None:
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


class HttpChannel(Struct, frozen=True, kw_only=True):
    """A witness at an address.

    Attributes:
        url: Submission and monitoring prefix, without a slash at its end.
    """

    url: str

    def ask(self, request: bytes) -> Exchange:
        """Send a request; see :class:`Channel`."""
        status, body = self._exchange("POST", ADD_CHECKPOINT, request)
        return Exchange(request=request, answer=Answer(status=status, body=body))

    def newest(self, origin_sha256: str) -> bytes | None:
        """Return the newest head that the witness cosigned for a log."""
        status, body = self._exchange("GET", f"/{origin_sha256}/checkpoint")
        if status not in (HTTPStatus.OK, HTTPStatus.NOT_FOUND):
            raise WitnessUnreachableError(f"{self.url} answered {status}")
        return body if status == HTTPStatus.OK else None

    def _exchange(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        from nightledger.remote.transport import Caller, TransportError

        caller = Caller(url=self.url, max_bytes=MAX_ANSWER_BYTES, timeout_s=TIMEOUT_S, patience_s=PATIENCE_S)
        try:
            status, _, content = caller.exchange(method, path, body)
        except TransportError as error:
            raise WitnessUnreachableError(str(error)) from error
        return status, content
