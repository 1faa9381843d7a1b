"""What a change says of itself, held against its hunk.

Invariant: what is shown as its operation, section and words follows from the bytes that are signed;
a change whose own words are others is shown by its hunk.
"""

from msgspec.structs import replace

from nightledger.domain.kept import LETTING_GO
from nightledger.domain.proposal import Change, Hunk, Op, Proposal
from nightledger.gate.proposing.hunks import SHOWN_SECTION

TWICE = "its proposal has two changes of one number, so that nobody can answer one of them: reject it"
"""Why a change cannot be signed that a decision could not tell from another one."""


def worded(change: Change) -> Change:
    """Give a change with the operation, section and words that its hunk has; its own where they say the same."""
    hunk = change.hunk
    return replace(
        change,
        op=_op(change.op, hunk),
        section=SHOWN_SECTION.join(hunk.section),
        before=_before(change),
        after=change.after if _lines(change.after) == _lines(hunk.added) else hunk.added,
    )


def is_numbered_twice(proposal: Proposal, n: int) -> bool:
    """Tell whether more than one change of a proposal has this number."""
    return sum(change.n == n for change in proposal.changes) > 1


def _op(op: Op, hunk: Hunk) -> Op:
    if op in LETTING_GO or op in _fitting(hunk):
        return op
    return _fitting(hunk)[0]


def _fitting(hunk: Hunk) -> list[Op]:
    """Give what a hunk of text may be called, the plainest first; a blank line may count as a line or as none."""
    goes, comes = hunk.removed.strip(), hunk.added.strip()
    fitting = {
        Op.REPLACE: bool(hunk.removed and hunk.added),
        Op.ADD: not goes,
        Op.REMOVE: not comes and bool(hunk.removed),
    }
    return [op for op, fits in fitting.items() if fits] or [Op.REMOVE]


def _before(change: Change) -> str:
    removed = change.hunk.removed
    if change.op is Op.COMPRESS:
        return ""
    if change.op is Op.DELETE_LINK:
        return change.before if change.before.partition(": ")[0] == removed else removed
    return change.before if _lines(change.before) == _lines(removed) else removed


def _lines(text: str) -> list[str]:
    """Give the lines of a text that are not blank, without what ends them."""
    return [line.rstrip() for line in text.split("\n") if line.strip()]
