"""Under which heading the lines of a hunk stand.

Invariant: where a hunk was shown and where it goes are told by the same rule by which its section was named.
"""

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.text.changes.place import Placed, place
from nightledger.text.changes.veil import HOLE
from nightledger.text.markdown.document import Path, parse_markdown, section_of, split_lines


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


def _is_same(now: Path, named: Path) -> bool:
    """Compare headings; in those of a hunk a hole stands for any character."""
    return len(now) == len(named) and all(
        len(one) == len(other) and all(a in (HOLE, b) for a, b in zip(other, one, strict=True))
        for one, other in zip(now, named, strict=True)
    )
