"""Ask witnesses to cosign a head of this log, and judge what they answer.

Invariant: a line is taken only when it holds for the very head that was asked for. When a
witness remembers a head that this log does not continue, that is told with the head
itself where the witness shows it: the log was cut, or there are two of it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.trust.anchor import contradicts
from nightledger.trust.checkpoint import Checkpoint, parse_checkpoint
from nightledger.trust.cosignature import COSIGNATURE_MLDSA44, has_mldsa, verifier_of
from nightledger.trust.merkle import Tree
from nightledger.trust.note import Note, NoteError, NoteSignature, dump_note, parse_note, verify_note
from nightledger.trust.policy import Policy, Witness, verify_log
from nightledger.trust.proof import Continuation, ProofFormError, dump_continuation, parse_continuation
from nightledger.trust.report import Damage
from nightledger.trust.witness import CONFLICT, INCONSISTENT, OK, Answer

MAX_TRIES = 3
"""A witness that says where it stands is asked once more from there; a spool may answer an older request first."""


class WitnessUnreachableError(NightledgerError):
    """A witness did not answer as one; its lines are missing, and nothing else is held up by that."""

    hint = "see whether it runs and whether its address in operator.yaml is right"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Cosigned:
    """Lines that a witness gave for a head."""

    note: Note
    lines: tuple[NoteSignature, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """A witness remembers what this log does not continue.

    Attributes:
        damage: ROLLBACK, when the witness saw a longer log; FORK, when it saw another one.
        message: One sentence.
        head: The head it remembers, signed by the log and the witness.
    """

    damage: Damage
    message: str
    head: Checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of asking one witness.

    Attributes:
        name: Name of its keys.
        size: The size that it cosigned last, as far as is known; 0 where nothing is.
        cosigned: Lines it gave, in the order in which it gave them.
        waiting: Whether its answer comes later.
        problem: Why it gave none; empty where it did or will.
        refused: Whether it says that this log does not continue what it remembers, and shows no head for it.
        contradiction: What it remembers instead, if it does.
    """

    name: str
    size: int
    cosigned: tuple[Cosigned, ...] = ()
    waiting: bool = False
    problem: str = ""
    refused: bool = False
    contradiction: Contradiction | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogView:
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
    usable = [w for w in witnesses if w.key.key_type != COSIGNATURE_MLDSA44 or has_mldsa()]
    return verify_note(note, [verifier_of(witness.key.dump()) for witness in usable])


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
    if damage is Damage.ROLLBACK:
        message = (
            f"the witness {name} cosigned a log of {head.size} entries, and this one has {view.tree.size}"
        )
    else:
        message = f"the witness {name} cosigned another history of {head.size} entries"
    contradiction = Contradiction(damage=damage, message=message, head=head)
    return Asked(name=name, size=head.size, problem=message, contradiction=contradiction)


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
