"""How one text became another, as numbered changes of which any part can be rebuilt.

Invariant: the old text with no change in it is the old text, with all of them the new one,
byte for byte; lines that are no UTF-8 are lines like any other.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.proposal import Anchor, Hunk, Proposal
from nightledger.text.changes.diff import Run, changed_runs
from nightledger.text.markdown.document import (
    Document,
    is_utf8,
    parse_markdown,
    readable,
    section_at,
    section_of,
    split_lines,
)

if TYPE_CHECKING:
    from nightledger.text.changes.place import Unplaced

UNJOINED = 1 << 30
"""How many changes stay apart where each is one of an operator's edit."""
MOST_CHANGES = 50
"""More are joined with their neighbours: nobody answers hundreds of hunks one by one. Our choice."""


_MASKED = "[masked: "
"""Before the size of a secret, where one is masked: which ones are is for the scanners of that day."""


class Course(Struct, frozen=True, kw_only=True):
    """How a file went from some bytes to others.

    Attributes:
        old: Lines before, decoded with ``surrogateescape``.
        new: Lines after.
        runs: Where they differ, in order; change ``n`` is ``runs[n - 1]``.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    runs: tuple[Run, ...]

    def removed(self, n: int) -> str:
        """Give the lines that change ``n`` takes out."""
        run = self.runs[n - 1]
        return "".join(self.old[run.old_start : run.old_stop])

    def added(self, n: int) -> str:
        """Give the lines that change ``n`` puts in."""
        run = self.runs[n - 1]
        return "".join(self.new[run.new_start : run.new_stop])

    def steps(self) -> Iterator[tuple[int, str, str]]:
        """Yield each change's number, with the text that those before it leave and what it makes of that."""
        before = self.rebuild(())
        for n in range(1, len(self.runs) + 1):
            after = self.rebuild(range(1, n + 1))
            yield n, before, after
            before = after

    def rebuild(self, put_in: Collection[int]) -> str:
        """Give the old text with the changes of these numbers in it, and no other."""
        pieces: list[str] = []
        at = 0
        for n, run in enumerate(self.runs, 1):
            pieces += self.old[at : run.old_start]
            pieces.append(self.added(n) if n in put_in else self.removed(n))
            at = run.old_stop
        return "".join([*pieces, *self.old[at:]])


def trace(old: str, new: str, *, by_section: bool = False, most: int = MOST_CHANGES) -> Course:
    """Return how one text became the other.

    Args:
        old: The text before.
        new: The text after.
        by_section: Join what differs within a section, so that each change is all that differs in one section, or
            in those whose headings changed.
        most: Changes beyond this number are joined, those with the fewest lines between them first.
    """
    before, after = split_lines(old), split_lines(new)
    runs = changed_runs(before, after)
    if by_section:
        runs = _by_section(runs, parse_markdown(old), parse_markdown(new))
    return Course(old=tuple(before), new=tuple(after), runs=_joined(runs, most))


def trace_drift(accepted: str, present: str) -> Course:
    """Return how the accepted text became the one found: a change for each section that differs."""
    return trace(accepted, present, by_section=True)


def shows(proposal: Proposal, course: Course) -> bool:
    """Tell whether an item shows how a file drifted: each change as it is, those with something masked apart.

    Its maker saw to that; but whoever has the log's key can put another item into the log.
    """
    return len(proposal.changes) == len(course.runs) and all(
        _MASKED in change.hunk.removed + change.hunk.added
        or (change.hunk.removed, change.hunk.added)
        == (readable(course.removed(change.n)), readable(course.added(change.n)))
        for change in proposal.changes
    )


def _by_section(runs: Sequence[Run], old: Document, new: Document) -> tuple[Run, ...]:
    """Join runs that reach into one section of either text; a heading that changes reaches to the end of its subtree."""
    found: list[Run] = []
    reach: tuple[int, int] = (-1, -1)
    for run in runs:
        if found and (run.old_start < reach[0] or run.new_start < reach[1]):
            found[-1] = _glued(found[-1], run)
        else:
            found.append(run)
        ends = _reach(old, run.old_start, run.old_stop), _reach(new, run.new_start, run.new_stop)
        reach = max(reach[0], ends[0]), max(reach[1], ends[1])
    return tuple(found)


def _reach(document: Document, start: int, stop: int) -> int:
    """Return the line, from 0, at which the next section begins that does not depend on some lines."""
    lines = (start + 1, stop) if stop > start else (max(start, 1), start)
    ends = [section_at(document, line).body[1] for line in (lines[0], max(lines))]
    ends += [
        one.last_line
        for one in document.sections
        if stop > start and one.heading[0] <= stop and one.heading[1] > start
    ]
    return max(ends)


def _glued(first: Run, last: Run) -> Run:
    return replace(first, old_stop=last.old_stop, new_stop=last.new_stop)


def _joined(runs: Sequence[Run], most: int) -> tuple[Run, ...]:
    by_gap = sorted(range(1, len(runs)), key=lambda at: (runs[at].old_start - runs[at - 1].old_stop, at))
    glued = frozenset(by_gap[: max(0, len(runs) - most)])
    joined: list[Run] = []
    for at, run in enumerate(runs):
        joined.append(_glued(joined.pop(), run) if at in glued else run)
    return tuple(joined)


def hunks_between(before: str, after: str) -> "tuple[Hunk, ...] | Unplaced":
    """Return what was changed, one hunk for each run of changed lines, over the file as those before it leave it.

    Args:
        before: The document before, decoded.
        after: The document after, decoded.
    """
    from nightledger.text.changes.place import NOT_UTF8, Unplaced

    document = parse_markdown(before)
    old, new = split_lines(before), split_lines(after)
    hunks: list[Hunk] = []
    for run in changed_runs(old, new):
        section = section_of(document, run.old_start + 1, run.old_stop).path
        hunk = Hunk(
            anchor=Anchor.FILE_LINES,
            section=tuple(map(readable, section)),
            line=run.new_start,
            removed="".join(old[run.old_start : run.old_stop]),
            added="".join(new[run.new_start : run.new_stop]),
        )
        if not is_utf8(hunk.removed + hunk.added):
            return Unplaced(reason=NOT_UTF8)
        hunks.append(hunk)
    return tuple(hunks)
