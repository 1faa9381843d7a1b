"""Apply what is signed and has cooled: the only code that writes a gated file.

Invariant: at every moment, power loss included, a gated file holds the bytes before or
the bytes after, the log says which, and the bytes before are kept for undo. The order
is: intent on disk, blobs on disk, exchange, what was replaced hashed again, done.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from nightledger.codec.canonical import canonical
from nightledger.domain.decision import Decision, DecisionTarget
from nightledger.domain.event import EventName
from nightledger.domain.finding import Severity
from nightledger.domain.ids import content_id
from nightledger.domain.judge import EDIT_LANE, Rules, judge
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Change
from nightledger.domain.states import Book, DecisionStatus
from nightledger.files.atomic import create_file, exchange_file
from nightledger.files.blobs import BlobStore
from nightledger.gate.around import LOST, TOUCHES, carry, place_around, read_accepted
from nightledger.gate.deciding import read_claim, why_void
from nightledger.gate.gated import read_gated
from nightledger.gate.hunks import hunks_sha256, why_not
from nightledger.gate.locking import require_exchangeable, swap_for, why_locked
from nightledger.gate.opening import Gate, Ledger, record
from nightledger.gate.screening import own_values
from nightledger.gate.stored import Stored, read_proposal
from nightledger.gate.witnessing import witnessed
from nightledger.text.diff import changed_runs
from nightledger.text.markdown import split_lines
from nightledger.text.markdown_check import check_blocks
from nightledger.text.place import Applied, Placed, apply_hunks
from nightledger.text.scan import scan


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
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
    """

    decision: str
    proposal: str
    changes: tuple[int, ...] = ()
    stale: tuple[tuple[int, str], ...] = ()
    reasons: tuple[str, ...] = ()
    waits: tuple[tuple[int, str], ...] = ()
    wait_s: int = 0
    raced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """New bytes for one gated file, and the bytes that they replace.

    Attributes:
        path: The file.
        before: What stands in it.
        after: What is to stand in it.
        accepted_before: What was accepted before, where drift makes it something else than ``before``.
        accepted: What is accepted since, where it is something else than ``after``.
    """

    path: str
    before: bytes
    after: bytes
    accepted_before: bytes | None = None
    accepted: bytes | None = None


def apply_one(gate: Gate, ledger: Ledger, status: DecisionStatus, moment: Moment) -> Attempt:
    """Apply one approval, or say why not; the caller holds the home's lock."""
    proposal_status = ledger.book.proposals[status.proposal]
    stored = read_proposal(gate, proposal_status)
    claim = replace(read_claim(gate.home, ledger, status), witnessed=witnessed(gate, ledger, status, moment))
    rules = Rules(
        origin=gate.home.identity.origin,
        cooling=gate.cooling,
        consent=gate.consent,
        gated=gate.home.identity.gated,
    )
    verdict = judge(claim, stored.proposal, stored.sha256, proposal_status, rules=rules, now=moment)
    reasons = (*verdict.reasons, *_hunk_reasons(stored, claim.decision))
    live = proposal_status.approved_by(status.id)
    void = why_void(gate.home, ledger, status, moment)
    if void:
        stale = _ask_again(gate, claim.decision, [(n, void) for n in live], moment)
        return Attempt(decision=status.id, proposal=status.proposal, stale=stale)
    if claim.latest(moment) >= claim.decision.expires:
        reason = f"its approval expired at {claim.decision.expires:%Y-%m-%d %H:%M} UTC"
        stale = _ask_again(gate, claim.decision, [(n, reason) for n in live], moment)
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
    reasons = []
    for target in decision.targets:
        hunks = [
            c.hunk for c in stored.proposal.changes if c.n in decision.changes and c.target == target.path
        ]
        if hunks_sha256(hunks) != target.hunks_sha256:
            reasons.append(f"the changes to {target.path} are not those that were signed")
    return reasons


