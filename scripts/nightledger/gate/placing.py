"""Place changes on files: as they would be shown now, or as they were signed, around what drifted.

Invariant: a change has a place in all of its files or in none. Beside the bytes of a gated file there are its
*accepted* bytes, those that the operator signed; a signed change is made to both, in a section that is the same in
both, so that what drifted elsewhere stays as it was, neither lost nor accepted.
"""

from collections.abc import Container, Iterable, Mapping, Sequence

from nightledger.domain.decision import Decision, ShownIn
from nightledger.domain.kept import parts_of, skill_front, skill_name
from nightledger.domain.proposal import Anchor, Change, Hunk, Part
from nightledger.text.changes.diff import trace
from nightledger.text.changes.merge import merge3
from nightledger.text.changes.place import TAKEN, Placed, Unplaced, place, place_signed, put
from nightledger.text.changes.sections import copied, is_drifted, is_made_of
from nightledger.text.markdown.document import decode, encode

DRIFTED = "its section was changed outside Nightledger: answer that first ('nightledger review')"
LOST = "what was accepted before is kept nowhere, so nobody can tell what drifted: settle that first ('nightledger review')"
UNANCHORED = "its decision does not say under what it was shown"


# ------------------------------------------------------------ as they would be shown now
def put_change(
    documents: Mapping[str, str], change: Change, only: Container[str] | None = None
) -> dict[str, str] | str:
    """Return the new texts of the files that a change writes; why it has no place where it has none.

    Args:
        documents: The text of every file that it writes (``surrogateescape``).
        change: As proposed.
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
    """Return the new text of a file, and why there is none."""
    document = documents[part.target]
    if part.hunk.anchor is Anchor.COPY:
        text = copied(documents[source], document, part.hunk)
        return ("", f"it holds other bytes, or {source} has changed since") if text is None else (text, "")
    placed = _place(part.target, document, part.hunk)
    return ("", placed.reason) if isinstance(placed, Unplaced) else (put(document, placed), "")


def _place(path: str, document: str, hunk: Hunk) -> Placed | Unplaced:
    """Return the place of a hunk; a new skill has none where a file of its name is."""
    name, whole = skill_name(path), hunk.anchor is Anchor.FILE_LINES and not (hunk.removed or hunk.line)
    is_new = whole and name and hunk.added.startswith(skill_front(name))
    return Unplaced(reason=TAKEN) if is_new and document else place(document, hunk)


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


# ------------------------------------------------------------ as they were signed
Unfit = dict[int, str]
"""For each change that has no place, by its number, why."""


def anchors_of(decision: Decision, path: str) -> dict[int, ShownIn]:
    """Return under what each change of a file was shown that a decision approves, by its number."""
    return {one.change: one for target in decision.targets if target.path == path for one in target.anchors}


def place_around(
    accepted: bytes, present: bytes, changes: Sequence[Change], anchors: Mapping[int, ShownIn]
) -> tuple[bytes, bytes, Unfit, Unfit]:
    """Place each change whose section is as it was signed, and the same in both texts.

    Args:
        accepted: The bytes accepted last.
        present: The bytes of now.
        changes: As signed, in their order.
        anchors: Under what each was shown.

    Returns:
        New accepted bytes; new bytes of the file; the changes that are asked again; those whose section drifted.
    """
    mine, theirs = decode(accepted), decode(present)
    stale: Unfit = {}
    waiting: Unfit = {}
    for change in changes:
        if change.n not in anchors:
            stale[change.n] = UNANCHORED
            continue
        hunk, shown = change.hunk, anchors[change.n]
        signed, now = place_signed(mine, hunk, shown), place_signed(theirs, hunk, shown)
        away = _place(change.target, theirs, hunk)
        drifts = mine != theirs and is_drifted(mine, theirs, hunk.section)
        if isinstance(away, Unplaced):
            stale[change.n] = away.reason
        elif drifts and not (isinstance(signed, Unplaced) and isinstance(now, Unplaced)):
            waiting[change.n] = DRIFTED
        elif isinstance(now, Unplaced):
            stale[change.n] = now.reason
        elif isinstance(signed, Unplaced):
            waiting[change.n] = DRIFTED
        else:
            both = put(mine, signed), put(theirs, now)
            if is_made_of(both[0], [mine], [(theirs, both[1])]):
                mine, theirs = both
            else:
                waiting[change.n] = DRIFTED
    return encode(mine), encode(theirs), stale, waiting


def carry(accepted: bytes, before: bytes, after: bytes) -> bytes:
    """Make to the accepted bytes what the operator did to the file, as far as drift is not in the way.

    For an operator's own edit and undo. Where they took drifted lines out, these are settled.
    Where they changed them, the lines stay drift as they now are, and are asked about: a
    signature over an edit says nothing about the lines beside it.
    """
    text = decode(accepted)
    for _, step, following in trace(decode(before), decode(after)).steps():
        merged = merge3(step, following, text)
        text = text if merged is None else merged
    return encode(text)
