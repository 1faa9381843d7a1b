"""Put drafts before the operator: suppression, caps, scanners, hunks, one immutable file, one leaf.

Invariant: of what waits only what nobody has answered yet makes room, and only for what is surer; it is withdrawn and
logged, and competes again.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import canonical
from nightledger.codec.records import to_plain
from nightledger.domain import judge
from nightledger.domain.decision import EventName, Moment
from nightledger.domain.proposal import HOLE, VERSION, Change, Draft, Kind, Op, Proposal, SizeMeter, Target
from nightledger.domain.states import ENDED, OPEN_STATES, Book, ChangeState
from nightledger.domain.words import content_id
from nightledger.files.atomic import replace_file
from nightledger.gate.drafting import Base, Fitted, Unfit, fit_drafts, read_base, size_after
from nightledger.gate.forgotten import read_forgotten
from nightledger.gate.opening import BETTER, Gate, Leaf, Ledger, closing, record
from nightledger.gate.screening import Held, own_rules, screen, unseen, without_own_secrets
from nightledger.gate.stored import Stored, read_stored, store, without_unanswered
from nightledger.text.markdown.document import encode, parse_markdown, section_of
from nightledger.trust.event import path_word

_Room = tuple[int, list[tuple[float, str, int]]]
"""How many changes may still wait, negative where more do than may; and confidence, proposal and number of each that may
make room, the weakest first."""
_GAP = 4
"""Line ends around an addition, at most."""
_LEAF_BYTES = 60_000
"""An entry of the log has at most 65,535 bytes."""


class Submission(Struct, frozen=True, kw_only=True):
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
        asked: Whether the operator asks for these very changes: what was answered with no before may return.
        room: Gives what may go where its additions have no room under the cap: for so many characters, drafts that
            fit a test.
        most: How many additions it may make; None leaves that to the night's cap.
    """

    kind: Kind
    lane: str
    period: str
    title: str
    drafts: Sequence[Draft]
    supersedes: str | None = None
    superseded_changes: tuple[int, ...] = ()
    held: tuple[Held, ...] = ()
    asked: bool = False
    room: Callable[[int, Callable[[Draft], bool]], Sequence[Draft]] | None = None
    most: int | None = None


class Outcome(Struct, frozen=True, kw_only=True):
    """What became of a submission.

    Attributes:
        proposal: What now waits; None when nothing was left.
        suppressed: How many drafts had been proposed before.
        no_room: How many did not fit in the caps; they compete again.
        held: What the scanners held back; of a job, what no earlier night held back.
        unfit: What has no place in the file.
        over_cap: How many additions would take the file over its host's cap.
    """

    proposal: Proposal | None
    suppressed: int = 0
    no_room: int = 0
    held: tuple[Held, ...] = ()
    unfit: tuple[Unfit, ...] = ()
    over_cap: int = 0

    @property
    def problems(self) -> list[str]:
        """Why drafts could not be proposed, each with its place."""
        unfit = [
            f"{one.draft.target}{f':{one.draft.line}' * bool(one.draft.line)}: {one.reason}"
            for one in self.unfit
        ]
        return unfit + [f"{one.path}: scanners hold it back ({', '.join(one.rules)})" for one in self.held]


def propose(
    gate: Gate, ledger: Ledger, submission: Submission, moment: Moment, *, dry_run: bool = False
) -> Outcome:
    """Make one proposal of the drafts that may and fit.

    The caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        submission: What to propose.
        moment: The clocks.
        dry_run: Say what would be proposed and write nothing.
    """
    stored = read_stored(gate, ledger.book)
    said = [] if submission.kind is Kind.FORGET else said_before(stored, ledger.book)
    asked = submission.asked or submission.kind is Kind.REVERSAL or submission.supersedes is not None
    allowed = [draft for draft in submission.drafts if judge.may_return(draft, said, asked=asked)]
    expunged = read_forgotten(gate, (), ledger.book)
    forgotten = expunged if asked else read_forgotten(gate, stored, ledger.book)
    fresh = [
        draft
        for draft in allowed
        if not forgotten.holds(draft.after) and not expunged.holds("\n".join(_beside(draft)))
    ]
    own = own_rules(gate) if fresh or submission.held else None
    screened, clean = screen(fresh, own)
    held = (*without_own_secrets(submission.held, own), *screened)
    new = unseen(held, ledger.log.events)
    if not dry_run:
        quarantine(gate, new, moment)
    held = tuple(new) if submission.lane == judge.JOB else held  # what earlier nights told of is no news
    room = _find_room(ledger.book, stored, gate.settings.waiting_changes) if _is_queued(submission) else None
    chosen = _choose(gate, submission, stored, ledger.book, clean, room)
    repeated = len(submission.drafts) - len(fresh)
    outcome = Outcome(proposal=None, suppressed=repeated, no_room=len(clean) - len(chosen), held=held)
    if not chosen:
        return outcome
    fitted = _with_room(gate, submission, chosen, said, _refused_room(stored, ledger.book), asked=asked)
    repeated += fitted.repeated
    outcome = replace(outcome, suppressed=repeated, unfit=fitted.unfit, over_cap=fitted.over_cap)
    if not fitted.changes:
        return outcome
    proposal = _build(submission, fitted.bases, fitted.changes, ledger, moment)
    if proposal.id in ledger.book.proposals:  # made before, and not to be read any more: it was altered
        return replace(outcome, suppressed=repeated + len(fitted.changes))
    if not dry_run:
        after = _withdrawals(room, len(fitted.changes)) if room else ()
        store(gate, proposal, moment, superseded=_superseded(submission), after=after)
    return replace(outcome, proposal=proposal)


