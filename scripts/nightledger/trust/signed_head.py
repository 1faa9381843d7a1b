"""A checkpoint on disk: read with its signatures checked, or with what is wrong with it.

Invariant: a head is given out only when every key that was asked for has signed it and
no line by a known key is bad.
"""

from collections.abc import Callable, Sequence

from msgspec import Struct

from nightledger.domain.errors import IntegrityError
from nightledger.files.durable import is_there
from nightledger.files.reading import read_optional, read_regular
from nightledger.trust.checkpoint import Checkpoint, parse_checkpoint
from nightledger.trust.cosignature import NoMLDSAError, verifier_of
from nightledger.trust.note import (
    MAX_NOTE_BYTES,
    Note,
    NoteError,
    NoteVerifier,
    parse_note,
    parse_vkey,
    verify_note,
)
from nightledger.trust.policy import verify_log


class UnsignedError(IntegrityError):
    """A checkpoint is missing, malformed or not signed as it must be."""


class SignedHead(Struct, frozen=True, kw_only=True):
    """A checkpoint whose signatures hold.

    Attributes:
        checkpoint: The head.
        raw: The file's bytes.
        unchecked: Key names and kinds that this platform could not check, for the report.
    """

    checkpoint: Checkpoint
    raw: bytes
    unchecked: tuple[str, ...] = ()


def read_signed_head(
    path: str, origin: str, vkeys: Sequence[str] | Callable[[int], Sequence[str]], *, signatures: bool = True
) -> SignedHead:
    """Read a checkpoint and check it.

    Args:
        path: Its file.
        origin: The log that it must be of.
        vkeys: Verifier keys, each of which must have signed; or what returns those of a head of so many leaves.
        signatures: Also check the signatures; without, its form and origin only.

    Raises:
        UnsignedError: When it is missing, malformed, of another log, or not signed by each key.
    """
    if not is_there(path):
        raise UnsignedError(f"{path} is missing")
    raw = read_regular(path, MAX_NOTE_BYTES)
    try:
        note = parse_note(raw)
        checkpoint = parse_checkpoint(note.text)
        _require_origin(path, checkpoint, origin)
        wanted = vkeys(checkpoint.size) if callable(vkeys) else vkeys
        unchecked = _require_signed(note, wanted) if signatures else ()
    except NoteError as error:
        raise UnsignedError(f"{path}: {error}") from error
    return SignedHead(checkpoint=checkpoint, raw=raw, unchecked=unchecked)


def read_anchor(path: str, origin: str, vkeys: Callable[[int], Sequence[str]]) -> Checkpoint:
    """Read a head that was kept elsewhere.

    Args:
        path: Its file.
        origin: The log that it must be of.
        vkeys: Returns the verifier keys of that log for a head of so many leaves, one of which must have signed it.

    Raises:
        NoteError: It is malformed, of another log, or not signed by this one.
        UnreadableError: It cannot be read.
    """
    note = parse_note(read_regular(path, MAX_NOTE_BYTES))
    head = parse_checkpoint(note.text)
    if head.origin != origin:
        raise NoteError(f"{path} is a head of another log: {head.origin[:80]!r}")
    verify_log(note, origin, tuple(map(parse_vkey, vkeys(head.size))))
    return head


def read_stated_head(path: str, origin: str, *, known: int) -> Checkpoint | None:
    """Read what a checkpoint states, whoever signed it, where that is no less than what is known.

    Args:
        path: Its file.
        origin: The log that it must be of.
        known: How many leaves whoever asks knows of.

    Returns:
        The head; None where there is none, or it is over fewer leaves.

    Raises:
        UnsignedError: When it is malformed or of another log.
    """
    raw = read_optional(path, MAX_NOTE_BYTES)
    if raw is None:
        return None
    try:
        stated = parse_checkpoint(parse_note(raw).text)
    except NoteError as error:
        raise UnsignedError(f"{path}: {error}") from error
    _require_origin(path, stated, origin)
    return stated if stated.size >= known else None


def _require_origin(path: str, checkpoint: Checkpoint, origin: str) -> None:
    if checkpoint.origin != origin:
        raise UnsignedError(f"{path} is a head of another log: {checkpoint.origin[:80]!r}")


def _require_signed(note: Note, vkeys: Sequence[str]) -> tuple[str, ...]:
    unchecked: list[str] = []
    for verifier in map(verifier_of, vkeys):
        try:
            _require_line(note, verifier)
        except NoMLDSAError:
            # The line stands there, else verify_note would have missed it before asking what it says:
            # who can strip or forge the other line gains nothing by our weakness.
            unchecked.append(f"the ML-DSA-44 line of {verifier.name}: this platform has no ML-DSA")
    return tuple(unchecked)


def _require_line(note: Note, verifier: NoteVerifier) -> None:
    try:
        verify_note(note, [verifier])
    except NoteError as error:
        raise NoteError(f"key {verifier.key_id.hex()}: {error}") from error
