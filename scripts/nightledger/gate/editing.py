"""An operator's own wording: an edited change, or an edit of a gated file.

Invariant: an edit becomes hunks that give exactly the edited bytes, and it is signed and
logged like anything else.
"""

from collections.abc import Sequence

from nightledger.domain.errors import RefusedError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.lanes import OPERATOR
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Anchor, Change, Draft, Hunk, Kind, Op, Origin, Proposal
from nightledger.gate.gated import read_gated
from nightledger.gate.hunks import readable_diff
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing import Outcome, Submission, propose, submit_changes
from nightledger.gate.stored import Stored
from nightledger.text.diff import Run, changed_runs
from nightledger.text.markdown import is_utf8, split_lines
from nightledger.text.place import Applied, apply_hunks
from nightledger.text.place_context import context_needed


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
    at = document.find(hunk.context_before + hunk.removed) if hunk.removed else -1
    return document.count("\n", 0, at + len(hunk.context_before)) + 1 if at >= 0 else 0


def propose_edit(gate: Gate, ledger: Ledger, path: str, edited: bytes, moment: Moment) -> Proposal | None:
    """Turn an operator's edit of a gated file into a proposal of its own lane.

    Returns:
        The proposal, to be signed at once; None when nothing was changed.

    Raises:
        RefusedError: It touches bytes that are not UTF-8, which no record can hold.
    """
    document = read_gated(gate.home, path).decode("utf-8", "surrogateescape")
    wanted = edited.decode("utf-8", "surrogateescape")
    hunks = edit_hunks(document, wanted)
    if not hunks:
        return None
    if not all(is_utf8(text) for hunk in hunks for text in (hunk.removed, hunk.added)):
        raise RefusedError(
            f"the edit touches lines of {path} that are not UTF-8",
            hint="mend these lines in your own editor; 'nightledger verify' then shows them as drift",
        )
    changes = [_edit_change(n, path, document, hunk, moment) for n, hunk in enumerate(hunks, 1)]
    submission = Submission(
        kind=Kind.BEHAVIOUR,
        lane=EDIT_LANE,
        period=moment.at.date().isoformat(),
        title=f"The operator's edit of {path}",
        drafts=(),
    )
    return submit_changes(gate, ledger, submission, path, changes, moment)


def edit_hunks(document: str, wanted: str) -> list[Hunk]:
    """Give hunks that turn one text into the other, as few lines each as tell their place."""
    old, new = split_lines(document), split_lines(wanted)
    runs = changed_runs(old, new)
    if not runs:
        return []
    span = Run(
        old_start=runs[0].old_start,
        old_stop=runs[-1].old_stop,
        new_start=runs[0].new_start,
        new_stop=runs[-1].new_stop,
    )
    for attempt in (runs, (span,)):
        hunks = [hunk for run in attempt if (hunk := _hunk(old, new, run)) is not None]
        result = apply_hunks(document, hunks)
        if len(hunks) == len(attempt) and isinstance(result, Applied) and result.text == wanted:
            return hunks
    return [Hunk(anchor=Anchor.EXACT, section=(), removed=document, added=wanted)]


def _hunk(old: Sequence[str], new: Sequence[str], run: Run) -> Hunk | None:
    needed = context_needed(old, run.old_start, run.old_stop)
    if needed is None:
        return None
    before, after = needed
    return Hunk(
        anchor=Anchor.EXACT,
        section=(),
        removed="".join(old[run.old_start : run.old_stop]),
        added="".join(new[run.new_start : run.new_stop]),
        context_before="".join(old[run.old_start - before : run.old_start]),
        context_after="".join(old[run.old_stop : run.old_stop + after]),
    )


def _edit_change(n: int, path: str, document: str, hunk: Hunk, moment: Moment) -> Change:
    alone = apply_hunks(document, [hunk])
    diff = readable_diff(document, alone.text, path=path) if isinstance(alone, Applied) else ""
    op = Op.REPLACE if hunk.removed and hunk.added else Op.ADD if hunk.added else Op.REMOVE
    return Change(
        n=n,
        op=op,
        target=path,
        section="",
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
