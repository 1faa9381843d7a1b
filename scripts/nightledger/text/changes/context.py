"""Tell one place in a document from all others by as few lines as can be.

Invariant: what ``context_needed`` gives, ``occurrences`` finds once.
"""

import re
from collections.abc import Sequence

from nightledger.text.changes.veil import HOLE
from nightledger.text.markdown.document import BOM

MOST_CONTEXT_LINES = 400
"""Context beyond this says that the same lines repeat: no reader could tell the place either."""


def context_needed(lines: Sequence[str], start: int, stop: int) -> tuple[int, int] | None:
    """Give the fewest lines before and after ``lines[start:stop]`` that make it unique.

    Returns:
        Counts of lines, of the least sum, rather before than after; None where even
        ``MOST_CONTEXT_LINES`` on either side do not tell the place.
    """
    least_after: dict[int, int] = {}
    most_before = min(start, MOST_CONTEXT_LINES)
    for other in _repeats(lines, start, stop):
        above = _alike_above(lines, start, other)
        below = _alike_below(lines, stop, other + stop - start)
        least_after[above] = max(least_after.get(above, 0), below + 1)
    best: tuple[int, int] | None = None
    after = 0
    for before in range(MOST_CONTEXT_LINES, -1, -1):
        after = max(after, least_after.get(before, 0))
        fits = before <= most_before and after <= min(len(lines) - stop, MOST_CONTEXT_LINES)
        if fits and (best is None or before + after < sum(best)):
            best = before, after
    return best


def _repeats(lines: Sequence[str], start: int, stop: int) -> list[int]:
    """Give where else the lines stand; for no lines, every other border between lines."""
    wanted = lines[start:stop]
    length = stop - start
    return [n for n in range(len(lines) - length + 1) if n != start and lines[n : n + length] == wanted]


def _alike_above(lines: Sequence[str], one: int, other: int) -> int:
    count = 0
    while (
        count < MOST_CONTEXT_LINES
        and min(one, other) > count
        and lines[one - count - 1] == lines[other - count - 1]
    ):
        count += 1
    return count


def _alike_below(lines: Sequence[str], one: int, other: int) -> int:
    count = 0
    while (
        count < MOST_CONTEXT_LINES
        and max(one, other) + count < len(lines)
        and lines[one + count] == lines[other + count]
    ):
        count += 1
    return count


def occurrences(document: str, pattern: str) -> list[int]:
    """Give where a text stands as whole lines, as offsets; two places at most.

    The first line begins before a byte order mark and after it. Nothing stands once in an
    empty document, and more than once in any other.
    """
    top = len(BOM) if document.startswith(BOM) else 0
    if not pattern:
        return [top] if len(document) == top else [top, len(document)]
    found: list[int] = []
    at = document.find(pattern)
    while at >= 0 and len(found) < 2:  # noqa: PLR2004 - a second place is one too many
        end = at + len(pattern)
        if (at in {0, top} or document[at - 1] == "\n") and (pattern.endswith("\n") or end == len(document)):
            found.append(at)
        at = document.find(pattern, at + 1)
    return found


def veiled_occurrences(document: str, pattern: str) -> list[int]:
    """Give where a text with holes stands as whole lines; see :func:`occurrences`."""
    parts = re.split(f"({HOLE}+)", pattern)
    expression = "".join(f"[^\\r\\n]{{{len(part)}}}" if HOLE in part else re.escape(part) for part in parts)
    wanted = re.compile(expression)
    top = len(BOM) if document.startswith(BOM) else 0
    found: list[int] = []
    match = wanted.search(document)
    while match and len(found) < 2:  # noqa: PLR2004 - a second place is one too many
        at, end = match.span()
        if (at in {0, top} or document[at - 1] == "\n") and (pattern.endswith("\n") or end == len(document)):
            found.append(at)
        match = wanted.search(document, at + 1)
    return found
