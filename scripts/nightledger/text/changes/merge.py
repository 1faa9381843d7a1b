r"""Three-way merge by lines, and taking one change back while later edits survive.

Invariant: a merge never guesses. Changes of both sides that overlap are a conflict,
unless they are the same change.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nightledger.text.changes.diff import Run, changed_runs
from nightledger.text.markdown.document import is_blank, split_lines, usual_line_end


class Merged(Struct, frozen=True, kw_only=True):
    """Both sides' changes in one text.

    Attributes:
        text: The result.
    """

    text: str


class Span(Struct, frozen=True, kw_only=True):
    """Lines that both sides changed, each in its own way.

    Attributes:
        first_line: First line in ours, from 1.
        last_line: Last line in ours; ``first_line - 1`` where ours has none.
        base: The lines before either change.
        ours: What ours made of them.
        theirs: What theirs made of them.
    """

    first_line: int
    last_line: int
    base: str
    ours: str
    theirs: str


class Conflict(Struct, frozen=True, kw_only=True):
    """Texts that cannot be merged without a decision.

    Attributes:
        spans: Every place, in order.
    """

    spans: tuple[Span, ...]


class _Sides(Struct, frozen=True, kw_only=True):
    """The lines of three texts."""

    base: Sequence[str]
    ours: Sequence[str]
    theirs: Sequence[str]


def merge3(base: str, ours: str, theirs: str, *, theirs_first: bool = False) -> Merged | Conflict:
    r"""Merge what ``theirs`` changed since ``base`` into ``ours``.

    To undo a change: ``base`` is the file after it, ``theirs`` the file before it, ``ours``
    the file now. Changes that only touch (one ends where the other begins) do not conflict:
    two additions at one place do, as their order is open. A missing final newline is kept
    apart from the last line's text, so that adding a line after it is no change to it.

    Args:
        base: What both sides come from.
        ours: One side.
        theirs: The other side.
        theirs_first: Settle the order of two additions at one place, theirs before ours.
    """
    if theirs in {ours, base} or ours == base:
        return Merged(text=theirs if ours == base else ours)
    three = (base, ours, theirs)
    closed = [closed_lines(text, three) for text in three]
    sides = _Sides(base=closed[0], ours=closed[1], theirs=closed[2])
    merged = _merge_lines(sides, theirs_first=theirs_first)
    if isinstance(merged, Conflict):
        return merged
    return Merged(text=_reopened(merged, three, closed))


def closed_lines(text: str, three: Sequence[str]) -> list[str]:
    """Give a text's lines, its last one ended as the same line elsewhere is, else as most are.

    Args:
        text: One version of a file.
        three: All versions of it.
    """
    lines = split_lines(text)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += _likely_end(lines[-1], three)
    return lines


def _likely_end(line: str, three: Sequence[str]) -> str:
    if any(text.endswith("\r") for text in three):
        return "\n"  # a carriage return that is no line end must not become one
    others = {other for text in three for other in split_lines(text)}
    likely = [end for end in ("\n", "\r\n") if line + end in others]
    return likely[0] if likely else usual_line_end(split_lines("".join(three)))


def _reopened(merged: list[str], three: Sequence[str], closed: Sequence[list[str]]) -> str:
    """Take the final newline away where one side did, or none had one, and its last line is still last."""
    open_ended = [bool(text) and not text.endswith("\n") for text in three]
    base, ours, theirs = open_ended
    if merged and (theirs if ours == base else ours):
        for text, lines, is_open in zip(three, closed, open_ended, strict=True):
            if is_open and lines[-1] == merged[-1]:
                return "".join([*merged[:-1], split_lines(text)[-1]])
    return "".join(merged)


def _merge_lines(sides: _Sides, *, theirs_first: bool) -> list[str] | Conflict:
    """Merge with the first arrangement of runs that has no conflict, else tell the first's."""
    tried = [_merge_runs(sides, *runs, theirs_first=theirs_first) for runs in _arrangements(sides)]
    return next((merged for merged in tried if not isinstance(merged, Conflict)), tried[0])


def _arrangements(sides: _Sides) -> Iterator[tuple[Sequence[Run], Sequence[Run]]]:
    """Give ways to say the same changes: where lines repeat, a run has several places to stand."""
    mine, other = changed_runs(sides.base, sides.ours), changed_runs(sides.base, sides.theirs)
    moved = _dodging(other, mine, sides.base, sides.theirs)
    yield _dodging(mine, moved, sides.base, sides.ours), moved
    yield _packed(sides, mine, other)


def _merge_runs(
    sides: _Sides, mine: Sequence[Run], other: Sequence[Run], *, theirs_first: bool
) -> list[str] | Conflict:
    merged: list[str] = []
    spans: list[Span] = []
    at = 0
    for group in _groups(mine, other):
        start, stop = group.bounds()
        merged.extend(sides.base[at:start])
        ours = _side(sides.base, sides.ours, group.mine, start, stop)
        theirs = _side(sides.base, sides.theirs, group.other, start, stop)
        both = bool(group.mine and group.other) and ours != theirs
        if both and theirs_first and start == stop:
            ours = [*theirs, *ours]
        elif both:
            first = start + group.mine[0].new_start - group.mine[0].old_start + 1
            spans.append(_span(first, sides.base[start:stop], ours, theirs))
        merged.extend(ours if group.mine else theirs)
        at = stop
    merged.extend(sides.base[at:])
    return Conflict(spans=tuple(spans)) if spans else merged


