"""The signed heads of a log as they lie on disk: by its own keys, and with what witnesses vouched for.

Invariant: a head is given out only when every key that was asked for has signed it and
no line by a known key is bad. ``audit/cosigned`` is the newest head that the quorum cosigned, with the newest times;
``audit/checkpoint`` has lines, too, while it is that head. ``audit/checkpoints/<size>`` keeps
the first times of heads that a proposal or a decision is first under. A time is
given out only for a head of this very log and only from lines that hold, so that who writes
these files can take times away and add none.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import Vouched
from nightledger.domain.errors import IntegrityError, MissingFileError, NightledgerError, UnreadableError
from nightledger.files.atomic import replace_file
from nightledger.files.durable import is_there, list_names, make_dir, read_optional, read_regular
from nightledger.files.home import Home
from nightledger.files.line_log import Appender
from nightledger.trust import note as notes
from nightledger.trust.merkle import Tree
from nightledger.trust.note import Checkpoint, NoMLDSAError, parse_checkpoint, parse_head, verifier_of
from nightledger.trust.policy import Policy, cosigned_times, verify_log
from nightledger.trust.report import Damage, contradicts

_LOCK_TIMEOUT_S = 10.0


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
    raw = read_regular(path, notes.MAX_NOTE_BYTES)
    note, checkpoint = _parse(path, raw, origin)
    wanted = vkeys(checkpoint.size) if callable(vkeys) else vkeys
    unchecked = _require_signed(path, note, wanted) if signatures else ()
    return SignedHead(checkpoint=checkpoint, raw=raw, unchecked=unchecked)


def read_anchor(path: str, origin: str, vkeys: Callable[[int], Sequence[str]]) -> Checkpoint:
    """Read a head that was kept elsewhere.

    Args:
        path: Its file.
        origin: The log that it must be of.
        vkeys: Returns the verifier keys of that log for a head of so many leaves, one of which must have signed it.

    Raises:
        UnsignedError: It is malformed or of another log.
        NoteError: This log has not signed it.
        UnreadableError: It cannot be read.
    """
    note, head = _parse(path, read_regular(path, notes.MAX_NOTE_BYTES), origin)
    verify_log(note, origin, tuple(map(notes.parse_vkey, vkeys(head.size))))
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
    raw = read_optional(path, notes.MAX_NOTE_BYTES)
    if raw is None:
        return None
    _, stated = _parse(path, raw, origin)
    return stated if stated.size >= known else None


def _parse(path: str, raw: bytes, origin: str) -> tuple[notes.Note, Checkpoint]:
    try:
        note, head = parse_head(raw)
    except notes.NoteError as error:
        raise UnsignedError(f"{path}: {error}") from error
    if head.origin != origin:
        raise UnsignedError(f"{path} is a head of another log: {head.origin[:80]!r}")
    return note, head


def _require_signed(path: str, note: notes.Note, vkeys: Sequence[str]) -> tuple[str, ...]:
    unchecked: list[str] = []
    for verifier in map(verifier_of, vkeys):
        try:
            notes.verify_note(note, [verifier])
        except NoMLDSAError:
            # The line stands there, else verify_note would have missed it before asking what it says:
            # who can strip or forge the other line gains nothing by our weakness.
            unchecked.append(f"the ML-DSA-44 line of {verifier.name}: this platform has no ML-DSA")
        except notes.NoteError as error:
            raise UnsignedError(f"{path}: key {verifier.key_id.hex()}: {error}") from error
    return tuple(unchecked)


def hold(home: Home) -> Appender:
    """Hold the log against other writers, for what must not change while a checkpoint does; a context manager.

    Raises:
        LockedError: When another run writes to the log for longer than 10 s.
        IntegrityError: When there is no log, or something else in its place.
    """
    try:
        return hold_open(Appender(home.audit_log, make=False))
    except MissingFileError as error:
        raise IntegrityError(f"{home.audit_log} is missing; a part of it was acknowledged") from error
    except UnreadableError as error:
        raise IntegrityError(
            f"{home.audit_log} is not a regular file", hint="put the log itself in its place"
        ) from error


def hold_open(log: Appender) -> Appender:
    """Hold a log that is open; it is closed again where that cannot be."""
    try:
        log.hold(_LOCK_TIMEOUT_S)
    except BaseException:
        log.close()
        raise
    return log


class CosignedHead(Struct, frozen=True, kw_only=True):
    """A head of this log with what witnesses of the policy say of it.

    Attributes:
        checkpoint: The head.
        raw: The note's bytes.
        times: For each witness that cosigned it, the time that it states; by the policy's names.
    """

    checkpoint: Checkpoint
    raw: bytes
    times: Mapping[str, datetime]


class Cosignatures:
    """The cosigned heads of a home, read when they are asked for.

    Attributes:
        policy: Whose lines count.
    """

    __slots__ = ("_home", "_tree", "policy")

    def __init__(self, home: Home, policy: Policy, tree: Tree) -> None:
        """Take a home, the policy in force, and the tree of its log as checked."""
        self.policy = policy
        self._home = home
        self._tree = tree

    def newest(self) -> tuple[CosignedHead, datetime] | None:
        """Give the head of this log that a quorum cosigned last, and when; None where there is none."""
        found = [(head, self.policy.last_seen(head.times)) for head in self.present()]
        timed = [(head, at) for head, at in found if at]
        return max(timed, key=lambda one: (one[1], one[0].checkpoint.size), default=None)

    def vouched(self, index: int) -> Vouched:
        """Say when a quorum first and last cosigned a head that a leaf is under.

        Args:
            index: The leaf, from 0.
        """
        kept = (head for size in kept_sizes(self._home) if size > index for head in self.kept(size))
        first = next((head for head in kept if self.policy.is_met(head.times.keys())), None)
        present = [head for head in self.present() if head.checkpoint.size > index]
        heads = [first, *present] if first else present
        # Where nobody kept the first one, the times of the newest head are late, never early.
        firsts = [self.policy.first_seen(head.times) for head in (heads[:1] if first else heads)]
        lasts = [self.policy.last_seen(head.times) for head in heads]
        return Vouched(
            first=min(filter(None, firsts), default=None), last=max(filter(None, lasts), default=None)
        )

    def kept_size(self) -> int:
        """Give the size of the largest head that is kept with a quorum's lines; 0 for none."""
        for size in reversed(kept_sizes(self._home)):
            if any(self.policy.is_met(head.times.keys()) for head in self.kept(size)):
                return size
        return 0

    def foreign(self) -> tuple[CosignedHead, Damage] | None:
        """Give a newest head that witnesses cosigned and this log does not continue, and what that means."""
        for path in (self._home.cosigned, self._home.checkpoint):
            head = _read(self._home, path, self.policy)
            damage = contradicts(head.checkpoint, self._tree) if head and head.times else None
            if head and damage:
                return head, damage
        return None

    def present(self) -> Iterator[CosignedHead]:
        """Give the newest heads of this log: the one that was cosigned last, and the checkpoint."""
        yield from self._read(self._home.cosigned)
        yield from self._read(self._home.checkpoint)

    def kept(self, size: int) -> Iterator[CosignedHead]:
        """Give the head that is kept under a size, where it has that size: names are anybody's to choose."""
        heads = self._read(os.path.join(self._home.checkpoints_dir, str(size)))
        yield from (head for head in heads if head.checkpoint.size == size)

    def _read(self, path: str) -> Iterator[CosignedHead]:
        head = _read(self._home, path, self.policy)
        if head and contradicts(head.checkpoint, self._tree) is None:
            yield head


