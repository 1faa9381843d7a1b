"""Apply what is signed and has cooled: what decides that a gated file is written.

Invariant: only hunks that an operator signed are placed, each exactly where it was signed for, on the bytes of now, in
all of its files or in none; changes of text in several gated files stand or fall together; scanners, CommonMark and cap
have looked at what comes of it. ``writing.py`` writes it.
"""

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import Decision, DecisionType, EventName, Moment
from nightledger.domain.errors import NightledgerError
from nightledger.domain.finding import Severity
from nightledger.domain.judge import EDIT_LANE, Rules, judge
from nightledger.domain.kept import LETTING_GO, files_of, hunks_on, parts_of
from nightledger.domain.proposal import Anchor, Change, Op
from nightledger.domain.states import OPEN_STATES, Book, DecisionStatus
from nightledger.gate import placing
from nightledger.gate.gated import is_gated, places_of, read_accepted, read_target, why_locked
from nightledger.gate.opening import TWIN, Gate, Ledger, closing, record
from nightledger.gate.screening import own_values
from nightledger.gate.stored import Stored, hunks_sha256, read_proposal, read_stored
from nightledger.gate.trusting import read_claim, why_void, witnessed
from nightledger.gate.writing import PutBackError, Write, write_all
from nightledger.text.changes.diff import check_blocks, new_lines
from nightledger.text.changes.sections import is_made_of, keeps
from nightledger.text.markdown.document import decode, encode
from nightledger.text.scanners.scan import scan
from nightledger.text.similar import fold, same_claim

TOGETHER = "another of its files has changed, and its files change together or not at all"
ELSEWHERE = (
    "a heading above its lines was changed outside Nightledger, or something else in their section: answer that first "
    "('nightledger review')"
)


Planned = tuple[list[Write], placing.Unfit, placing.Unfit]
"""New bytes of each file; for each change that is asked again, its number and why; the same of each whose section drifted."""


def plan_apply(gate: Gate, book: Book, stored: Stored, decision: Decision, live: Sequence[int]) -> Planned:
    """Place changes on the bytes of now; what has no place takes no other with it but where all were signed as one.

    Args:
        gate: The home.
        book: What its log adds up to.
        stored: The proposal.
        decision: As signed.
        live: Numbers of the changes that are approved and still to be applied.
    """
    changes = [change for change in stored.proposal.changes if change.n in live]
    before, stale = _read(gate, changes)
    waits: placing.Unfit = {}
    while True:
        left = [change for change in changes if change.n not in stale and change.n not in waits]
        writes, lost, waiting = _writes(gate, book, stored, decision, left, before)
        _join(changes, stale | lost, lost)
        _join(left, waiting, waiting, why=placing.DRIFTED)
        if not lost and not waiting:
            return writes, stale, waits
        stale |= lost
        waits = {n: why for n, why in (waits | waiting).items() if n not in stale}


def _join(
    changes: Sequence[Change], known: Mapping[int, str], into: dict[int, str], *, why: str = TOGETHER
) -> None:
    """Let changes of text in several files share their fate: where one is named, all are."""
    texts = [change for change in changes if change.op not in LETTING_GO]
    if len({change.target for change in texts}) > 1 and any(change.n in known for change in texts):
        into |= {change.n: why for change in texts if change.n not in known}


def _read(gate: Gate, changes: Sequence[Change]) -> tuple[dict[str, bytes], dict[int, str]]:
    """Read every file once; a change whose log or archive cannot be read has no place."""
    before: dict[str, bytes] = {}
    unread: dict[str, str] = {}
    for path in files_of(changes):
        try:
            before[path] = read_target(gate.home, path)
        except NightledgerError as error:
            if path in gate.home.identity.gated:
                raise
            unread[path] = str(error)
    stale = {
        change.n: unread[part.target]
        for change in changes
        for part in parts_of(change)
        if part.target in unread
    }
    return before, stale


def _writes(
    gate: Gate,
    book: Book,
    stored: Stored,
    decision: Decision,
    changes: Sequence[Change],
    before: Mapping[str, bytes],
) -> Planned:
    writes: list[Write] = []
    stale: placing.Unfit = {}
    waits: placing.Unfit = {}
    gated = [path for path in files_of(changes) if is_gated(gate.home, path)]
    for path in gated:
        own = [change for change in changes if change.target == path]
        if not own:
            continue
        edits = stored.proposal.lane == EDIT_LANE
        write, lost, waiting = _gated(gate, book, decision, own, before[path], edits=edits)
        writes.append(write)
        stale |= lost
        waits |= waiting
    texts = {path: decode(content) for path, content in before.items() if path not in gated}
    after, unplaced = placing.put_changes(texts, changes)
    writes += [_kept(path, texts[path], after[path], changes) for path in files_of(changes) if path in texts]
    return writes, stale | dict(unplaced), waits


