"""An operator's own wording: an edited change, or an edit of a gated file.

Invariant: an edit becomes hunks that give exactly the edited bytes, and it is signed and
logged like anything else.
"""

from collections.abc import Sequence

from nightledger.domain.errors import RefusedError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.lanes import OPERATOR
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Change, Draft, Hunk, Kind, Op, Origin, Proposal
from nightledger.gate.gated import read_gated
from nightledger.gate.hunks import SHOWN_SECTION, line_at, readable_diff
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing import Outcome, Submission, propose, submit_changes
from nightledger.gate.stored import Stored
from nightledger.text.edits import hunks_between
from nightledger.text.place import Applied, Unplaced, apply_hunks, put


def revise(gate: Gate, ledger: Ledger, stored: Stored, n: int, wording: str, moment: Moment) -> Outcome:
    """Propose a change in the operator's wording; it supersedes the one that was shown.

    It is scanned and shown again like any other proposal.
    """
    change = stored.proposal.changes[n - 1]
    line = _line_of(read_gated(gate.home, change.target).decode("utf-8", "surrogateescape"), change.hunk)
    draft = Draft(
        op=change.op,
        target=change.target,
        section=change.hunk.section,
        before=change.before,
        line=line,
        after=wording,
        reason=f"{change.reason} (worded by the operator)",
        evidence=change.evidence,
        confidence=change.confidence,
        rank=1.0,
        statement_key=f"{change.key} as worded by the operator: {wording.strip()}",
        scope=change.scope,
        entry=change.entry,
    )
    submission = Submission(
        kind=stored.proposal.kind,
        lane=OPERATOR,
        period=stored.proposal.period,
        title=stored.proposal.title,
        drafts=[draft],
        supersedes=stored.proposal.id,
        superseded_changes=(n,),
    )
    return propose(gate, ledger, submission, moment)


def _line_of(document: str, hunk: Hunk) -> int:
    """Give the first line of what a hunk takes out; 0 where it takes nothing or is not there any more."""
    at = document.find(hunk.context_before + hunk.removed) if hunk.removed else -1
    blanks = len(hunk.removed) - len(hunk.removed.lstrip())  # a removal may take a blank line above along
    return line_at(document, at + len(hunk.context_before) + blanks) if at >= 0 else 0


def propose_edit(gate: Gate, ledger: Ledger, path: str, edited: bytes, moment: Moment) -> Proposal | None:
    """Turn an operator's edit of a gated file into a proposal of its own lane.

    Returns:
        The proposal, to be signed at once; None when nothing was changed.

    Raises:
        RefusedError: It touches bytes that are not UTF-8, which no record can hold, or lines
            that repeat so often that nothing tells their place.
    """
    document = read_gated(gate.home, path).decode("utf-8", "surrogateescape")
    hunks = hunks_between(document, edited.decode("utf-8", "surrogateescape"))
    if isinstance(hunks, Unplaced):
        raise RefusedError(
            f"the edit of {path} cannot be recorded: {hunks.reason}",
            hint="change it in your own editor; 'nightledger verify' then shows it as drift",
        )
    if not hunks:
        return None
    changes = _edit_changes(path, document, hunks, moment)
    submission = Submission(
        kind=Kind.BEHAVIOUR,
        lane=EDIT_LANE,
        period=moment.at.date().isoformat(),
        title=f"The operator's edit of {path}",
        drafts=(),
    )
    return submit_changes(gate, ledger, submission, path, changes, moment)


def _edit_changes(path: str, document: str, hunks: Sequence[Hunk], moment: Moment) -> list[Change]:
    """Give each hunk as a change, with its diff against the document as the hunks before it left it."""
    applied = apply_hunks(document, hunks)
    if not isinstance(applied, Applied):
        raise AssertionError("unreachable: they were made to fit")  # noqa: TRY004 - a bug, not a type
    changes = []
    for n, (hunk, placed) in enumerate(zip(hunks, applied.placed, strict=True), 1):
        edited = put(document, placed)
        diff = readable_diff(document, edited, path=path)
        changes.append(_edit_change(n, path, hunk, diff, moment))
        document = edited
    return changes


def _edit_change(n: int, path: str, hunk: Hunk, diff: str, moment: Moment) -> Change:
    return Change(
        n=n,
        op=Op.REPLACE if hunk.removed and hunk.added else Op.ADD if hunk.added else Op.REMOVE,
        target=path,
        section=SHOWN_SECTION.join(hunk.section),
        before=hunk.removed,
        after=hunk.added,
        diff=diff,
        hunk=hunk,
        reason="The operator edited the file.",
        evidence=(),
        provenance=(Origin.OWNER,),
        confidence=1.0,
        key=f"edit {moment.at.isoformat()} {n}",
    )