def _span(first: int, base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Span:
    return Span(
        first_line=first,
        last_line=first + len(ours) - 1,
        base="".join(base),
        ours="".join(ours),
        theirs="".join(theirs),
    )


class _Group(Struct, frozen=True, kw_only=True):
    """Runs of the two sides that overlap each other."""

    mine: list[Run]
    other: list[Run]

    def bounds(self) -> tuple[int, int]:
        runs = [*self.mine, *self.other]
        return min(run.old_start for run in runs), max(run.old_stop for run in runs)


def _groups(mine: Sequence[Run], other: Sequence[Run]) -> Iterator[_Group]:
    """Walk both sides in order; runs that clash, directly or through a third, come together."""
    waiting = deque(sorted([(run, 0) for run in mine] + [(run, 1) for run in other], key=_position))
    while waiting:
        taken: tuple[list[Run], list[Run]] = ([], [])
        run, side = waiting.popleft()
        taken[side].append(run)
        while waiting and any(_clash(waiting[0][0], run) for run in taken[1 - waiting[0][1]][-1:]):
            run, side = waiting.popleft()
            taken[side].append(run)
        yield _Group(mine=taken[0], other=taken[1])


def _position(run_of_side: tuple[Run, int]) -> tuple[int, int, int]:
    run, side = run_of_side
    return run.old_start, run.old_stop, side


def _clash(one: Run, two: Run) -> bool:
    """Whether two sides' runs cannot stand side by side: they share lines, or one place."""
    if one.old_start == two.old_start and one.old_stop == two.old_stop:
        return True
    return one.old_start < two.old_stop and two.old_start < one.old_stop


def _side(base: Sequence[str], side: Sequence[str], runs: Sequence[Run], start: int, stop: int) -> list[str]:
    """Give what one side made of ``base[start:stop]``."""
    lines: list[str] = []
    at = start
    for run in runs:
        lines.extend(base[at : run.old_start])
        lines.extend(side[run.new_start : run.new_stop])
        at = run.old_stop
    return [*lines, *base[at:stop]]


def _dodging(
    runs: Sequence[Run], fixed: Sequence[Run], base: Sequence[str], side: Sequence[str]
) -> list[Run]:
    """Move pure additions and removals up, where they read the same, until they clash with no fixed run."""
    starts = [run.old_start for run in fixed]
    dodged: list[Run] = []
    for run in runs:
        border = dodged[-1].old_stop if dodged else 0
        moved: Run | None = _without_gap(run, fixed, starts, base)
        while moved is not None and _clashes(moved, fixed, starts):
            moved = _one_up(moved, base, side, border)
        dodged.append(moved or run)
    return dodged


def _without_gap(run: Run, fixed: Sequence[Run], starts: Sequence[int], base: Sequence[str]) -> Run:
    """Leave off the blank lines at a removal's end where the other side put new lines before them.

    The gap then parts the new lines from what follows, as it did the removed ones.
    """
    at = run.old_stop
    while at > run.old_start and is_blank(base[at - 1]):
        at -= 1
    inside = fixed[bisect_left(starts, at) : bisect_left(starts, run.old_stop)]
    removes = run.new_start == run.new_stop and run.old_start < at
    if removes and len(inside) == 1 and inside[0].old_start == inside[0].old_stop:
        return replace(run, old_stop=inside[0].old_start)
    return run


def _packed(sides: _Sides, mine: Sequence[Run], other: Sequence[Run]) -> tuple[list[Run], list[Run]]:
    """Move every run of both sides as far up as the runs above it, of either side, let it."""
    packed: tuple[list[Run], list[Run]] = ([], [])
    for run, side in sorted([(run, 0) for run in mine] + [(run, 1) for run in other], key=_position):
        border = max((runs[-1].old_stop for runs in packed if runs), default=0)
        above = packed[1 - side][-1:]
        at = run
        while (moved := _one_up(at, sides.base, (sides.ours, sides.theirs)[side], border)) is not None:
            if any(_clash(moved, one) for one in above):
                break
            at = moved
        packed[side].append(at)
    return packed


def _clashes(run: Run, fixed: Sequence[Run], starts: Sequence[int]) -> bool:
    first = max(bisect_left(starts, run.old_start) - 1, 0)
    return any(_clash(run, other) for other in fixed[first : bisect_right(starts, run.old_stop)])


def _one_up(run: Run, base: Sequence[str], side: Sequence[str], border: int) -> Run | None:
    adds = run.old_start == run.old_stop
    if run.old_start <= border or not (adds or run.new_start == run.new_stop):
        return None
    start, stop, lines = (run.new_start, run.new_stop, side) if adds else (run.old_start, run.old_stop, base)
    if lines[start - 1] != lines[stop - 1]:
        return None
    return Run(
        old_start=run.old_start - 1,
        old_stop=run.old_stop - 1,
        new_start=run.new_start - 1,
        new_stop=run.new_stop - 1,
    )
