"""Heads of a log that somebody kept elsewhere, and what they say of the log that is here.

Invariant: a head accuses a log only when that log's own key signed it.
"""

from collections.abc import Callable, Sequence

from nightledger.files.reading import read_regular
from nightledger.trust.checkpoint import Checkpoint, parse_checkpoint
from nightledger.trust.merkle import Tree
from nightledger.trust.note import MAX_NOTE_BYTES, NoteError, parse_note, parse_vkey
from nightledger.trust.policy import verify_log
from nightledger.trust.report import Damage


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


def contradicts(head: Checkpoint, tree: Tree) -> Damage | None:
    """Say what a genuine head means for the log that is here.

    Returns:
        ROLLBACK where that log was longer, FORK where it was another one, None where this log continues it.
    """
    if head.size > tree.size:
        return Damage.ROLLBACK
    return None if tree.root(head.size) == head.root else Damage.FORK
