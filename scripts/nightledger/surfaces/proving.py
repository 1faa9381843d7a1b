"""Proofs out of a home: which head they are made under, and what they hold."""

import os
import shlex

from msgspec import Struct

from nightledger.domain.errors import IntegrityError, RefusedError, UsageError
from nightledger.domain.words import number_of
from nightledger.files.reading import read_optional
from nightledger.gate.integrity.witnessing import find_leaves, read_policy
from nightledger.surfaces.session import Session
from nightledger.trust.checkpoint import Checkpoint, parse_checkpoint
from nightledger.trust.heads import read_anchor
from nightledger.trust.note import MAX_NOTE_BYTES, NoteError, parse_note
from nightledger.trust.pin import read_pin
from nightledger.trust.policy import Policy, cosigned_times
from nightledger.trust.report import contradicts


class Head(Struct, frozen=True, kw_only=True):
    """A signed head of a home's log.

    Attributes:
        checkpoint: What it says.
        raw: The note's bytes.
        cosigned: Whether the policy's quorum cosigned it; True where it asks for nobody.
    """

    checkpoint: Checkpoint
    raw: bytes
    cosigned: bool


def newest_head(session: Session, *, over: int = 0) -> Head:
    """Give the head that proofs are made under: the newest that the quorum cosigned, else the newest.

    Args:
        session: The home.
        over: How many lines it must cover.

    Raises:
        RefusedError: No signed head covers so many.
    """
    policy = read_policy(session.gate.home, session.ledger, session.moment)
    home = session.gate.home
    heads = [head for path in (home.cosigned, home.checkpoint) if (head := _read(session, path, policy))]
    fit = [head for head in heads if head.checkpoint.size >= over]
    if not fit:
        raise RefusedError(
            f"no signed head covers line {over} yet",
            hint="the run that wrote it signs one at its end; try again in a moment",
        )
    return max(fit, key=lambda head: (head.cosigned, head.checkpoint.size))


def head_at(session: Session, size: int) -> Head:
    """Give a signed head of this size.

    Raises:
        UsageError: None of this size is kept.
    """
    home = session.gate.home
    policy = read_policy(home, session.ledger, session.moment)
    kept = os.path.join(home.checkpoints_dir, str(size))
    for path in (home.cosigned, home.checkpoint, kept):
        head = _read(session, path, policy)
        if head and head.checkpoint.size == size:
            return head
    raise UsageError(
        f"no signed head of {size} entries is kept", hint="leave NEW out: then the newest head is proved"
    )


def size_of(session: Session, text: str) -> int:
    """Give the size that is meant: a number, or that of a checkpoint's file, which must be of this log.

    Raises:
        UsageError: The log never had that size.
        NoteError: The file holds no head that this log signed.
        IntegrityError: It holds one that this log does not continue.
    """
    tree = session.ledger.log.tree
    if text.isdecimal():
        if not 0 < number_of(text) <= tree.size:
            raise UsageError(f"the log has {tree.size} entries, not {text}", hint="name a size from 1")
        return number_of(text)
    pin = read_pin(session.gate.ring, session.gate.home.identity.id)
    head = read_anchor(text, pin.origin, pin.signed_by)
    damage = contradicts(head, tree)
    if damage is not None:
        raise IntegrityError(
            f"{damage.value.upper()} {text}: this log of {tree.size} entries does not continue that head of {head.size}",
            hint=f"nightledger verify --against {shlex.quote(text)}",
        )
    return head.size


def place_of(session: Session, text: str) -> int:
    """Return the entry that is meant: by its number, or the last one that an id, or its beginning, has of its own.

    Raises:
        UsageError: There is none, or more than one id begins so.
    """
    log = session.ledger.log
    if not text.isdecimal():
        return find_leaves(log, _whole_id(session, text))[-1]
    if number_of(text) >= log.size:
        raise UsageError(f"the log has no entry {text}", hint=f"its last one is {log.size - 1}")
    return number_of(text)


def _whole_id(session: Session, text: str) -> str:
    book = session.ledger.book
    found = [name for name in (*book.proposals, *book.decisions, *book.applies) if name.startswith(text)]
    if len(found) > 1 and text not in found:
        raise UsageError(f"{text!r} fits {len(found)} ids", hint="give more of the id")
    return found[0] if len(found) == 1 else text


def _read(session: Session, path: str, policy: Policy) -> Head | None:
    raw = read_optional(path, MAX_NOTE_BYTES)
    if raw is None:
        return None
    try:
        note = parse_note(raw)
        found = parse_checkpoint(note.text)
        cosigned = policy.is_met(cosigned_times(note, policy).keys())
    except NoteError:
        return None
    here = contradicts(found, session.ledger.log.tree) is None
    mine = found.origin == session.gate.home.identity.origin
    return Head(checkpoint=found, raw=raw, cosigned=cosigned) if here and mine else None
