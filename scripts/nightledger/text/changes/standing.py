"""Where the lines of a hunk stand: the headings above them, and the labels that are read as headings.

Invariant: where a hunk was shown and where it goes are told by the same rule by which its section was named.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.text.changes.diff import changed_runs
from nightledger.text.changes.enclosed import enclosures
from nightledger.text.changes.labels import Labels, labels_of
from nightledger.text.changes.place import Placed, place, put
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
        within: What makes them another thing than text (``text/changes/enclosed.py``).
    """

    path: Path
    labels: Labels
    within: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """All of it, the outermost first."""
        return (*self.path, *self.labels)


Effect = Counter[tuple[str, str, Standing]]
"""What a change makes of the lines of a text: sign, line, and where it stood or stands."""
NO_EFFECT: Effect = Counter()


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
    there = filled <= len(parsed.lines)
    return Standing(
        path=section_of(parsed, first, last).path,
        labels=labels_of(parsed)[filled - 1] if there else (),
        within=enclosures(parsed)[filled - 1] if there else "",
    )


def standing_at(document: str, line: int) -> Standing:
    """Give where a line of a text stands, counted from 1; the top of the file where there is no such line."""
    rows = dict(enumerate(_rows(document), 1))
    row = rows.get(line)
    return row[1] if row is not None else Standing((), ())


def has_moved(document: str, hunk: Hunk) -> bool:
    """Tell whether the lines of a hunk stand under other headings than those that it names."""
    now = standing(document, hunk) if hunk.anchor is not Anchor.SECTION_END else None
    return now is not None and is_moved(now, hunk)


def is_moved(now: Standing, hunk: Hunk) -> bool:
    """Tell whether these are other headings than those that a hunk names; what goes to a section's end names its own."""
    return hunk.anchor is not Anchor.SECTION_END and not _is_same(now.path, hunk.section)


def effect(document: str, hunk: Hunk) -> Effect:
    """Give what a hunk makes of the lines of a text; nothing where it has no place in it."""
    found = place(document, hunk)
    return effect_between(document, put(document, found)) if isinstance(found, Placed) else NO_EFFECT


def is_alone(made: Effect, hunk: Hunk) -> bool:
    """Tell whether an effect is of the hunk's own lines only, with nothing but headings above them."""
    own = [line for line in split_lines(hunk.removed) + split_lines(hunk.added) if not is_blank(line)]
    return sum(made.values()) <= len(own) and not any(stands.labels or stands.within for _, _, stands in made)


def effect_between(old: str, new: str) -> Effect:
    """Count what one text has and the other has not: sign, line, and where it stands; no blank ones.

    A line that stays and stands elsewhere for what goes or comes above it is among them: who takes
    the label off a list changes what every line of it says.
    """
    before, after = _standings(old), _standings(new)
    gone, come = before - after, after - before
    return Counter(
        {(sign, *key): count for sign, side in (("-", gone), ("+", come)) for key, count in side.items()}
    )


def shown_between(old: str, new: str) -> Effect:
    """Count what the diff of two texts shows, beside :func:`effect_between`: a line that only moves, too."""
    before, after = split_lines(old), split_lines(new)
    runs = changed_runs(before, after)
    gone = [n for run in runs for n in range(run.old_start, run.old_stop)]
    come = [n for run in runs for n in range(run.new_start, run.new_stop)]
    drawn = Counter([*_named("-", old, gone), *_named("+", new, come)])
    return effect_between(old, new) | drawn


def _named(sign: str, text: str, numbers: list[int]) -> Iterator[tuple[str, str, Standing]]:
    rows = dict(enumerate(_rows(text)))  # a text of a byte order mark alone has no rows
    return ((sign, *row) for n in numbers if (row := rows.get(n)) is not None)


def _standings(text: str) -> Counter[tuple[str, Standing]]:
    return Counter(row for row in _rows(text) if row is not None)


@lru_cache(maxsize=2)  # each change of a proposal asks for the file
def _rows(text: str) -> tuple[tuple[str, Standing] | None, ...]:
    """Give each line and where it stands; None for a blank one."""
    document = parse_markdown(text)
    rows = zip(document.lines, labels_of(document), enclosures(document), strict=True)
    return tuple(
        None
        if is_blank(line)
        else (line.rstrip("\r\n"), Standing(section_at(document, n).path, labels, within))
        for n, (line, labels, within) in enumerate(rows, 1)
    )


def _is_same(now: Path, named: Path) -> bool:
    """Compare headings; in those of a hunk a hole stands for any character."""
    return len(now) == len(named) and all(
        len(one) == len(other) and all(a in (HOLE, b) for a, b in zip(other, one, strict=True))
        for one, other in zip(now, named, strict=True)
    )
