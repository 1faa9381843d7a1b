"""Whether changes could be applied as they are proposed: an operator is not shown what could not.

Invariant: what comes out here passes, all together and now, the very checks of CommonMark and
scanners that ``apply`` makes before it writes. The cap is no matter of fitting: a removal
that is approved with it may make room.
"""

from collections.abc import Sequence
from dataclasses import replace

from nightledger.domain.proposal import Change
from nightledger.gate.apply.applying import check_text
from nightledger.gate.apply.writing import Write
from nightledger.text.changes.place import put_all


def fit_for_apply(
    path: str, content: bytes, changes: Sequence[Change]
) -> tuple[list[Change], list[tuple[Change, str]]]:
    """Part placed changes of one file into those that may be applied, numbered anew, and the others.

    All are looked at together first, because that is one look at the file and nearly always
    well. Where it is not, each half is looked at with what was found to fit before it, and so
    on: a file of many changes of which one does not fit costs a few looks, not one a change.

    Args:
        path: The file.
        content: Its bytes now.
        changes: Changes that have a place in it, in the order in which they are to be shown.

    Returns:
        The changes that fit, and the others with why.
    """
    kept: list[Change] = []
    broken: list[tuple[Change, str]] = []
    groups = [list(changes)] if changes else []
    while groups:
        group = groups.pop()
        reasons = _reasons(path, content, [*kept, *group])
        if not reasons:
            kept += group
        elif len(group) == 1:
            broken.append((group[0], "; ".join(reasons)))
        else:
            half = len(group) // 2
            groups += [group[half:], group[:half]]
    return [replace(change, n=n) for n, change in enumerate(kept, 1)], broken


def _reasons(path: str, content: bytes, changes: Sequence[Change]) -> list[str]:
    text = content.decode("utf-8", "surrogateescape")
    placed = put_all(text, [change.hunk for change in changes])
    if not isinstance(placed, str):
        return ["it touches the same lines as an earlier change"]
    after = placed.encode("utf-8", "surrogateescape")
    return check_text(Write(path=path, before=content, after=after))
