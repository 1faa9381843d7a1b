"""Sections as changes are anchored in them: a heading line and what stands below it up to the next heading; and whole files.

Invariant: what a section is hashed as are its exact lines without the end of the last one and the blank lines behind
it, which only keep it apart from the next; sections of one path are told by all of them together, with what keeps them apart.
What is replaced as a whole is known by its hash, so any bytes can be, text or not.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from nightledger.domain.proposal import HOLE, Hunk
from nightledger.text.markdown.document import Document, Path, Section, is_blank, parse_markdown, readable

SHOWN_SECTION = " > "


EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()
GONE = "the section that it stands in is gone, or stands under another heading"
"""Why a change has no place that names a section which is not there."""


def text_sha256(text: str) -> str:
    """Give the hex SHA-256 of a document's bytes (``surrogateescape``)."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def at_end(document: str, added: str) -> str:
    """Give what goes in at the end of a document so that ``added`` is a paragraph of its own there."""
    if not document:
        return added
    end = "" if document.endswith("\n") else "\n"
    gap = "" if (document + end).endswith(("\n\n", "\n\r\n")) else "\n"
    return end + gap + added


def why_not_whole(document: str, hunk: Hunk) -> str:
    """Say why a file is not the one that a hunk replaces as a whole; empty where it is."""
    if hunk.added == document:
        return "it changes nothing"
    if text_sha256(document) == (hunk.removed or EMPTY_SHA256):
        return ""
    return "the file has changed since"


def copied(source: str, document: str, hunk: Hunk) -> str | None:
    """Give what a file holds after a copy; None where it is not the copy that was signed, or has no room.

    Args:
        source: The bytes of the change's target before the change.
        document: The file now.
        hunk: As signed; its ``removed`` is the hash of what the file must hold, where that is not nothing.
    """
    if text_sha256(source) != hunk.added:
        return None
    free = {EMPTY_SHA256, hunk.added} if not hunk.removed else {hunk.removed}
    return source if text_sha256(document) in free else None


class Span(Struct, frozen=True):
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


def spans_at(document: Document, path: Path) -> list[Span]:
    """Return the lines of every section of a path: mostly of one."""
    return [span_of(section) for section in document.sections if _is_path(section.path, path)]


def span_of(section: Section) -> Span:
    """Return the lines of a section."""
    return Span(max(section.heading[0] - 1, 0), section.body[1])


def _is_path(path: Path, named: Path) -> bool:
    """Compare headings; in those that a record names a hole stands for any character of a secret."""
    return path == named or (
        len(path) == len(named)
        and all(
            len(one) == len(other) and all(b in (HOLE, a) for a, b in zip(one, other, strict=True))
            for one, other in zip(path, named, strict=True)
        )
    )


def behind_holes(document: Document, path: Path) -> str:
    """Return the whole paths that a path with holes names, which it does not tell; of any other path nothing."""
    if not any(HOLE in heading for heading in path):
        return ""
    return "".join("\n".join((*one.path, "")) for one in document.sections if _is_path(one.path, path))


def around(document: Document, first: int, stop: int) -> list[Span]:
    """Return the lines of each section in which some of the lines from ``first`` up to ``stop`` stand."""
    spans = map(span_of, document.sections)
    return [one for one in spans if one.first < stop and first < one.stop]


def text_of_spans(document: Document, spans: Sequence[Span]) -> str:
    """Return the text of sections one after another: lines are counted over all of them, blank ones between them, too."""
    lines = [line for span in spans[:-1] for line in document.lines[span.first : span.stop]]
    return "".join([*lines, *(text_in(document, span) for span in spans[-1:])])


def text_in(document: Document, span: Span) -> str:
    """Return the exact text of some lines, without the end of the last one and the blank ones behind it."""
    stop = span.stop
    while stop > span.first and is_blank(document.lines[stop - 1]):
        stop -= 1
    return "".join(document.lines[span.first : stop]).removesuffix("\n").removesuffix("\r")


@lru_cache(maxsize=8)  # as parse_markdown
def sections_of(text: str) -> Mapping[tuple[Path, str], int]:
    """Return how often a document has a section of some path and text; empty ones are none."""
    document = parse_markdown(text)
    found = ((section.path, text_in(document, span_of(section))) for section in document.sections)
    return Counter(one for one in found if one[1])


def brought(old: str, new: str) -> set[tuple[Path, str]]:
    """Return the sections that a document has more often than another, each with its headings."""
    return set(Counter(sections_of(new)) - Counter(sections_of(old)))


def is_made_of(text: str, sources: Sequence[str], steps: Iterable[tuple[str, str]] = ()) -> bool:
    """Tell whether every section of a document stands in one of some others, under the same headings.

    Args:
        text: The document.
        sources: Documents of which every section is known.
        steps: Documents before and after what was signed; only what that brought is known. What stood there before
            may have been planted by anybody: under a heading that was made anew, too.
    """
    known = set().union(*(sections_of(source) for source in sources))
    texts = {text for _, text in known}
    for old, new in steps:
        planted = {text for _, text in sections_of(old)} - texts
        known |= {one for one in brought(old, new) if one[1] not in planted}
    return not set(sections_of(text)) - known


def keeps(text: str, old: str, new: str) -> bool:
    """Tell whether a document has every section that two others have in common, as often."""
    return not (Counter(sections_of(old)) & Counter(sections_of(new))) - Counter(sections_of(text))


def is_drifted(accepted: str, present: str, path: Path) -> bool:
    """Tell whether what stands under a path is another text in two documents, or stands in only one of them."""
    mine, theirs = (parse_markdown(text) for text in (accepted, present))
    if behind_holes(mine, path) != behind_holes(theirs, path):
        return True
    return text_of_spans(mine, spans_at(mine, path)) != text_of_spans(theirs, spans_at(theirs, path))
