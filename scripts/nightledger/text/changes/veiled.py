"""Tell the place of a hunk without a copy of the secrets that stand there (docs/decisions/0007-secrets.md).

Invariant: what comes out finds the one place that the hunk has, and holds no character of a secret.
"""

from dataclasses import replace

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.text.changes.context import MOST_CONTEXT_LINES
from nightledger.text.changes.place import Unplaced, place
from nightledger.text.changes.veil import veil

BESIDE = "only a line with a secret tells its place; take the secret out of the file first"
"""Why a hunk is refused that cannot tell its place without a secret."""


def without_secrets(
    document: str, veiled: str, hunk: Hunk, *, told: frozenset[str] = frozenset()
) -> Hunk | Unplaced:
    """Give the hunk with holes for the secrets in what it takes out, in its context and its headings.

    Lines that differ in a secret alone look alike then, so context is added, each time twice
    as much, until the place is the only one again. A hunk without secrets stays as it is.

    Args:
        document: The target, in which the hunk has its place.
        veiled: The same with holes for its secrets (``veil``).
        hunk: The hunk.
        told: What the document tells as secrets.
    """
    if hunk.anchor is Anchor.SECTION_END:
        return hunk
    section = tuple(veil(title, told=told) for title in hunk.section)
    placed = place(document, hunk)
    if isinstance(placed, Unplaced):
        return placed
    first = placed.start - len(hunk.context_before)
    last = placed.end + len(hunk.context_after)
    if veiled[first:last] == document[first:last]:
        return replace(hunk, section=section)
    lines = 1
    while lines <= MOST_CONTEXT_LINES:
        masked = replace(
            hunk,
            anchor=Anchor.MASKED,
            section=section,
            removed=veiled[placed.start : placed.end],
            context_before=veiled[first : placed.start],
            context_after=veiled[placed.end : last],
        )
        if place(document, masked) == placed:
            return masked
        for _ in range(lines):
            first, last = _line_above(document, first), _line_below(document, last)
        lines *= 2
    return Unplaced(reason=BESIDE)


def _line_above(document: str, at: int) -> int:
    return document.rfind("\n", 0, at - 1) + 1 if at else 0


def _line_below(document: str, at: int) -> int:
    return (document.find("\n", at) + 1) or len(document)
