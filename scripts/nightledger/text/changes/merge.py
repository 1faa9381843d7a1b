"""Three-way merge by lines, and taking one change back out of a file that has been edited since.

Invariant: a merge never guesses. Changes of both sides that overlap are a conflict, unless they are the same change.
Lines that came in after a change that is taken back are all kept, in the section they stand in.
"""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from nightledger.text.changes.diff import Run, changed_runs, kept_lines
from nightledger.text.markdown import document as md


def merge3(base: str, ours: str, theirs: str, *, theirs_first: bool = False) -> str | None:
    r"""Return ``ours`` with what ``theirs`` changed since ``base``; None where the two are in conflict.

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
        return theirs if ours == base else ours
    three = (base, ours, theirs)
    sides = [_closed_lines(text, three) for text in three]
    base_lines, our_lines, their_lines = sides
    mine, other = changed_runs(base_lines, our_lines), changed_runs(base_lines, their_lines)
    moved = _dodging(
        other, mine, base_lines, their_lines
    )  # where lines repeat, a run has several places to stand
    merged = _merge_runs(
        sides, _dodging(mine, moved, base_lines, our_lines), moved, theirs_first=theirs_first
    )
    return None if merged is None else _reopened(merged, three, sides)


def _closed_lines(text: str, three: Sequence[str]) -> list[str]:
    """Give a text's lines, its last one ended as the same line elsewhere is, else as most are.

    Args:
        text: One version of a file.
        three: All versions of it.
    """
    lines = md.split_lines(text)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += _likely_end(lines[-1], three)
    return lines


def _likely_end(line: str, three: Sequence[str]) -> str:
    if any(text.endswith("\r") for text in three):
        return "\n"  # a carriage return that is no line end must not become one
    others = {other for text in three for other in md.split_lines(text)}
    likely = [end for end in ("\n", "\r\n") if line + end in others]
    return likely[0] if likely else md.usual_line_end(md.split_lines("".join(three)))


def _reopened(merged: list[str], three: Sequence[str], closed: Sequence[list[str]]) -> str:
    """Take the final newline away where one side did, or none had one, and its last line is still last."""
    open_ended = [bool(text) and not text.endswith("\n") for text in three]
    base, ours, theirs = open_ended
    if merged and (theirs if ours == base else ours):
        for text, lines, is_open in zip(three, closed, open_ended, strict=True):
            if is_open and lines[-1] == merged[-1]:
                return "".join([*merged[:-1], md.split_lines(text)[-1]])
    return "".join(merged)


def _merge_runs(
    sides: Sequence[Sequence[str]], mine: Sequence[Run], other: Sequence[Run], *, theirs_first: bool
) -> list[str] | None:
    """Return base with the runs of ours and theirs in it; None where some clash."""
    base = sides[0]
    merged: list[str] = []
    at = 0
    for runs in _groups(mine, other):
        both = [*runs[0], *runs[1]]
        start, stop = min(run.old_start for run in both), max(run.old_stop for run in both)
        merged.extend(base[at:start])
        ours, theirs = (
            _side(base, side, own, start, stop) for side, own in zip(sides[1:], runs, strict=True)
        )
        if runs[0] and runs[1] and ours != theirs:
            if not theirs_first or start != stop:
                return None
            ours = [*theirs, *ours]
        merged.extend(ours if runs[0] else theirs)
        at = stop
    return [*merged, *base[at:]]


def _groups(mine: Sequence[Run], other: Sequence[Run]) -> Iterator[tuple[list[Run], list[Run]]]:
    """Walk both sides in order; runs that clash, directly or through a third, come together."""
    sided = [*((run, 0) for run in mine), *((run, 1) for run in other)]
    waiting = deque(sorted(sided, key=lambda one: (one[0].old_start, one[0].old_stop, one[1])))
    while waiting:
        taken: tuple[list[Run], list[Run]] = ([], [])
        run, side = waiting.popleft()
        taken[side].append(run)
        while waiting and any(_clash(waiting[0][0], run) for run in taken[1 - waiting[0][1]][-1:]):
            run, side = waiting.popleft()
            taken[side].append(run)
        yield taken


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
    at = md.last_filled(base, run.old_start + 1, run.old_stop)
    inside = fixed[bisect_left(starts, at) : bisect_left(starts, run.old_stop)]
    removes = run.new_start == run.new_stop and run.old_start < at
    if removes and len(inside) == 1 and inside[0].old_start == inside[0].old_stop:
        return replace(run, old_stop=inside[0].old_start)
    return run


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
    return run.moved(-1, -1)


def take_back(before: str, after: str, current: str) -> str | None:
    """Return the current file without a change; None where that cannot be told.

    A three-way merge, with two answers that a merge of plain text cannot give: a heading
    that the change made stays while later lines stand under it, and lines that come back
    where later ones were added come before these.

    Args:
        before: The file before the change.
        after: The file directly after it.
        current: The file now.
    """
    return merge3(after, current, _with_used_headings(before, after, current), theirs_first=True)


def _with_used_headings(before: str, after: str, current: str) -> str:
    """Give the file before the change, with those of its new headings that later lines need."""
    old = _closed_lines(before, (before, after))
    new = md.split_lines(after)
    document = md.parse_markdown(after)
    gone = [run for run in changed_runs(new, old) if run.new_start == run.new_stop]
    later = _later_lines(document, current)
    for run in reversed(gone):
        used = [s for s in document.sections[1:] if s.heading[0] in later and _within(s, run, new)]
        old[run.new_start : run.new_start] = _heading_lines(used, run, new)
    return "".join(old) if len(old) > len(md.split_lines(before)) else before


def _later_lines(document: md.Document, current: str) -> frozenset[int]:
    """Give the headings, by line, below which the current file has lines that came later."""
    now, lines = md.parse_markdown(current), md.split_lines(current)
    runs = changed_runs(md.split_lines(document.bom + "".join(document.lines)), lines)
    later = [
        number
        for run in runs
        for number in range(run.new_start + 1, run.new_stop + 1)
        if not md.is_blank(lines[number - 1].removeprefix(md.BOM))
    ]
    sections = {section.heading[0]: section for section in now.sections}
    kept, found = kept_lines(runs, len(document.lines)), set[int]()
    for section in document.sections[1:]:
        there = sections.get(kept.get(section.heading[0] - 1, -2) + 1)
        if there is not None and any(there.heading[1] < number <= there.last_line for number in later):
            found.add(section.heading[0])
    return frozenset(found)


def _within(section: md.Section, run: Run, lines: Sequence[str]) -> bool:
    """Whether a run of lines holds a section whole, blank lines at its end apart."""
    last = md.last_filled(lines, 1, section.last_line)
    return run.old_start < section.heading[0] and last <= run.old_stop


def _heading_lines(used: Sequence[md.Section], run: Run, lines: Sequence[str]) -> list[str]:
    """Give the headings of a run that are used, with one blank line between and around them."""
    numbers = {n for section in used for n in range(section.heading[0] - 1, section.heading[1])}
    kept: list[str] = []
    for n in range(run.old_start, run.old_stop) if numbers else ():
        if n in numbers or (md.is_blank(lines[n]) and not (kept and md.is_blank(kept[-1]))):
            kept.append(lines[n])
    return kept