def _kept(path: str, before: str, after: str, changes: Sequence[Change]) -> Write:
    """Return the new bytes of a daily log or of a file of the archive, with what is new text in it."""
    parts = [part for change in changes for part in parts_of(change) if part.target == path]
    fresh = "".join(part.hunk.added for part in parts if part.hunk.anchor is not Anchor.COPY)
    return Write(path=path, before=encode(before), after=encode(after), fresh=fresh)


def _gated(
    gate: Gate, book: Book, decision: Decision, changes: Sequence[Change], before: bytes, *, edits: bool
) -> tuple[Write, placing.Unfit, placing.Unfit]:
    """Return new bytes of a gated file, the changes that are asked again, and those that wait for drift.

    An operator's edit is placed on the bytes that stand there, at once or not at all.
    """
    path, numbers = changes[0].target, [change.n for change in changes]
    unchanged = Write(path=path, before=before, after=before)
    is_accepted = edits or hashlib.sha256(before).hexdigest() == book.accepted_of(path)
    accepted = before if is_accepted else read_accepted(gate.home, book, path)
    if accepted is None:
        return unchanged, {}, dict.fromkeys(numbers, placing.LOST)
    anchors = placing.anchors_of(decision, path)
    made, after, stale, waiting = placing.place_around(accepted, before, changes, anchors)
    write: Write | str = replace(unchanged, after=after)
    if edits:
        write = own_write(gate, book, path, before, after)
    elif not is_accepted:
        write = replace(unchanged, after=after, accepted_before=accepted, accepted=made)
    if isinstance(write, str):
        return unchanged, dict.fromkeys(numbers, write), {}
    return write, stale, waiting


def own_write(
    gate: Gate, book: Book, path: str, before: bytes, after: bytes, undone: tuple[str, str] | None = None
) -> Write | str:
    """Return what an operator's own edit or undo writes to a gated file, around what drifted; or why it may not.

    Args:
        gate: The home.
        book: What its log adds up to.
        path: The file.
        before: Its bytes.
        after: Its new bytes, as the operator saw them.
        undone: Of an undo, the text without what it takes back, and the one with it.
    """
    if hashlib.sha256(before).hexdigest() == book.accepted_of(path):
        return Write(path=path, before=before, after=after)
    accepted = read_accepted(gate.home, book, path)
    if accepted is None:
        return placing.LOST
    carried = placing.carry(accepted, before, after)
    steps = [(decode(before), decode(after)), *([(undone[1], undone[0])] if undone else [])]
    made, signed = decode(carried), decode(accepted)
    if not (is_made_of(made, [signed], steps) and keeps(made, signed, decode(after))):
        return ELSEWHERE
    return Write(path=path, before=before, after=after, accepted_before=accepted, accepted=carried)


class Attempt(Struct, frozen=True, kw_only=True):
    """What became of one approval.

    Attributes:
        decision: Its id.
        proposal: What it is about.
        changes: Numbers of the changes applied.
        stale: For each change that has no place any more, its number and why.
        reasons: Why nothing was applied; empty when something was.
        waits: For each change that touches what drifted, its number and why; it is tried again.
        wait_s: Seconds until asking again may help.
        raced: Whether a writer that ignores our lock wrote at the same moment; its bytes are kept.
        forgot: Whether it deleted a link: the view of links is to be folded anew.
    """

    decision: str
    proposal: str
    changes: tuple[int, ...] = ()
    stale: tuple[tuple[int, str], ...] = ()
    reasons: tuple[str, ...] = ()
    waits: tuple[tuple[int, str], ...] = ()
    wait_s: int = 0
    raced: bool = False
    forgot: bool = False


def apply_one(gate: Gate, ledger: Ledger, status: DecisionStatus, moment: Moment) -> Attempt:
    """Apply one approval, or say why not; the caller holds the home's lock."""
    proposal_status = ledger.book.proposals[status.proposal]
    stored = read_proposal(gate, proposal_status)
    claim = replace(read_claim(gate.home, ledger, status), witnessed=witnessed(gate, ledger, status, moment))
    rules = Rules(
        origin=gate.home.identity.origin,
        cooling=gate.cooling,
        consent=gate.consent,
        places=places_of(gate.home),
    )
    verdict = judge(claim, stored.proposal, stored.sha256, proposal_status, rules=rules, now=moment)
    reasons = (*verdict.reasons, *_hunk_reasons(stored, claim.decision))
    live = proposal_status.approved_by(status.id)
    void = why_void(gate.home, ledger, status, moment)
    if not void and claim.latest(moment) >= claim.decision.expires:
        void = f"its approval expired at {claim.decision.expires:%Y-%m-%d %H:%M} UTC"
    if void:
        stale = _ask_again(gate, claim.decision, [(n, void) for n in live], moment)
        return Attempt(decision=status.id, proposal=status.proposal, stale=stale)
    if reasons or verdict.wait_s:
        return Attempt(decision=status.id, proposal=status.proposal, reasons=reasons, wait_s=verdict.wait_s)
    return _place(gate, ledger.book, stored, claim.decision, moment)


