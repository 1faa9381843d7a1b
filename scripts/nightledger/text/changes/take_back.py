"""Take one applied change back out of a file that has been edited since.

Invariant: lines that came in after the change are all kept, in the section they stand in.
"""

from collections.abc import Sequence

from nightledger.text.changes.diff import Run, changed_runs
from nightledger.text.changes.merge import Conflict, Merged, closed_lines, merge3
from nightledger.text.markdown.document import BOM, Document, Section, is_blank, parse_markdown, split_lines


def take_back(before: str, after: str, current: str) -> Merged | Conflict:
    """Undo a change: give the current file without it.

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
    old = closed_lines(before, (before, after))
    new = split_lines(after)
    document = parse_markdown(after)
    gone = [run for run in changed_runs(new, old) if run.new_start == run.new_stop]
    later = _later_lines(document, current)
    for run in reversed(gone):
        used = [s for s in document.sections[1:] if s.heading[0] in later and _within(s, run, new)]
        old[run.new_start : run.new_start] = _heading_lines(used, run, new)
    return "".join(old) if len(old) > len(split_lines(before)) else before


def _later_lines(document: Document, current: str) -> frozenset[int]:
    """Give the headings, by line, below which the current file has lines that came later."""
    now, lines = parse_markdown(current), split_lines(current)
    runs = changed_runs(split_lines(document.bom + "".join(document.lines)), lines)
    later = [
        number
        for run in runs
        for number in range(run.new_start + 1, run.new_stop + 1)
        if not is_blank(lines[number - 1].removeprefix(BOM))
    ]
    sections = {section.heading[0]: section for section in now.sections}
    found = set[int]()
    for section in document.sections[1:]:
        there = sections.get(_line_now(section.heading[0], runs))
        if there is not None and any(there.heading[1] < number <= there.last_line for number in later):
            found.add(section.heading[0])
    return frozenset(found)


def _line_now(line: int, runs: Sequence[Run]) -> int:
    """Give where an unchanged line stands now; -1 for one that was changed."""
    shift = 0
    for run in runs:
        if run.old_start < line <= run.old_stop:
            return -1
        if run.old_stop < line:
            shift = run.new_stop - run.old_stop
    return line + shift


def _within(section: Section, run: Run, lines: Sequence[str]) -> bool:
    """Whether a run of lines holds a section whole, blank lines at its end apart."""
    last = section.last_line
    while is_blank(lines[last - 1]):
        last -= 1
    return run.old_start < section.heading[0] and last <= run.old_stop


def _heading_lines(used: Sequence[Section], run: Run, lines: Sequence[str]) -> list[str]:
    """Give the headings of a run that are used, with one blank line between and around them."""
    numbers = {n for section in used for n in range(section.heading[0] - 1, section.heading[1])}
    kept: list[str] = []
    for n in range(run.old_start, run.old_stop) if numbers else ():
        if n in numbers or (is_blank(lines[n]) and not (kept and is_blank(kept[-1]))):
            kept.append(lines[n])
    return kept
