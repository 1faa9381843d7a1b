"""Take applied changes back: three-way, signed, at once.

Invariant: later edits survive an undo; where that is impossible, or the window is
closed, the reversal waits as a proposal like any other. A secret does not come back.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from msgspec import Struct

from nightledger.domain.cooling import elapsed_s
from nightledger.domain.decision import DecisionTarget, DecisionType
from nightledger.domain.errors import NightledgerError, RefusedError, UsageError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import is_archive, parts_of
from nightledger.domain.lanes import OPERATOR
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Change, Draft, Evidence, Kind, Op, Origin
from nightledger.domain.states import (
    AppliedTarget,
    Apply,
    Book,
    ChangeState,
    Gone,
    ProposalStatus,
)
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply.applying import check_result
from nightledger.gate.apply.giving_back import give_back, link_back, undo_diff
from nightledger.gate.apply.placing import DRIFTED, bytes_of, put_changes, read_accepted, text_of
from nightledger.gate.apply.planning import own_write
from nightledger.gate.apply.replaying import bytes_of_edit, replay_without
from nightledger.gate.apply.writing import Write
from nightledger.gate.guard.drifting import trace_drift
from nightledger.gate.guard.locking import require_exchangeable
from nightledger.gate.kept_files import is_gated, read_target
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.hunks import line_at
from nightledger.gate.proposing.proposing import Submission
from nightledger.gate.review.composing import UNCAPPED, Choice, decision_targets
from nightledger.gate.review.masking import UNDO_HIDDEN, hides_lines
from nightledger.gate.stored import Stored, read_proposal
from nightledger.text.changes.merge import Merged
from nightledger.text.changes.take_back import take_back
from nightledger.text.changes.veil import HOLE, veil_blocked
from nightledger.text.changes.whole import text_sha256
from nightledger.text.markdown.document import is_blank
from nightledger.text.scanners.scan import told_values

DAY_S = 86_400


class Undo(Struct, frozen=True, kw_only=True):
    """What undoing would do now.

    Attributes:
        stored: The proposal.
        status: Its state.
        changes: Numbers of the changes to take back.
        writes: New bytes for each file.
        diff: What would change now, for the operator to see.
        problem: Why it cannot be undone in place; empty when it can. Then a reversal is proposed.
    """

    stored: Stored
    status: ProposalStatus
    changes: tuple[int, ...]
    writes: tuple[Write, ...]
    diff: str
    problem: str = ""

    @property
    def brings_links(self) -> bool:
        """Whether links come back: their view is to be folded anew."""
        changes = self.stored.proposal.changes
        return any(change.op is Op.DELETE_LINK and change.n in self.changes for change in changes)


def plan_undo(
    gate: Gate, ledger: Ledger, status: ProposalStatus, only: Sequence[int], moment: Moment
) -> Undo:
    """Work out how to take changes of a proposal back.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        status: The proposal.
        only: Numbers of the changes; empty takes back all that are applied.
        moment: The clocks.

    Raises:
        UsageError: Nothing of it is applied.
        RefusedError: It would bring back what was taken out as a secret.
        LockError: The file is locked by the operating system, and this user cannot exchange it.
    """
    wanted = _wanted(status, only)
    if ledger.book.gone.get(status.sha256) is Gone.EXPUNGED:
        raise RefusedError(
            f"{status.id} was expunged: it held a text that was removed for ever, and cannot be taken back",
            hint="'nightledger edit' changes the file by hand",
        )
    stored = read_proposal(gate, status)
    apply = _last_apply(ledger, status, wanted)
    closes = apply.at + timedelta(days=gate.undo_days)
    needs_none = all(change.op in UNCAPPED for change in stored.proposal.changes if change.n in wanted)
    if elapsed_s(apply.clocks, moment) >= gate.undo_days * DAY_S and not needs_none:
        # no step of a clock within one boot closes it early
        return _cannot(stored, status, wanted, f"its undo window closed at {closes:%Y-%m-%d %H:%M} UTC")
    if not needs_none and (why := _why_gone(ledger, apply)):
        return _cannot(stored, status, wanted, f"the bytes that it needs were {why}")
    undo = _merge(gate, ledger.book, stored, wanted, apply)
    require_exchangeable(gate, (write.path for write in undo.writes))
    return undo


def without_secrets(
    gate: Gate, ledger: Ledger, status: ProposalStatus, applied: Sequence[int], moment: Moment
) -> tuple[int, ...]:
    """Return those of the applied changes that took out no secret, so that an undo of them can be offered.

    Only those whose record masks what they took out are tried; where the proposal cannot be read, none is left out.
    """
    try:
        changes = read_proposal(gate, status).proposal.changes
    except NightledgerError:
        return tuple(applied)
    masked = {c.n for c in changes if HOLE in c.hunk.removed}
    return tuple(n for n in applied if n not in masked or _returns(gate, ledger, status, n, moment))


def undo_of(gate: Gate, ledger: Ledger, name: str, applied: Sequence[int], moment: Moment) -> str:
    """Return the sentence that says what takes applied changes of a proposal back; that nothing does, of a secret."""
    kept = without_secrets(gate, ledger, ledger.book.proposals[name], applied, moment)
    if not kept:
        return "a secret does not come back."
    some = "" if kept == tuple(applied) else f"#{','.join(map(str, kept))}"
    return f"'nightledger undo {name}{some}' takes {'them' if ',' in some else 'it'} back."


def _returns(gate: Gate, ledger: Ledger, status: ProposalStatus, n: int, moment: Moment) -> bool:
    try:
        plan_undo(gate, ledger, status, [n], moment)
    except NightledgerError:
        return False
    return True


def _wanted(status: ProposalStatus, only: Sequence[int]) -> tuple[int, ...]:
    applied = [n for n in sorted(status.changes) if status.state_of(n) is ChangeState.APPLIED]
    wanted = tuple(only) or tuple(applied)
    missing = [n for n in wanted if n not in applied]
    if missing or not wanted:
        states = ", ".join(f"{n} is {status.state_of(n).value}" for n in missing or sorted(status.changes))
        raise UsageError(
            f"{status.id} has nothing to undo there: change {states}",
            hint="'nightledger history' shows what is applied",
        )
    return wanted


def _why_gone(ledger: Ledger, apply: Apply) -> str:
    """Say why bytes of an apply are not there any more; empty where they are."""
    named = (s for t in apply.targets for s in (t.before, t.after, t.accepted_before, t.accepted))
    gone = {ledger.book.gone.get(sha256) for sha256 in named} - {None}
    return "" if not gone else "expunged" if Gone.EXPUNGED in gone else "expired"


def _cannot(stored: Stored, status: ProposalStatus, wanted: tuple[int, ...], problem: str) -> Undo:
    return Undo(stored=stored, status=status, changes=wanted, writes=(), diff="", problem=problem)


def _last_apply(ledger: Ledger, status: ProposalStatus, wanted: Sequence[int]) -> Apply:
    """Give the apply that put changes in, which are applied still: an undo holds none of these."""
    for apply in reversed(list(ledger.book.applies.values())):
        if apply.proposal == status.id and apply.outcome != "aborted" and set(wanted) & set(apply.changes):
            if not set(wanted) <= set(apply.changes):
                raise RefusedError(
                    "these changes were applied at different times",
                    hint=f"undo them one by one: {status.id}#N",
                )
            return apply
    raise RefusedError(f"the log holds no apply of {status.id}")


def _merge(gate: Gate, book: Book, stored: Stored, wanted: tuple[int, ...], apply: Apply) -> Undo:
    status = book.proposals[stored.proposal.id]
    writes, diffs = [], [link_back(c) for c in stored.proposal.changes if c.n in wanted and not apply.targets]
    for target in reversed(apply.targets):  # what matters most was written last, and is shown first
        changes = [
            c
            for c in stored.proposal.changes
            if c.n in apply.changes and any(part.target == target.path for part in parts_of(c))
        ]
        kept = [change for change in changes if change.n not in wanted]
        if len(kept) == len(changes):
            continue
        merges = is_gated(gate.home, target.path) or is_archive(target.path)
        tries = _tries(gate, book, stored, apply, target, kept)
        write = _without(gate, book, target, tries) if merges else give_back(gate, book, target, changes[0])
        if write is None:
            continue
        if isinstance(write, str):
            return _cannot(stored, status, wanted, write)
        if is_gated(gate.home, target.path) and _brings_secret(write, _told_before(gate, target)):
            raise _never_back(stored)
        if is_gated(gate.home, target.path) and _is_masked(gate, book, write):
            raise RefusedError(f"{stored.proposal.id} cannot be taken back now: {UNDO_HIDDEN}")
        if reasons := check_result(gate, write, capped=False):
            return _cannot(stored, status, wanted, "; ".join(reasons))
        writes.append(write)
        diffs.append(undo_diff(write))
    return Undo(stored=stored, status=status, changes=wanted, writes=tuple(writes), diff="".join(diffs))


def _is_masked(gate: Gate, book: Book, write: Write) -> bool:
    before, after = text_of(write.before), text_of(write.after)
    accepted = text_of(read_accepted(gate.home, book, write.path) or b"")
    return hides_lines(before, after, accepted, told_values(before) | told_values(after))


def _told_before(gate: Gate, target: AppliedTarget) -> frozenset[str]:
    return told_values(text_of(BlobStore(gate.home.blobs_dir).get(target.before)))


def _brings_secret(write: Write, told: frozenset[str]) -> bool:
    old = set(text_of(write.before).split("\n"))
    added = "\n".join(line for line in text_of(write.after).split("\n") if line not in old)
    return veil_blocked(added, told=told) != added


def _never_back(stored: Stored) -> RefusedError:
    return RefusedError(
        f"{stored.proposal.id} took out a secret, and that does not come back",
        hint=f"its other changes can be undone one by one: 'nightledger undo {stored.proposal.id[:10]}#N'",
    )


def _without(
    gate: Gate, book: Book, target: AppliedTarget, tries: Iterable[tuple[str, str] | str]
) -> Write | str:
    """Give a file without what an apply put in, by the first pair of texts that tells it; or why that cannot be."""
    current = read_target(gate.home, target.path)
    for bounds in tries:
        if isinstance(bounds, str):
            return bounds
        merged = take_back(*bounds, text_of(current))
        if isinstance(merged, Merged):
            result = bytes_of(merged.text)
            if not is_gated(gate.home, target.path):
                return Write(path=target.path, before=current, after=result)
            write = own_write(gate, book, target.path, current, result, bounds)
            return write if isinstance(write, str) or _is_out(write, bounds) else DRIFTED
    return f"the same lines of {target.path} were changed since"


def _is_out(write: Write, bounds: tuple[str, str]) -> bool:
    """Tell whether the accepted bytes lose what is taken back, too, and not the file beside drift alone."""
    if write.accepted_before is None or write.accepted is None:
        return True
    wanted = take_back(*bounds, text_of(write.accepted_before))
    return isinstance(wanted, Merged) and _lines(wanted.text) == _lines(text_of(write.accepted))


def _lines(text: str) -> list[str]:
    return sorted(line for line in text.split("\n") if not is_blank(line))


def _tries(
    gate: Gate, book: Book, stored: Stored, apply: Apply, target: AppliedTarget, kept: Sequence[Change]
) -> Iterator[tuple[str, str] | str]:
    """Give the texts to merge between: among all other changes that stand today, else around this apply alone."""
    wanted = set(apply.changes) - {change.n for change in kept}
    replayed = replay_without(gate, book, target.path, apply, wanted)
    if replayed is not None:
        yield replayed
    yield _bounds(gate, stored, target, kept)


def _bounds(
    gate: Gate, stored: Stored, target: AppliedTarget, kept: Sequence[Change]
) -> tuple[str, str] | str:
    """Give the text with the kept changes only, and with all; or why there is no such text."""
    blobs = BlobStore(gate.home.blobs_dir)
    if stored.proposal.kind is Kind.DRIFT:  # what was kept came into the accepted bytes, not into the file
        found = blobs.get(stored.proposal.targets[0].base_sha256)
        course = trace_drift(text_of(blobs.get(target.accepted_before)), text_of(found))
        return course.rebuild({change.n for change in kept}), text_of(blobs.get(target.accepted))
    if stored.proposal.lane == EDIT_LANE:
        return bytes_of_edit(gate, target, {change.n for change in kept})[1], text_of(blobs.get(target.after))
    before = {target.path: text_of(blobs.get(target.before))}
    without, lost = put_changes(before, kept)
    if lost:
        return f"change {lost[0][0]} rests on it"
    return without[target.path], text_of(blobs.get(target.after))


def undo_choice(undo: Undo) -> Choice:
    """Give what the undo decision says; for an undo ``hunks_sha256`` covers the diff shown."""
    return Choice(
        type=DecisionType.UNDO,
        changes=undo.changes,
        targets=tuple(
            DecisionTarget(
                path=write.path,
                base=hashlib.sha256(write.before).hexdigest(),
                result=hashlib.sha256(write.after).hexdigest(),
                hunks_sha256=text_sha256(undo_diff(write)),
            )
            for write in undo.writes
        )
        or _links_back(undo),
    )


def _links_back(undo: Undo) -> tuple[DecisionTarget, ...]:
    """Give what a decision says of links that come back: nothing is written, their names stand for them."""
    changes = [change for change in undo.stored.proposal.changes if change.n in undo.changes]
    return decision_targets({}, {}, [change for change in changes if change.op is Op.DELETE_LINK], {})


def reversal(undo: Undo, documents: dict[str, str]) -> Submission:
    """Give the proposal that stands in for an undo which is not possible in place.

    Raises:
        RefusedError: It would bring back what was taken out as a secret.
    """
    drafts = [
        draft
        for change in undo.stored.proposal.changes
        if change.n in undo.changes
        for draft in [_reverse(undo, change, documents[change.target])]
        if draft is not None
    ]
    return Submission(
        kind=Kind.REVERSAL,
        lane=OPERATOR,
        period=undo.stored.proposal.period,
        title=f"Take back {undo.stored.proposal.id[:10]}: {undo.stored.proposal.title}",
        drafts=drafts,
    )


def _reverse(undo: Undo, change: Change, document: str) -> Draft | None:
    """Give the opposite of a change; None when what it put in is no longer there as it was, and of a whole file."""
    if change.op in UNCAPPED:
        return None
    before = change.hunk.added if change.hunk.added.strip() else ""  # a removal may leave a blank line
    after = change.hunk.removed
    if HOLE in after:
        raise _never_back(undo.stored)
    line = _line_of(document, before) if before else 0
    if before and not line:
        return None
    return Draft(
        op=Op.REPLACE if before and after else Op.REMOVE if before else Op.ADD,
        target=change.target,
        section=change.hunk.section,
        before=before,
        line=line,
        after=after,
        reason=f"The operator takes back change {change.n} of {undo.stored.proposal.id}; {undo.problem}.",
        evidence=(
            Evidence(
                path=f"memory/state/proposals/{undo.stored.proposal.id}.json",
                lines=(1, 1),
                sha256=undo.stored.sha256,
                origin=Origin.OWNER,
            ),
        ),
        confidence=1.0,
        rank=float(-change.n),
        statement_key=f"reversal of {undo.stored.proposal.id}#{change.n}",
    )


def _line_of(document: str, lines: str) -> int:
    at = document.find(lines)
    if at < 0 or (at > 0 and document[at - 1] != "\n"):
        return 0
    return line_at(document, at)
