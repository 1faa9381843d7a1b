r"""Three-way merge by lines, and taking one change back while later edits survive.

Invariant: a merge never guesses. Changes of both sides that overlap are a conflict,
unless they are the same change.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nightledger.text.diff import Run, changed_runs
from nightledger.text.markdown import split_lines, usual_line_end


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """Both sides' changes in one text.

    Attributes:
        text: The result.
    """

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Texts that cannot be merged without a decision.

    Attributes:
        spans: Every place, in order.
    """

    spans: tuple[Span, ...]


def merge3(base: str, ours: str, theirs: str) -> Merged | Conflict:
    r"""Merge what ``theirs`` changed since ``base`` into ``ours``.

    To undo a change: ``base`` is the file after it, ``theirs`` the file before it, ``ours``
    the file now. Changes that only touch (one ends where the other begins) do not conflict:
    two additions at one place do, as their order is open. A missing final newline is kept
    apart from the last line's text, so that adding a line after it is no change to it.
    """
    if theirs in {ours, base} or ours == base:
        return Merged(text=theirs if ours == base else ours)
    three = (base, ours, theirs)
    closed = [_closed(text, three) for text in three]
    merged = _merge_lines(*closed)
    if isinstance(merged, Conflict):
        return merged
    return Merged(text=_reopened(merged, three, closed))


def _closed(text: str, three: Sequence[str]) -> list[str]:
    """Give a text's lines, its last one ended as the same line elsewhere is, else as most are."""
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


def _merge_lines(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str] | Conflict:
    mine: Sequence[Run] = changed_runs(base, ours)
    other = _dodging(changed_runs(base, theirs), mine, base, theirs)
    mine = _dodging(mine, other, base, ours)
    merged: list[str] = []
    spans: list[Span] = []
    at = 0
    for group in _groups(mine, other):
        start, stop = group.bounds()
        merged.extend(base[at:start])
        my_lines = _side(base, ours, group.mine, start, stop)
        other_lines = _side(base, theirs, group.other, start, stop)
        if group.mine and group.other and my_lines != other_lines:
            first = start + group.mine[0].new_start - group.mine[0].old_start + 1
            spans.append(
                Span(
                    first_line=first,
                    last_line=first + len(my_lines) - 1,
                    base="".join(base[start:stop]),
                    ours="".join(my_lines),
                    theirs="".join(other_lines),
                )
            )
        merged.extend(my_lines if group.mine else other_lines)
        at = stop
    merged.extend(base[at:])
    return Conflict(spans=tuple(spans)) if spans else merged


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
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
    """Move pure additions and removals, where they read the same elsewhere, off the other side's runs."""
    starts = [run.old_start for run in fixed]
    dodged: list[Run] = []
    for run in runs:
        border = dodged[-1].old_stop if dodged else 0
        moved: Run | None = run
        while moved is not None and _clashes(moved, fixed, starts):
            moved = _one_up(moved, base, side, border)
        dodged.append(moved or run)
    return dodged


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
