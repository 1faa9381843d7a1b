"""Under which heading the lines of a hunk stand.

Invariant: where a hunk was shown and where it goes are told by the same rule by which its section was named.
"""

from collections import Counter
from collections.abc import Iterator

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.text.changes.diff import changed_runs
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


def section_now(document: str, hunk: Hunk) -> Path | None:
    """Give the headings above the place of a hunk that is found by its lines; None where it is not found so.

    Args:
        document: The text, decoded.
        hunk: As signed, or to be signed.
    """
    found = place(document, hunk) if hunk.anchor in (Anchor.EXACT, Anchor.MASKED) else None
    if not isinstance(found, Placed):
        return None
    first = document.count("\n", 0, found.start) + 1
    last = first + len(split_lines(document[found.start : found.end])) - 1
    return section_of(parse_markdown(document), first, last).path


def has_moved(document: str, hunk: Hunk) -> bool:
    """Tell whether the lines of a hunk stand under other headings than those that it names."""
    now = section_now(document, hunk)
    return now is not None and not _is_same(now, hunk.section)


def under_headings(old: str, new: str) -> Counter[tuple[str, str, Path]]:
    """Count the lines by which one text differs from another: sign, line, and the headings above it; no blank ones."""
    before, after = split_lines(old), split_lines(new)
    gone = [n for run in changed_runs(before, after) for n in range(run.old_start, run.old_stop)]
    come = [n for run in changed_runs(before, after) for n in range(run.new_start, run.new_stop)]
    return Counter([*_named("-", old, gone), *_named("+", new, come)])


def _named(sign: str, text: str, numbers: list[int]) -> Iterator[tuple[str, str, Path]]:
    document, lines = parse_markdown(text), split_lines(text)
    for n in numbers:
        if not is_blank(lines[n]):
            yield sign, lines[n].rstrip("\r\n"), section_at(document, n + 1).path


def _is_same(now: Path, named: Path) -> bool:
    """Compare headings; in those of a hunk a hole stands for any character."""
    return len(now) == len(named) and all(
        len(one) == len(other) and all(a in (HOLE, b) for a, b in zip(other, one, strict=True))
        for one, other in zip(now, named, strict=True)
    )