def _ask_again(
    gate: Gate, decision: Decision, stale: Sequence[tuple[int, str]], moment: Moment
) -> tuple[tuple[int, str], ...]:
    """Log that approved changes cannot be applied, so that the operator is asked again."""
    fields: dict[str, object] = {
        "proposal": decision.proposal,
        "changes": [n for n, _ in stale],
        "decision": decision.id,
    }
    if stale:
        record(gate, [(EventName.STALE, fields)], moment)
    return tuple(stale)


def _hunk_reasons(stored: Stored, decision: Decision) -> list[str]:
    """Check that the hunks about to be placed are those that were signed."""
    signed = [change for change in stored.proposal.changes if change.n in decision.changes]
    return [
        f"the changes to {target.path} are not those that were signed"
        for target in decision.targets
        if hunks_sha256(hunks_on(target.path, signed)) != target.hunks_sha256
    ]


def _place(gate: Gate, book: Book, stored: Stored, decision: Decision, moment: Moment) -> Attempt:
    """Place the approved changes that are still to be applied; the others were answered since."""
    live = book.proposals[decision.proposal].approved_by(decision.id)
    writes, lost, waits = plan_apply(gate, book, stored, decision, live)
    stale = _ask_again(gate, decision, list(lost.items()), moment)
    applied = tuple(n for n in live if n not in lost and n not in waits)
    reasons = [reason for write in writes if applied for reason in check_result(gate, write)]
    reasons += [why for write in writes if applied and (why := why_locked(gate, write.path))]
    attempt = Attempt(
        decision=decision.id,
        proposal=decision.proposal,
        stale=stale,
        reasons=tuple(reasons),
        waits=tuple(waits.items()),
    )
    if reasons or not applied:
        return attempt
    forgets = any(c.op is Op.DELETE_LINK for c in stored.proposal.changes if c.n in applied)
    besides: dict[str, object] = {}
    if forgets:
        from nightledger.gate.forgotten import count_outcomes  # for the few that forget a link

        besides = {"outcomes": count_outcomes(gate.home)}
    try:
        raced = write_all(gate, decision, applied, writes, moment, besides=besides)
    except PutBackError as error:
        return replace(attempt, reasons=(str(error),))
    withdraw_twins(gate, book, stored, applied, moment)
    return replace(attempt, changes=applied, raced=raced, forgot=forgets)


def check_result(gate: Gate, write: Write, *, capped: bool = True) -> list[str]:
    """Let CommonMark, scanners and cap look at the bytes that would stand there.

    Of a file that is not gated scanners look at what is new text in it, not at bytes that only moved.

    Args:
        gate: The home.
        write: What would be written.
        capped: Whether the host's cap counts. Not for an undo: what it gives back stood there, however
            large its file was.
    """
    gated = is_gated(gate.home, write.path)
    reasons = check_text(write) if gated else _scanned(write.path, write.fresh)
    directory = os.path.dirname(gate.home.resolve(write.path))
    while not os.path.lexists(directory):
        directory = os.path.dirname(directory)
    if not os.access(directory, os.W_OK):
        reasons.append(f"{directory} may not be written by this user")
    if own_values(gate, new_lines(decode(write.before), decode(write.after))):
        reasons.append(f"{write.path}: a row of the operator's rule files holds the new text back")
    before, after = map(len, map(decode, (write.before, write.after)))
    cap = gate.most_characters(write.path) if capped else None
    if cap is not None and after > max(cap, before):
        reasons.append(
            f"{write.path} would have {after} characters and its host shows {gate.cap_of(write.path).told}"
        )
    return reasons


def check_text(write: Write) -> list[str]:
    """Let CommonMark and scanners look at the bytes that would stand there."""
    reasons = [f"{write.path}: {reason}" for reason in check_blocks(write.before, write.after)]
    return [*reasons, *_scanned(write.path, new_lines(decode(write.before), decode(write.after)))]


def _scanned(path: str, added: str) -> list[str]:
    seen = sorted({f.rule for f in scan(added) if f.severity is not Severity.FLAG})
    return [f"{path}: the scanner {rule} holds the new text back" for rule in seen]


def withdraw_twins(gate: Gate, book: Book, applied: Stored, numbers: Collection[int], moment: Moment) -> None:
    """Withdraw and log the additions that wait and say what some changes of a proposal have just put in.

    What is signed, or takes something out, stays the operator's to answer.
    """
    said = [change for change in applied.proposal.changes if change.n in numbers and change.after.strip()]
    events = []
    for item in read_stored(gate, book, states=OPEN_STATES) if said else ():
        status = book.proposals[item.proposal.id]
        twins = [c.n for c in item.proposal.changes if any(_is_twin(c, one) for one in said)]
        # drift stands there already
        waits = [n for n in status.answerable(DecisionType.APPROVE) if n in twins]
        events += [closing(status.id, waits, cause=TWIN)] if waits and status.lane != EDIT_LANE else []
    record(gate, events, moment)


def _is_twin(waiting: Change, applied: Change) -> bool:
    alike = fold(waiting.after) == fold(applied.after) or same_claim(waiting.after, applied.after)
    return waiting.op is Op.ADD and waiting.target == applied.target and alike
