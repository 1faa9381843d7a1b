"""Put drafts before the operator: suppression, caps, scanners, hunks, one immutable file, one leaf.

Invariant: a proposal exists once its leaf is on disk; its file is on disk before that, so
a crash in between leaves a file that nothing refers to and the next run writes again.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from nightledger.codec.canonical import canonical
from nightledger.codec.records import dump_record, to_plain
from nightledger.domain.errors import RefusedError
from nightledger.domain.event import EventName
from nightledger.domain.ids import content_id
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.lanes import JOB, Said, choose, is_repeated, may_return
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Change, Draft, Kind, Op, Proposal, SizeMeter, Target
from nightledger.domain.states import OPEN_STATES, Book, ChangeState
from nightledger.files.atomic import replace_file
from nightledger.gate.fitting import fit_for_apply
from nightledger.gate.gated import read_gated
from nightledger.gate.hunks import Unfit, make_changes
from nightledger.gate.opening import Gate, Ledger, record
from nightledger.gate.screening import Held, own_rules, screen, unseen, without_own_secrets
from nightledger.gate.stored import MAX_PROPOSAL_BYTES, Stored, read_stored
from nightledger.text.place import Applied, apply_hunks
from nightledger.trust.event import path_word

CLOSED_STATES = frozenset(
    {ChangeState.REJECTED, ChangeState.WITHDRAWN, ChangeState.UNDONE, ChangeState.SUPERSEDED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What someone wants to put before the operator.

    Attributes:
        kind: Why.
        lane: ``job``, ``agent``, ``operator`` or ``edit``.
        period: Log day or run, ``2026-02-28``.
        title: One line for lists.
        drafts: Candidates; of a job, more than fit.
        supersedes: Proposal of which this one replaces changes.
        superseded_changes: Numbers of those changes.
        held: What scanners held back before it came to drafts.
    """

    kind: Kind
    lane: str
    period: str
    title: str
    drafts: Sequence[Draft]
    supersedes: str | None = None
    superseded_changes: tuple[int, ...] = ()
    held: tuple[Held, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a submission.

    Attributes:
        proposal: What now waits; None when nothing was left.
        suppressed: How many drafts had been proposed before.
        no_room: How many did not fit in the caps; they compete again.
        held: What the scanners held back.
        unfit: What has no place in the file.
        over_cap: How many additions would take the file over its host's cap.
    """

    proposal: Proposal | None
    suppressed: int = 0
    no_room: int = 0
    held: tuple[Held, ...] = ()
    unfit: tuple[Unfit, ...] = ()
    over_cap: int = 0


def propose(
    gate: Gate, ledger: Ledger, submission: Submission, moment: Moment, *, dry_run: bool = False
) -> Outcome:
    """Make one proposal of the drafts that may and fit.

    All drafts of one submission have one target. The caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        submission: What to propose.
        moment: The clocks.
        dry_run: Say what would be proposed and write nothing.
    """
    stored = read_stored(gate, ledger.book)
    said = said_before(stored, ledger.book)
    asked = submission.kind is Kind.REVERSAL or submission.supersedes is not None
    fresh = [draft for draft in submission.drafts if may_return(draft, said, asked=asked)]
    own = own_rules(gate) if fresh or submission.held else None
    screened, clean = screen(fresh, own)
    held = (*without_own_secrets(submission.held, own), *screened)
    if not dry_run:
        quarantine(gate, unseen(held, ledger.log.events), moment)
    chosen = _choose(gate, submission, stored, ledger.book, clean)
    repeated, no_room = len(submission.drafts) - len(fresh), len(clean) - len(chosen)
    outcome = Outcome(proposal=None, suppressed=repeated, no_room=no_room, held=held)
    if not chosen:
        return outcome
    fitted = _fit(_read_base(gate, chosen[0].target), chosen, said, asked=asked)
    repeated += fitted.repeated
    outcome = replace(outcome, suppressed=repeated, unfit=fitted.unfit, over_cap=fitted.over_cap)
    if not fitted.changes:
        return outcome
    proposal = _build(submission, fitted.base, fitted.changes, ledger, moment)
    if proposal.id in ledger.book.proposals:  # made before, and not to be read any more: it was altered
        return replace(outcome, suppressed=repeated + len(fitted.changes))
    if not dry_run:
        _write(gate, proposal, submission, moment)
    return replace(outcome, proposal=proposal)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fitted:
    """What drafts became as changes of one file, and what fell away on the way."""

    base: "_Base"
    changes: list[Change]
    repeated: int
    unfit: tuple[Unfit, ...]
    over_cap: int


def _fit(base: "_Base", drafts: Sequence[Draft], said: Sequence[Said], *, asked: bool) -> _Fitted:
    placed, unfit = make_changes(base.text, drafts)
    new = [change for change in placed if not is_repeated(change, said, asked=asked)]
    under_cap, over_cap = _under_cap(base, new)
    changes, broken = fit_for_apply(base.path, base.content, under_cap)
    if broken:  # what stood in the way of others, or took their room, goes, and they are tried again
        gone = tuple(_unfit(drafts, change, reason) for change, reason in broken)
        left = [draft for draft in drafts if all(draft is not lost.draft for lost in gone)]
        rest = _fit(base, left, said, asked=asked)
        return replace(rest, unfit=(*gone, *rest.unfit))
    return _Fitted(
        base=base,
        changes=changes,
        repeated=len(placed) - len(new),
        unfit=tuple(unfit),
        over_cap=over_cap,
    )


def _unfit(drafts: Sequence[Draft], change: Change, reason: str) -> Unfit:
    draft = next(d for d in drafts if (d.statement_key, d.after) == (change.key, change.after))
    return Unfit(draft=draft, reason=reason)


def submit_changes(
    gate: Gate, ledger: Ledger, submission: Submission, path: str, changes: list[Change], moment: Moment
) -> Proposal:
    """Make a proposal of changes that are placed already: an operator's own edit."""
    proposal = _build(submission, _read_base(gate, path), changes, ledger, moment)
    _write(gate, proposal, submission, moment)
    return proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class _Base:
    """The target as it is now."""

    path: str
    content: bytes
    text: str
    cap: int | None


def _read_base(gate: Gate, path: str) -> _Base:
    content = read_gated(gate.home, path)
    return _Base(
        path=path, content=content, text=content.decode("utf-8", "surrogateescape"), cap=gate.cap_characters
    )


def quarantine(gate: Gate, held: Sequence[Held], moment: Moment) -> None:
    """Keep what the scanners held back where the operator can look, and log it; secrets are not copied."""
    for item in held:
        if item.text:
            path = os.path.join(gate.home.quarantine_dir, f"{item.text_sha256}.txt")
            replace_file(path, item.text.encode("utf-8", "surrogateescape"))
    events: list[tuple[EventName, dict[str, object]]] = [
        (
            EventName.QUARANTINED,
            {
                "sha256": item.text_sha256,
                "rules": list(item.rules),
                "path": path_word(item.path),
                "line": item.line,
            },
        )
        for item in held
    ]
    if events:
        record(gate, events, moment)


def supersede(gate: Gate, changes: Sequence[tuple[str, int]], moment: Moment) -> None:
    """Close changes that wait and that something newer replaces.

    Args:
        gate: The home.
        changes: Proposal and number of each.
        moment: The clocks.
    """
    events = [_superseding(proposal, [n]) for proposal, n in changes]
    if events:
        record(gate, events, moment)


def said_before(stored: Sequence[Stored], book: Book) -> list[Said]:
    """List what was proposed before, for suppression."""
    return [
        Said(
            key=change.key,
            target=change.target,
            adds=change.op is Op.ADD,
            closed=book.proposals[item.proposal.id].state_of(change.n) in CLOSED_STATES,
            evidence=change.evidence,
            lines=(change.hunk.removed, change.hunk.added),
        )
        for item in stored
        for change in item.proposal.changes
    ]


def _choose(
    gate: Gate, submission: Submission, stored: Sequence[Stored], book: Book, drafts: list[Draft]
) -> list[Draft]:
    if submission.lane != JOB:
        return choose(drafts, additions=len(drafts), room=len(drafts))
    lanes = gate.settings.lanes
    waiting = sum(
        1
        for status in book.proposals.values()
        if status.lane == JOB
        for change in status.changes.values()
        if change.state in OPEN_STATES
    )
    spent = sum(
        1
        for item in stored
        if item.proposal.lane == JOB and item.proposal.period == submission.period
        for change in item.proposal.changes
        if change.op is Op.ADD
    )
    return choose(drafts, additions=lanes.nightly_additions - spent, room=lanes.waiting_changes - waiting)


def _under_cap(base: _Base, changes: list[Change]) -> tuple[list[Change], int]:
    """Drop the last additions until the file is under its cap, or no larger than it was."""
    kept = list(changes)
    while not _fits(base, kept) and any(change.op is Op.ADD for change in kept):
        last = max(at for at, change in enumerate(kept) if change.op is Op.ADD)
        del kept[last]
    return kept, len(changes) - len(kept)


def _fits(base: _Base, changes: Sequence[Change]) -> bool:
    return base.cap is None or _size_after(base, changes) <= max(base.cap, len(base.text))


def _size_after(base: _Base, changes: Sequence[Change]) -> int:
    result = apply_hunks(base.text, [change.hunk for change in changes])
    return len(result.text) if isinstance(result, Applied) else len(base.text)


def _build(
    submission: Submission, base: _Base, changes: list[Change], ledger: Ledger, moment: Moment
) -> Proposal:
    identity: dict[str, object] = {
        "kind": submission.kind.value,
        "lane": submission.lane,
        "target": base.path,
        "hunks": [to_plain(change.hunk) for change in changes],
        "evidence": [to_plain(evidence) for change in changes for evidence in change.evidence],
        "supersedes": submission.supersedes,
    }
    if submission.lane == EDIT_LANE or submission.kind is Kind.REVERSAL:
        identity["log_size"] = ledger.log.size  # the operator may ask for the same bytes again
    meter = SizeMeter(
        before_characters=len(base.text), after_characters=_size_after(base, changes), cap_characters=base.cap
    )
    return Proposal(
        v=1,
        id=content_id("p", canonical(identity)),
        kind=submission.kind,
        lane=submission.lane,
        created_at=moment.at,
        period=submission.period,
        title=submission.title,
        targets=(Target(path=base.path, base_sha256=hashlib.sha256(base.content).hexdigest(), meter=meter),),
        changes=tuple(changes),
        supersedes=submission.supersedes,
    )


def _write(gate: Gate, proposal: Proposal, submission: Submission, moment: Moment) -> None:
    closing = {} if submission.supersedes is None else {submission.supersedes: submission.superseded_changes}
    store(gate, proposal, moment, superseded=closing)


def store(
    gate: Gate,
    proposal: Proposal,
    moment: Moment,
    *,
    superseded: Mapping[str, Sequence[int]],
    after: Sequence[tuple[EventName, dict[str, object]]] = (),
) -> None:
    """Write a proposal's file, then its leaf with those of what it supersedes.

    Args:
        gate: The home.
        proposal: As it is to be shown.
        moment: The clocks.
        superseded: For each proposal of which it replaces changes, their numbers.
        after: What else is logged at the same time, behind it.

    Raises:
        RefusedError: It is larger than can be read again.
    """
    content = dump_record(proposal)
    if len(content) > MAX_PROPOSAL_BYTES:
        raise RefusedError(
            f"the proposal would have {len(content)} bytes; at most {MAX_PROPOSAL_BYTES} can be read again",
            hint="make the change in smaller steps",
        )
    replace_file(
        gate.home.proposal(proposal.id), content
    )  # what lies there without a leaf is a crash's orphan
    fields: dict[str, object] = {
        "proposal": proposal.id,
        "sha256": hashlib.sha256(content).hexdigest(),
        "kind": proposal.kind.value,
        "lane": proposal.lane,
        "changes": len(proposal.changes),
    }
    closed = [_superseding(name, numbers) for name, numbers in superseded.items()]
    record(gate, [(EventName.PROPOSED, fields), *closed, *after], moment)


def _superseding(proposal: str, changes: Sequence[int]) -> tuple[EventName, dict[str, object]]:
    reason = ChangeState.SUPERSEDED.value
    return EventName.CLOSED, {"proposal": proposal, "changes": list(changes), "reason": reason}