def keep_lines(
    home: Home, policy: Policy, note: notes.Note, lines: Sequence[notes.NoteSignature], *, first: bool
) -> None:
    """Keep cosignatures of a head; on disk when this returns.

    Args:
        home: Whose.
        policy: Whose lines they are.
        note: The head that was cosigned, as its log signed it.
        lines: Lines by witnesses of the policy, which hold.
        first: Whether the times are to be kept for ever, because a proposal or a decision is under
            no earlier head.
    """
    head = parse_checkpoint(note.text)
    with hold(home):
        present = _note(home.checkpoint)
        if present and present.text == note.text:
            replace_file(home.checkpoint, notes.dump_note(_merged(_sound(present, note, policy), lines)))
        old = _note(home.cosigned)
        newest = _merged(_sound(old, note, policy), lines)
        if _is_better(newest, old, policy):
            replace_file(home.cosigned, notes.dump_note(newest))
        if first:
            make_dir(home.checkpoints_dir)
            path = os.path.join(home.checkpoints_dir, str(head.size))
            kept = _sound(_note(path), note, policy)
            replace_file(path, notes.dump_note(_merged(_merged(kept, lines), kept.signatures)))


def _sound(found: notes.Note | None, note: notes.Note, policy: Policy) -> notes.Note:
    """Give what lies there, for the lines it has, where it is of the same head and they hold; else the note."""
    if found is None or found.text != note.text:
        return note
    try:
        cosigned_times(found, policy)
    except notes.NoteError:
        return note
    return found


def _is_better(new: notes.Note, old: notes.Note | None, policy: Policy) -> bool:
    """Tell whether a note says more than the one that lies there: a later quorum, or no earlier one is lost."""
    if old is None or old.text == new.text:
        return True
    before, now = (policy.last_seen(_times(note, policy)) for note in (old, new))
    return before is None or (now is not None and now >= before)


def _merged(note: notes.Note, lines: Sequence[notes.NoteSignature]) -> notes.Note:
    """Give a note with lines added; a line of the same key is replaced where it stands."""
    merged = {(line.name, line.key_id): line for line in (*note.signatures, *lines)}
    return replace(note, signatures=tuple(merged.values()))


def _times(note: notes.Note, policy: Policy) -> Mapping[str, datetime]:
    try:
        return cosigned_times(note, policy)
    except NightledgerError:
        return {}


def _note(path: str) -> notes.Note | None:
    try:
        raw = read_optional(path, notes.MAX_NOTE_BYTES)
        return notes.parse_note(raw) if raw else None
    except NightledgerError:
        return None


def _read(home: Home, path: str, policy: Policy) -> CosignedHead | None:
    """Read a head; None for one that proves nothing: missing, malformed, of another log, badly cosigned."""
    try:
        raw = read_optional(path, notes.MAX_NOTE_BYTES)
        if not raw:
            return None
        note, head = parse_head(raw)
        times = cosigned_times(note, policy)
    except NightledgerError:
        return None
    if head.origin != home.identity.origin:
        return None
    return CosignedHead(checkpoint=head, raw=notes.dump_note(note), times=times)


def kept_paths(home: Home) -> list[str]:
    """Return the files in which heads are kept, by the sizes that their names say; the names alone are looked at."""
    if not os.path.isdir(home.checkpoints_dir):
        return []
    names = [name for name in list_names(home.checkpoints_dir) if name.isdecimal()]
    return [os.path.join(home.checkpoints_dir, name) for name in sorted(names, key=int)]


def kept_sizes(home: Home) -> list[int]:
    """Return the sizes under which heads are kept, ascending, as their names say."""
    return [int(os.path.basename(path)) for path in kept_paths(home)]