def _place(gate: Gate, book: Book, stored: Stored, decision: Decision, moment: Moment) -> Attempt:
    """Place the approved changes that are still to be applied; the others were answered since."""
    live = book.proposals[decision.proposal].approved_by(decision.id)
    writes: list[Write] = []
    unplaced: list[tuple[int, str]] = []
    waiting: list[tuple[int, str]] = []
    for target in decision.targets:
        changes = [c for c in stored.proposal.changes if c.n in live and c.target == target.path]
        write, lost, waits = _write(gate, book, stored, target.path, changes)
        writes.append(write)
        unplaced += lost
        waiting += waits
    if unplaced and len(writes) > 1:
        together = "another of its files has changed, and its files change together or not at all"
        unplaced += [(n, together) for n in live if n not in dict(unplaced)]
    if waiting and len(writes) > 1:
        waiting = [(n, dict(waiting).get(n, TOUCHES)) for n in live if n not in dict(unplaced)]
    stale = _ask_again(gate, decision, unplaced, moment)
    applied = tuple(n for n in live if n not in dict(unplaced) and n not in dict(waiting))
    reasons = [reason for write in writes for reason in _why_not_now(gate, write)] if applied else []
    raced = False
    if reasons or not applied:
        applied = ()
    else:
        raced = write_all(gate, decision, applied, writes, moment)
    return Attempt(
        decision=decision.id,
        proposal=decision.proposal,
        changes=applied,
        stale=stale,
        reasons=tuple(reasons),
        waits=tuple(waiting),
        raced=raced,
    )


def _write(
    gate: Gate, book: Book, stored: Stored, path: str, changes: Sequence[Change]
) -> tuple[Write, Sequence[tuple[int, str]], Sequence[tuple[int, str]]]:
    """Give new bytes of a file, the changes without a place, and those that wait for drift to be settled."""
    before = read_gated(gate.home, path)
    if hashlib.sha256(before).hexdigest() == book.accepted_of(path):
        after, lost = place_changes(before, changes)
        return Write(path=path, before=before, after=after), lost, ()
    signed = read_accepted(gate.home, book, path)
    if signed is None:
        why = [(change.n, LOST) for change in changes]
        is_edit = stored.proposal.lane == EDIT_LANE  # made at once or not at all
        return Write(path=path, before=before, after=before), why if is_edit else (), () if is_edit else why
    if stored.proposal.lane == EDIT_LANE:
        after, lost = place_changes(before, changes)
        carried = carry(signed, before, after)
        return (
            Write(path=path, before=before, after=after, accepted_before=signed, accepted=carried),
            lost,
            (),
        )
    around = place_around(signed, before, changes)
    write = Write(
        path=path, before=before, after=around.after, accepted_before=signed, accepted=around.accepted
    )
    return write, around.stale, around.waiting


def place_changes(before: bytes, changes: Sequence[Change]) -> tuple[bytes, list[tuple[int, str]]]:
    """Place each change that still has exactly one place; name the others.

    Returns:
        The new bytes, and for each change without a place its number and why.
    """
    text = before.decode("utf-8", "surrogateescape")
    placed: list[Change] = []
    stale: list[tuple[int, str]] = []
    result = text
    for change in changes:
        attempt = apply_hunks(text, [*(other.hunk for other in placed), change.hunk])
        if isinstance(attempt, Applied):
            placed.append(change)
            result = attempt.text
        else:
            stale.append((change.n, why_not(attempt)))
    return result.encode("utf-8", "surrogateescape"), stale


def _why_not_now(gate: Gate, write: Write) -> list[str]:
    locked = why_locked(gate, write.path)
    return [*check_result(gate, write), *([locked] if locked else [])]


def check_result(gate: Gate, write: Write) -> list[str]:
    """Let CommonMark, scanners and cap look at the bytes that would stand there."""
    reasons = check_text(write)
    directory = os.path.dirname(gate.home.resolve(write.path))
    if not os.access(directory, os.W_OK):
        reasons.append(f"{directory} may not be written by this user")
    if own_values(gate, _added(write)):
        reasons.append(f"{write.path}: a row of the operator's rule files holds the new text back")
    before, after = (len(text.decode("utf-8", "surrogateescape")) for text in (write.before, write.after))
    cap = gate.cap_characters
    if cap is not None and after > max(cap, before):
        reasons.append(f"{write.path} would have {after} characters and its host shows {cap}")
    return reasons


def check_text(write: Write) -> list[str]:
    """Let CommonMark and scanners look at the bytes that would stand there."""
    before, after = (text.decode("utf-8", "surrogateescape") for text in (write.before, write.after))
    broken = check_blocks(write.before, write.after, _placed(before, after))
    reasons = [f"{write.path}: {reason}" for reason in broken]
    seen = sorted({f.rule for f in scan(_added(write)) if f.severity is not Severity.FLAG})
    reasons += [f"{write.path}: the scanner {rule} holds the new text back" for rule in seen]
    return reasons


