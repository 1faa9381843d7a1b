"""Where the lines of a hunk stand: the headings above them, and the labels that are read as headings.

Invariant: where a hunk was shown and where it goes are told by the same rule by which its section was named.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.text.changes.diff import changed_runs
from nightledger.text.changes.labels import Labels, labels_of
from nightledger.text.changes.place import Placed, place
from nightledger.text.changes.veil import HOLE
from nightledger.text.markdown.document import (
    Path,
    is_blank,
    parse_markdown,
    section_at,
    section_of,
    split_lines,
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where lines stand.

    Attributes:
        path: The headings, the outermost first; () is the top of the file.
        labels: What stands for a heading below them (``text/changes/labels.py``).
    """

    path: Path
    labels: Labels

    @property
    def names(self) -> tuple[str, ...]:
        """All of it, the outermost first."""
        return (*self.path, *self.labels)


def standing(document: str, hunk: Hunk) -> Standing | None:
    """Give where the lines of a hunk stand, or will; None where it has no place among lines that are told.

    Args:
        document: The text, decoded.
        hunk: As signed, or to be signed.
    """
    if hunk.anchor not in (Anchor.EXACT, Anchor.MASKED, Anchor.SECTION_END):
        return None
    found = place(document, hunk)
    if not isinstance(found, Placed):
        return None
    first = document.count("\n", 0, found.start) + 1
    if hunk.anchor is Anchor.SECTION_END:
        come = next((line for line in split_lines(hunk.added) if not is_blank(line)), "")
        first += found.text.count("\n", 0, max(found.text.find(come), 0))
        document = document[: found.start] + found.text + document[found.end :]
        last = first
    else:
        last = first + len(split_lines(document[found.start : found.end])) - 1
    parsed = parse_markdown(document)
    filled = next((n for n in range(first, last + 1) if not is_blank(parsed.lines[n - 1])), first)
    labels = labels_of(parsed)
    return Standing(
        path=section_of(parsed, first, last).path,
        labels=labels[filled - 1] if filled <= len(labels) else (),
    )


def has_moved(document: str, hunk: Hunk) -> bool:
    """Tell whether the lines of a hunk stand under other headings than those that it names."""
    now = standing(document, hunk) if hunk.anchor is not Anchor.SECTION_END else None
    return now is not None and is_moved(now, hunk)


def is_moved(now: Standing, hunk: Hunk) -> bool:
    """Tell whether these are other headings than those that a hunk names; what goes to a section's end names its own."""
    return hunk.anchor is not Anchor.SECTION_END and not _is_same(now.path, hunk.section)


def under_headings(old: str, new: str) -> Counter[tuple[str, str, Standing]]:
    """Count the lines by which one text differs from another: sign, line, and what stands above it; no blank ones."""
    before, after = split_lines(old), split_lines(new)
    runs = changed_runs(before, after)
    gone = [n for run in runs for n in range(run.old_start, run.old_stop)]
    come = [n for run in runs for n in range(run.new_start, run.new_stop)]
    return Counter([*_named("-", old, gone), *_named("+", new, come)])


def _named(sign: str, text: str, numbers: list[int]) -> Iterator[tuple[str, str, Standing]]:
    document, lines = parse_markdown(text), split_lines(text)
    labels = labels_of(document)
    for n in numbers:
        if not is_blank(lines[n]):
            path = section_at(document, n + 1).path
            yield sign, lines[n].rstrip("\r\n"), Standing(path, labels[n])


def _is_same(now: Path, named: Path) -> bool:
    """Compare headings; in those of a hunk a hole stands for any character."""
    return len(now) == len(named) and all(
        len(one) == len(other) and all(a in (HOLE, b) for a, b in zip(other, one, strict=True))
        for one, other in zip(now, named, strict=True)
    )