def _with_room(
    gate: Gate,
    submission: Submission,
    chosen: Sequence[Draft],
    said: Sequence[judge.Said],
    refused: Sequence[judge.Said],
    *,
    asked: bool,
) -> Fitted:
    """Fit drafts; where additions have no room under the cap, together with what would go for those that may ask, first."""
    fitted = fit_drafts(gate, chosen, said, asked=asked)
    asks = [draft for draft in chosen if judge.may_return(draft, refused)]
    sizes = [len(draft.after) + _GAP for draft in asks if draft.op is Op.ADD]
    if not (fitted.over_cap and sizes) or submission.room is None:
        return fitted
    needs = (sum(sizes[:n]) for n in range(len(sizes), 0, -1))  # for fewer, where not for all
    grown = [draft.section for draft in chosen if draft.op is Op.ADD]

    def may_go(draft: Draft) -> bool:
        title = _title(draft.before)
        gone = (*draft.section, *title)
        return judge.may_return(draft, said) and not (
            title and any(one[: len(gone)] == gone for one in grown)
        )

    found = (submission.room(need, may_go) for need in needs)
    removals = next(filter(None, found), ())
    rest = [draft for draft in chosen if draft not in asks]
    together = fit_drafts(gate, [*removals, *asks, *rest], said, asked=asked)
    return together if together.over_cap < fitted.over_cap else fitted


def _title(text: str) -> tuple[str, ...]:
    """Return the heading that a text begins with, if it does: its section goes with it, and nothing is added to that."""
    document = parse_markdown(text)
    first = next((n for n, line in enumerate(document.lines, 1) if line.strip()), 1)
    return section_of(document, first, first).path


def _beside(draft: Draft) -> tuple[str, ...]:
    """Give the words that a proposal has beside what it puts into a file."""
    return (draft.reason, *draft.section, *(evidence.path for evidence in draft.evidence))


def submit_changes(
    gate: Gate, ledger: Ledger, submission: Submission, path: str, changes: list[Change], moment: Moment
) -> Proposal:
    """Make a proposal of changes that are placed already: an operator's own edit."""
    proposal = _build(submission, [read_base(gate, path)], changes, ledger, moment)
    store(gate, proposal, moment, superseded=_superseded(submission))
    return proposal


def quarantine(gate: Gate, held: Sequence[Held], moment: Moment) -> None:
    """Keep what the scanners held back where the operator can look, and log it; secrets are not copied."""
    for item in held:
        if item.text:
            path = os.path.join(gate.home.quarantine_dir, f"{item.text_sha256}.txt")
            replace_file(path, encode(item.text))
    told = [
        {
            "sha256": item.text_sha256,
            "rules": list(item.rules),
            "path": path_word(item.path),
            "line": item.line,
        }
        for item in held
    ]
    record(gate, [(EventName.QUARANTINED, fields) for fields in told], moment)


def supersede(gate: Gate, changes: Sequence[tuple[str, int]], moment: Moment) -> None:
    """Close changes that wait and that something newer replaces.

    Args:
        gate: The home.
        changes: Proposal and number of each.
        moment: The clocks.
    """
    events = [closing(proposal, [n], ChangeState.SUPERSEDED) for proposal, n in changes]
    record(gate, events, moment)


def said_before(stored: Sequence[Stored], book: Book) -> list[judge.Said]:
    """List what was proposed before, for suppression.

    Where a secret was taken out nobody can tell from the record which one it was: what stands
    there now may be another, so that change suppresses nothing any more.
    """
    return [
        _said(change, closed=book.proposals[item.proposal.id].state_of(change.n) in ENDED)
        for item in without_unanswered(stored, book)
        for change in item.proposal.changes
        if HOLE not in change.hunk.removed
        or book.proposals[item.proposal.id].state_of(change.n) is not ChangeState.APPLIED
    ]


def _said(change: Change, *, closed: bool) -> judge.Said:
    return judge.Said(
        key=change.key,
        target=change.target,
        adds=change.op is Op.ADD,
        closed=closed,
        evidence=change.evidence,
        lines=(change.hunk.removed, change.hunk.added),
    )


def _refused_room(stored: Sequence[Stored], book: Book) -> list[judge.Said]:
    """List the additions that went unanswered because the operator kept what was to go for them.

    Nothing else is asked to go for those until another source says them: who keeps one thing would else be asked about
    the next every second morning, until nothing is left to ask about. Where there is room, they need not ask.
    """
    return [
        _said(change, closed=True)
        for item in stored
        for states in [
            {one.n: book.proposals[item.proposal.id].state_of(one.n) for one in item.proposal.changes}
        ]
        if any(
            one.op is not Op.ADD and states[one.n] is ChangeState.REJECTED for one in item.proposal.changes
        )
        for change in item.proposal.changes
        if change.op is Op.ADD and states[change.n] is ChangeState.WITHDRAWN
    ]


