"""Change a file around what drifted in it: what is signed goes in, what is not stays unsigned.

Invariant: a write to a file that holds drift leaves that drift as it was, neither lost nor
accepted. Beside the bytes of the file there are the *accepted* bytes: those that the operator
signed. The same change is made to both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from nightledger.domain.errors import IntegrityError, MissingBlobError
from nightledger.domain.proposal import Change
from nightledger.domain.states import Book
from nightledger.files.blobs import BlobStore
from nightledger.files.home import Home
from nightledger.gate.proposing.hunks import why_not
from nightledger.text.changes.course import trace
from nightledger.text.changes.diff import changed_runs
from nightledger.text.changes.merge import Merged, merge3
from nightledger.text.changes.place import Applied, apply_hunks
from nightledger.text.changes.standing import effect_between, shown_between
from nightledger.text.markdown.document import is_blank, split_lines

TOUCHES = "it touches lines that were changed outside the gate: answer these first ('nightledger review')"

ELSEWHERE = (
    "a heading above its lines was changed outside the gate, and they would be accepted under another: answer that "
    "first ('nightledger review')"
)

LOST = "what was accepted before is kept nowhere, so nobody can tell what drifted: settle that first ('nightledger review')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What signed changes make of a file, and what they would make of its accepted bytes.

    Attributes:
        after: New bytes of the file.
        accepted: New accepted bytes.
        stale: For each change that has no place in the file any more, its number and why.
        waiting: For each change that touches drift, its number and why.
    """

    after: bytes
    accepted: bytes
    stale: tuple[tuple[int, str], ...]
    waiting: tuple[tuple[int, str], ...]


def read_accepted(home: Home, book: Book, path: str) -> bytes | None:
    """Give the bytes of a file that were accepted last; None where they were never kept, or the log names none."""
    return read_bytes(home, book.accepted_of(path))


def read_bytes(home: Home, sha256: str | None) -> bytes | None:
    """Give the bytes of a hex SHA-256 that the log names; None where they are not kept, or it names none."""
    try:
        return None if sha256 is None else BlobStore(home.blobs_dir).get(sha256)
    except (MissingBlobError, IntegrityError, ValueError):  # ValueError: what stands there is no hash
        return None


def place_around(accepted: bytes, present: bytes, changes: Sequence[Change]) -> Around:
    """Place each change that leaves the drift as it is; name those that touch it, and those without a place.

    A change touches the drift when it has no place in the accepted bytes, or when what drifted
    would not be the same lines afterwards, blank ones apart.

    Args:
        accepted: The bytes accepted last.
        present: The bytes of now.
        changes: As signed, in their order.
    """
    mine, theirs = _text(accepted), _text(present)
    drift = drifted_lines(mine, theirs)
    placed: list[Change] = []
    stale: list[tuple[int, str]] = []
    waiting: list[tuple[int, str]] = []
    best = (mine, theirs)
    for change in changes:
        hunks = [*(other.hunk for other in placed), change.hunk]
        signed, now = apply_hunks(mine, hunks), apply_hunks(theirs, hunks)
        if not isinstance(now, Applied):
            stale.append((change.n, why_not(now)))
        elif isinstance(signed, Applied) and drifted_lines(signed.text, now.text) == drift:
            placed.append(change)
            best = (signed.text, now.text)
        else:
            waiting.append((change.n, TOUCHES))
    return Around(accepted=_bytes(best[0]), after=_bytes(best[1]), stale=tuple(stale), waiting=tuple(waiting))


def drifted_lines(accepted: str, present: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the lines that drift took out and those that it put in, in order, without blank ones."""
    old, new = split_lines(accepted), split_lines(present)
    runs = changed_runs(old, new)
    gone = (line for run in runs for line in old[run.old_start : run.old_stop])
    come = (line for run in runs for line in new[run.new_start : run.new_stop])
    return (
        tuple(line for line in gone if not is_blank(line)),
        tuple(line for line in come if not is_blank(line)),
    )


def carry(accepted: bytes, before: bytes, after: bytes) -> bytes:
    """Make to the accepted bytes what the operator did to the file, as far as drift is not in the way.

    For an operator's own edit and undo. Where they took drifted lines out, these are settled.
    Where they changed them, the lines stay drift as they now are, and are asked about: a
    signature over an edit says nothing about the lines beside it.
    """
    course = trace(_text(before), _text(after))
    text, step = _text(accepted), course.rebuild(())
    for n in range(1, len(course.runs) + 1):
        following = course.rebuild(range(1, n + 1))
        merged = merge3(step, following, text)
        text = merged.text if isinstance(merged, Merged) else text
        step = following
    return _bytes(text)


def lands_elsewhere(before: bytes, after: bytes, accepted: bytes, carried: bytes) -> bool:
    """Tell whether :func:`carry` put lines under other headings of the accepted bytes than those of the file.

    The operator saw the file: its drifted headings, not the accepted ones.
    """
    seen = shown_between(_text(before), _text(after))
    return bool(effect_between(_text(accepted), _text(carried)) - seen)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
