"""Ask one witness to cosign a head of this log (C2SP tlog-witness over HTTP), and judge its answer.

Invariant: a line is taken only when it holds for the very head that was asked for. When a
witness remembers a head that this log does not continue, that is told with the head
itself where the witness shows it: the log was cut, or there are two of it. Nothing is believed for where it
came from, so plain HTTP costs no more than that others can see how long the log is.
"""

import hashlib
from http import HTTPStatus

from msgspec import Struct

from nightledger.domain.errors import IntegrityError
from nightledger.remote.cosigner import CONFLICT, INCONSISTENT, OK
from nightledger.remote.transport import Caller, TransportError
from nightledger.trust.checkpoint import Checkpoint, parse_checkpoint, parse_head, verifiers_of
from nightledger.trust.merkle import Tree
from nightledger.trust.note import Note, NoteError, NoteSignature, dump_note, parse_note, verify_note
from nightledger.trust.policy import Policy, verify_log
from nightledger.trust.proof import Continuation, dump_continuation
from nightledger.trust.report import Damage, contradicts

TIMEOUT_S = 5.0
"""For each step of a connection; a night must not wait for a machine that is off. Our choice."""
PATIENCE_S = 20.0
"""For a request and its answer: a witness that drips must not hold up the others, and what waits for them."""
MAX_ANSWER_BYTES = 1 << 18
ADD_CHECKPOINT = "/add-checkpoint"
_TRIES = 2
"""A witness that says where it stands is asked once more from there."""


class InconsistentError(IntegrityError):
    """A witness says that this log does not continue what it remembers."""


class Asked(Struct, frozen=True, kw_only=True):
    """What came of asking one witness.

    Attributes:
        name: Name of its keys.
        size: The size that it cosigned last, as far as is known; 0 where nothing is.
        lines: Lines it gave for the head.
        problem: Why it gave none; empty where it did.
        refused: Whether it says that this log does not continue what it remembers, and shows no head for it.
        damage: What it means that it remembers what this log does not continue: ROLLBACK, when it saw a longer log;
            FORK, when it saw another one; None where it does not.
        seen: The head that it remembers then, signed by the log and the witness.
    """

    name: str
    size: int
    lines: tuple[NoteSignature, ...] = ()
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


def ask_witness(name: str, url: str, view: LogView, known_size: int) -> Asked:
    """Ask one witness to cosign the newest head.

    Args:
        name: Name of its keys in the policy.
        url: Its submission and monitoring prefix.
        view: What is to be cosigned.
        known_size: The size that it cosigned last, as far as is known; 0 where nothing is.
    """
    size = known_size if known_size <= view.head.size else 0  # a log that was longer once: let it say so
    try:
        for _ in range(_TRIES):
            status, _, body = _caller(url).exchange("POST", ADD_CHECKPOINT, _request(view, size))
            if status != CONFLICT:
                return Asked(name=name, size=view.head.size, lines=_take(name, status, body, view))
            size = _conflict(body, view)
    except InconsistentError as error:
        return _contradicted(name, url, view, str(error))
    except (TransportError, NoteError) as error:
        return Asked(name=name, size=size, problem=str(error))
    return Asked(name=name, size=size, problem="it gave no line for this head")


def newest_head(url: str, origin: str) -> bytes | None:
    """Return the newest head that a witness cosigned for a log; None where it does not show any.

    Raises:
        TransportError: Nobody answered in time, or nothing that a witness would say.
    """
    path = f"/{hashlib.sha256(origin.encode()).hexdigest()}/checkpoint"
    status, _, body = _caller(url).exchange("GET", path)
    if status not in (HTTPStatus.OK, HTTPStatus.NOT_FOUND):
        raise TransportError(f"{url} answered {status}")
    return body if status == HTTPStatus.OK else None


def _caller(url: str) -> Caller:
    return Caller(url=url, max_bytes=MAX_ANSWER_BYTES, timeout_s=TIMEOUT_S, patience_s=PATIENCE_S)


def _request(view: LogView, known_size: int) -> bytes:
    hashes = view.tree.consistency_proof(known_size, view.head.size) if known_size else ()
    return dump_continuation(
        Continuation(old_size=known_size, hashes=hashes, checkpoint=dump_note(view.note))
    )


def _conflict(body: bytes, view: LogView) -> int:
    """Return the size that a witness says it cosigned last."""
    text = body.removesuffix(b"\n")
    if not (text.isdigit() and len(text) < 20):  # noqa: PLR2004 - digits of 2**63
        raise TransportError(f"it answered 409 with {body[:40]!r}, which is no size")
    if int(text) > view.head.size:
        raise InconsistentError(
            f"it says that it cosigned {int(text)} entries, and this log has {view.head.size}"
        )
    return int(text)


def _take(name: str, status: int, body: bytes, view: LogView) -> tuple[NoteSignature, ...]:
    """Return the lines of an answer that are by this witness; they hold."""
    if status != OK:
        said = body[:200].decode("utf-8", "replace").strip()
        kind = InconsistentError if status == INCONSISTENT else TransportError
        raise kind(f"it answered {status}: {said}")
    whole = parse_note(dump_note(view.note) + body)
    return _held(name, Note(text=whole.text, signatures=whole.signatures[len(view.note.signatures) :]), view)


def _held(name: str, note: Note, view: LogView) -> tuple[NoteSignature, ...]:
    """Return the lines by a witness.

    Raises:
        NoteError: There is none, or one does not hold.
    """
    return verify_note(
        note, verifiers_of(witness.key for witness in view.policy.witnesses if witness.key.name == name)
    )


def _contradicted(name: str, url: str, view: LogView, said: str) -> Asked:
    """Look at what the witness remembers, and say what that means for this log."""
    head = None
    try:
        head = _remembered(name, url, view)
    except (TransportError, NoteError) as error:
        said = f"{said} (what it remembers cannot be seen: {error})"
    if head is None:
        # Only its word, which pins nothing: anybody on the way could have said so.
        return Asked(name=name, size=0, problem=f"it does not cosign this log: {said}", refused=True)
    damage = contradicts(head, view.tree)
    if damage is None:  # what it shows is of this log: its answer was wrong, and there is nothing to fear
        return Asked(name=name, size=head.size, problem=said)
    what = "a log" if damage is Damage.ROLLBACK else "another history"
    message = f"the witness {name} cosigned {what} of {head.size} entries"
    if damage is Damage.ROLLBACK:
        message += f", and this one has {view.tree.size}"
    return Asked(name=name, size=head.size, problem=message, damage=damage, seen=head)


def _remembered(name: str, url: str, view: LogView) -> Checkpoint | None:
    """Return the head that a witness remembers of this log, signed by the log and by it."""
    origin = view.head.origin
    raw = newest_head(url, origin)
    if raw is None:
        return None
    note, head = parse_head(raw)
    if head.origin != origin:
        raise TransportError("it shows a head of another log")
    verify_log(note, origin, view.policy.logs)
    _held(name, note, view)
    return head
