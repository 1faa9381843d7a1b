"""Whether changes could be applied as they are proposed: an operator is not shown what could not.

Invariant: what comes out here passes, all together and now, the very checks of CommonMark and
scanners that ``apply`` makes before it writes. The cap is no matter of fitting: a removal
that is approved with it may make room.
"""

from collections.abc import Sequence
from dataclasses import replace

from nightledger.domain.proposal import Change
from nightledger.gate.applying import Write, check_text
from nightledger.text.place import Applied, apply_hunks


def fit_for_apply(
    path: str, content: bytes, changes: Sequence[Change]
) -> tuple[list[Change], list[tuple[Change, str]]]:
    """Part placed changes of one file into those that may be applied, numbered anew, and the others.

    All are looked at together first, because that is one parse of the file and nearly always
    well; only where it is not, one is looked at after the other.

    Args:
        path: The file.
        content: Its bytes now.
        changes: Changes that have a place in it, in the order in which they are to be shown.

    Returns:
        The changes that fit, and the others with why.
    """
    broken: list[tuple[Change, str]] = []
    kept = list(changes)
    if kept and _reasons(path, content, kept):
        kept = []
        for change in changes:
            reasons = _reasons(path, content, [change]) or _reasons(path, content, [*kept, change])
            if reasons:
                broken.append((change, "; ".join(reasons)))
            else:
                kept.append(change)
    return [replace(change, n=n) for n, change in enumerate(kept, 1)], broken


def _reasons(path: str, content: bytes, changes: Sequence[Change]) -> list[str]:
    text = content.decode("utf-8", "surrogateescape")
    placed = apply_hunks(text, [change.hunk for change in changes])
    if not isinstance(placed, Applied):
        return ["it touches the same lines as an earlier change"]
    after = placed.text.encode("utf-8", "surrogateescape")
    return check_text(Write(path=path, before=content, after=after))