def _is_queued(submission: Submission) -> bool:
    """Tell whether a submission waits in the queue of jobs; the pruner counts by itself."""
    return submission.lane == judge.JOB and submission.kind is not Kind.PRUNE


def _choose(
    gate: Gate,
    submission: Submission,
    stored: Sequence[Stored],
    book: Book,
    drafts: list[Draft],
    room: _Room | None,
) -> list[Draft]:
    if submission.lane == judge.JOB and submission.kind is Kind.PRUNE:
        deletions = judge.MOST_DELETIONS - _waiting_deletions(stored, book)
        return judge.choose_to_forget(drafts, deletions=deletions, leaf_bytes=_LEAF_BYTES)
    if room is None:
        return judge.choose(drafts, additions=len(drafts), room=len(drafts))
    spent = sum(
        1
        for item in stored
        if item.proposal.lane == judge.JOB and item.proposal.period == submission.period
        for change in item.proposal.changes
        if change.op is Op.ADD
    )
    left = gate.settings.nightly_additions - spent
    most = left if submission.most is None else min(left, submission.most)
    best = judge.choose(drafts, additions=most, room=len(drafts))
    free, weakest = room
    return judge.admit(best, [confidence for confidence, _, _ in weakest], free)


def _find_room(book: Book, stored: Iterable[Stored], most: int) -> _Room:
    """Return the room in the queue of all jobs but the pruner, whose proposals have their own.

    What the operator put off, or signed once, was looked at: it stays.
    """
    lane = [status for status in book.live() if status.lane == judge.JOB and status.kind is not Kind.PRUNE]
    states = {(status.id, n): change.state for status in lane for n, change in status.changes.items()}
    weakest = (
        (change.confidence, item.proposal.id, change.n)
        for item in stored
        for change in item.proposal.changes
        if states.get((item.proposal.id, change.n)) is ChangeState.PENDING
    )
    return most - sum(state in OPEN_STATES for state in states.values()), sorted(weakest)


def _withdrawals(room: _Room, count: int) -> list[Leaf]:
    """Return the entries that withdraw what has to make room for so many changes."""
    free, weakest = room
    return [closing(name, [n], cause=BETTER) for _, name, n in weakest[: max(0, count - free)]]


def _waiting_deletions(stored: Sequence[Stored], book: Book) -> int:
    return sum(
        change.op is Op.DELETE_LINK and book.proposals[item.proposal.id].state_of(change.n) in OPEN_STATES
        for item in stored
        for change in item.proposal.changes
    )


def _build(
    submission: Submission, bases: Sequence[Base], changes: Sequence[Change], ledger: Ledger, moment: Moment
) -> Proposal:
    identity: dict[str, object] = {
        "kind": submission.kind.value,
        "lane": submission.lane,
        "target": bases[0].path if len(bases) == 1 else [base.path for base in bases],
        "hunks": [to_plain(change.hunk) for change in changes],
        "evidence": [to_plain(evidence) for change in changes for evidence in change.evidence],
        "supersedes": submission.supersedes,
    }
    if parts := [to_plain(part) for change in changes for part in change.also]:
        identity["also"] = parts
    if keys := [change.key for change in changes if change.op is Op.DELETE_LINK]:
        identity["keys"] = keys  # a link that later outcomes started anew has the same name
    name = content_id("p", canonical(identity))
    asked = submission.asked or submission.kind in (Kind.REVERSAL, Kind.FORGET)
    if asked or submission.lane == judge.EDIT_LANE or _was_withdrawn(ledger.book, name):
        identity["log_size"] = (
            ledger.log.size
        )  # the operator, or a later night, may ask for the same bytes again
        name = content_id("p", canonical(identity))
    return Proposal(
        v=VERSION,
        id=name,
        kind=submission.kind,
        lane=submission.lane,
        created_at=moment.at,
        period=submission.period,
        title=submission.title,
        targets=tuple(_target(base, changes) for base in bases),
        changes=tuple(changes),
        supersedes=submission.supersedes,
    )


def _was_withdrawn(book: Book, name: str) -> bool:
    """Tell whether a proposal was made before and nobody answered any of it."""
    known = book.proposals.get(name)
    return known is not None and {c.state for c in known.changes.values()} == {ChangeState.WITHDRAWN}


def _target(base: Base, changes: Sequence[Change]) -> Target:
    own = [change for change in changes if change.target == base.path]
    return Target(
        path=base.path,
        base_sha256=hashlib.sha256(base.content).hexdigest(),
        meter=SizeMeter(
            before_characters=len(base.text),
            after_characters=size_after(base, own),
            cap_characters=base.cap,
        ),
    )


def _superseded(submission: Submission) -> dict[str, Sequence[int]]:
    name = submission.supersedes
    return {} if name is None else {name: submission.superseded_changes}