def _added(write: Write) -> str:
    before, after = (
        text.decode("utf-8", "surrogateescape").split("\n") for text in (write.before, write.after)
    )
    old = set(before)
    return "\n".join(line for line in after if line not in old)


def _placed(before: str, after: str) -> list[Placed]:
    """Give the differences of two texts as placed hunks, each in the text as those before it left it."""
    old, new = split_lines(before), split_lines(after)
    return [
        Placed(
            start=sum(map(len, new[: run.new_start])),
            end=sum(map(len, new[: run.new_start])) + sum(map(len, old[run.old_start : run.old_stop])),
            text="".join(new[run.new_start : run.new_stop]),
        )
        for run in changed_runs(old, new)
    ]


def write_all(
    gate: Gate,
    decision: Decision,
    changes: tuple[int, ...],
    writes: Sequence[Write],
    moment: Moment,
    *,
    taken_back: Sequence[int] = (),
) -> bool:
    """Write files so that a crash at any moment is finished or taken back at the next start.

    Args:
        gate: The home.
        decision: What is carried out.
        changes: Numbers of its changes that are.
        writes: New bytes of each file; where they are those that stand there, only the log is written.
        moment: The clocks.
        taken_back: Numbers of the changes of a drift that are taken back.

    Returns:
        Whether a rival wrote at the same moment (its bytes are kept as a blob and logged).

    Raises:
        LockError: A file is locked by the operating system, and this user cannot exchange it.
    """
    require_exchangeable(gate, (write.path for write in writes if write.before != write.after))
    signed = {target.path: target for target in decision.targets}
    fields: dict[str, object] = {
        "decision": decision.id,
        "proposal": decision.proposal,
        "changes": list(changes),
        "targets": [_logged(gate, write, signed[write.path]) for write in writes],
    }
    if taken_back:
        fields["taken_back"] = list(taken_back)
    apply_id = content_id("a", canonical(fields))
    record(gate, [(EventName.APPLY_INTENT, {"apply": apply_id, **fields})], moment)
    replaced = [(write.path, exchange(gate, write)) for write in writes if write.before != write.after]
    return finish(gate, apply_id, replaced, writes, moment)


def _logged(gate: Gate, write: Write, signed: DecisionTarget) -> dict[str, str]:
    """Give what the log says of a write; all bytes that it names are kept as blobs when this returns."""
    blobs = BlobStore(gate.home.blobs_dir)
    target = {
        "path": write.path,
        "before": blobs.put(write.before),
        "after": blobs.put(write.after),
        "signed_base": signed.base,
        "signed_result": signed.result,
    }
    if write.accepted is not None and write.accepted_before is not None:
        target["accepted_before"] = blobs.put(write.accepted_before)
        target["accepted"] = blobs.put(write.accepted)
    return target


def exchange(gate: Gate, write: Write) -> str:
    """Put new bytes in place; what really stood there is kept as a blob, whose hex SHA-256 is given."""
    blobs = BlobStore(gate.home.blobs_dir)
    path = gate.home.resolve(write.path)
    if not write.before:
        try:
            create_file(path, write.after)
        except FileExistsError:
            pass
        else:
            return hashlib.sha256(b"").hexdigest()
    kept: list[str] = []
    exchange_file(
        path,
        write.after,
        keep=lambda replaced: kept.append(blobs.put(replaced)),
        swap=swap_for(gate, write.path),
    )
    return kept[0]


def finish(
    gate: Gate, apply_id: str, replaced: Sequence[tuple[str, str]], writes: Sequence[Write], moment: Moment
) -> bool:
    """Log the end of an apply; ``apply.raced`` when what was replaced is not what was read."""
    expected = {write.path: hashlib.sha256(write.before).hexdigest() for write in writes}
    raced = [(path, sha256) for path, sha256 in replaced if sha256 != expected[path]]
    if raced:
        rivals = [{"path": path, "sha256": sha256} for path, sha256 in raced]
        record(gate, [(EventName.APPLY_RACED, {"apply": apply_id, "replaced": rivals})], moment)
    else:
        record(gate, [(EventName.APPLY_DONE, {"apply": apply_id})], moment)
    return bool(raced)
