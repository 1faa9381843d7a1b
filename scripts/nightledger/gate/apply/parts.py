"""Everything that changes write, placed on the files as they are.

Invariant: a change has a place in all of its files or in none; a copy has the bytes that its source
has at that very moment, in the same set of documents.
"""

from collections.abc import Container, Iterable, Mapping

from nightledger.domain.kept import parts_of
from nightledger.domain.proposal import Anchor, Change, Part
from nightledger.gate.proposing.hunks import why_not
from nightledger.text.changes.place import Applied, apply_hunks
from nightledger.text.changes.whole import copied


def put_change(
    documents: Mapping[str, str], change: Change, only: Container[str] | None = None
) -> dict[str, str] | str:
    """Give the new texts of the files that a change writes; why it has no place where it has none.

    Args:
        documents: The text of every file that it writes (``surrogateescape``).
        change: As signed, or to be signed.
        only: The files to look at; None for all.
    """
    after: dict[str, str] = {}
    reasons: list[str] = []
    for part in parts_of(change):
        if part.hunk.anchor is Anchor.LINK or (only is not None and part.target not in only):
            continue
        text, why = _put(documents, change.target, part)
        after[part.target] = text
        if why:
            reasons.append(why if part.target == change.target else f"{part.target}: {why}")
    return "; ".join(reasons) or after


def _put(documents: Mapping[str, str], source: str, part: Part) -> tuple[str, str]:
    """Give the new text of a file, and why there is none."""
    document = documents[part.target]
    if part.hunk.anchor is Anchor.COPY:
        text = copied(documents[source], document, part.hunk)
        return ("", f"it holds other bytes, or {source} has changed since") if text is None else (text, "")
    placed = apply_hunks(document, [part.hunk])
    return (placed.text, "") if isinstance(placed, Applied) else ("", why_not(placed))


def put_changes(
    documents: Mapping[str, str], changes: Iterable[Change]
) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """Place changes one after another, each on the result of those before it; those without a place are passed over.

    Args:
        documents: The text of the files that they write; what they write elsewhere is left out.
        changes: In their order.

    Returns:
        The new text of every file that is written, and for each change without a place its number and why.
    """
    after = dict(documents)
    lost: list[tuple[int, str]] = []
    for change in changes:
        placed = put_change(after, change, only=documents)
        if isinstance(placed, str):
            lost.append((change.n, placed))
        else:
            after |= placed
    return after, lost
