"""Sections as changes are anchored in them: a heading line and what stands below it up to the next heading.

Invariant: what a section is hashed as are its exact lines without the end of the last one and the blank lines behind
it, which only keep it apart from the next; a path that two sections have names none.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from nightledger.text.changes.veil import HOLE
from nightledger.text.markdown.document import Document, Path, is_blank, parse_markdown, readable

GONE = "the section that it stands in is gone, or stands under another heading"
"""Why a change has no place that names a section which is not there."""


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a document.

    Attributes:
        first: The first, from 0.
        stop: The one behind the last.
    """

    first: int
    stop: int


def shown_path(path: Path) -> str:
    """Return a path as messages name it."""
    return " > ".join(map(readable, path)) or "the top of the file"


def section_span(document: Document, path: Path) -> Span | str | None:
    """Return the lines of the one section of a path; None where there is none, a sentence where there are two."""
    found = [section for section in document.sections if _is_path(section.path, path)]
    if len(found) > 1:
        return f"its heading stands in the file more than once ({shown_path(path)})"
    if not found:
        return None
    return Span(max(found[0].heading[0] - 1, 0), found[0].body[1])


def _is_path(path: Path, named: Path) -> bool:
    """Compare headings; in those that a record names a hole stands for any character of a secret."""
    return path == named or (
        len(path) == len(named)
        and all(
            len(one) == len(other) and all(b in (HOLE, a) for a, b in zip(one, other, strict=True))
            for one, other in zip(path, named, strict=True)
        )
    )


def spans_of(document: Document) -> list[Span]:
    """Return the lines of every section, in order."""
    return [Span(max(one.heading[0] - 1, 0), one.body[1]) for one in document.sections]


def widened(document: Document, first: int, stop: int) -> Span:
    """Return the lines of all sections in which some lines stand."""
    touched = [one for one in spans_of(document) if one.first < stop and first < one.stop]
    return Span(min(one.first for one in touched), max(one.stop for one in touched))


def text_in(document: Document, span: Span) -> str:
    """Return the exact text of some lines, without the end of the last one and the blank ones behind it."""
    stop = span.stop
    while stop > span.first and is_blank(document.lines[stop - 1]):
        stop -= 1
    return "".join(document.lines[span.first : stop]).removesuffix("\n").removesuffix("\r")


Sections = Counter[tuple[Path, str]]
"""How often a document has a section of some path and text."""


def sections_of(text: str) -> Sections:
    """Return every section of a document that has a heading or a line with text."""
    document = parse_markdown(text)
    rows = zip(document.sections, spans_of(document), strict=True)
    found = ((section.path, text_in(document, span)) for section, span in rows)
    return Counter(one for one in found if one[1])


def is_made_of(text: str, sources: Sequence[str]) -> bool:
    """Tell whether every section of a document stands in one of some others, under the same headings."""
    known = set().union(*(sections_of(source) for source in sources))
    return not set(sections_of(text)) - known


def is_drifted(accepted: str, present: str, path: Path) -> bool:
    """Tell whether the section of a path is another one in two documents, or in only one of them."""
    return _text_at(accepted, path) != _text_at(present, path)


def _text_at(text: str, path: Path) -> list[str]:
    return [
        content for (own, content), count in sections_of(text).items() for _ in range(count) if own == path
    ]
