"""Take applied changes back: three-way, signed, at once.

Invariant: later edits survive an undo; where that is impossible, or the window is closed, the reversal waits as a
proposal like any other. A secret does not come back. The full text of a compressed log returns byte for byte, from the
blob or the archive, whichever has its hash.
"""

import hashlib
import re
from collections.abc import Collection, Sequence
from datetime import timedelta

from msgspec import Struct

from nightledger.domain.decision import DAY_S, DecisionTarget, DecisionType, Moment, elapsed_s
from nightledger.domain.errors import NightledgerError, RefusedError, UsageError
from nightledger.domain.judge import EDIT_LANE, OPERATOR
from nightledger.domain.kept import is_archive, is_copy, parts_of
from nightledger.domain.proposal import HOLE, Change, Draft, Evidence, Kind, Op, Origin
from nightledger.domain.states import AppliedTarget, Apply, Book, ChangeState, Gone, ProposalStatus
from nightledger.files.atomic import BlobStore
from nightledger.gate.applying import check_result, own_write
from nightledger.gate.deciding import UNCAPPED, Choice, decision_targets
from nightledger.gate.drafting import line_at
from nightledger.gate.gated import is_gated, read_accepted, read_target, require_exchangeable
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.placing import DRIFTED, put_changes
from nightledger.gate.proposing import Submission
from nightledger.gate.reviewing import UNDO_HIDDEN, hides_lines
from nightledger.gate.stored import Stored, read_proposal
from nightledger.gate.writing import Write
from nightledger.text.changes.diff import UNJOINED, changed_runs, new_lines, trace, trace_drift
from nightledger.text.changes.merge import merge3, take_back
from nightledger.text.changes.sections import EMPTY_SHA256, text_sha256
from nightledger.text.markdown.document import (
    decode,
    encode,
    is_blank,
    parse_markdown,
    section_of,
    split_lines,
)
from nightledger.text.scanners.scan import mask_secrets, readable_diff, told_values, veil_blocked


def give_back(gate: Gate, book: Book, target: AppliedTarget, change: Change) -> Write | str | None:
    """Give what becomes of one file of a compression that is taken back; or why it cannot be.

    Args:
        gate: The home.
        book: What its log adds up to.
        target: What the apply did to it.
        change: The compression.

    Returns:
        None where the file stays as it is: a copy that was there before, that was changed since, or that holds
            the full text of another log, too.
    """
    if is_copy(target.path):
        if any(copy == target.path and log != change.target for log, copy in book.copies.items()):
            return None
        content = _read_copy(gate, target.path, target.after) if target.before == EMPTY_SHA256 else None
        return Write(path=target.path, before=content, after=b"") if content else None
    current = read_target(gate.home, target.path)
    full = _full_text(gate, change)
    if full is None:
        return f"the full text of {target.path} is not in the archive as it was"
    after = _with_later(full, change.hunk.added, current)
    return Write(path=target.path, before=current, after=after, restores=True)


def _full_text(gate: Gate, change: Change) -> bytes | None:
    """Find the bytes that were compressed: the blob, or the copy in the archive, whichever has their hash."""
    blobs = BlobStore(gate.home.blobs_dir)
    sha256 = change.hunk.removed
    if blobs.holds(sha256):
        return blobs.get(sha256)
    found = (_read_copy(gate, part.target, sha256) for part in change.also)
    return next((content for content in found if content is not None), None)


def _read_copy(gate: Gate, path: str, sha256: str) -> bytes | None:
    """Give the bytes of a file of the archive; None where it is missing, changed, or cannot be read."""
    try:
        content = read_target(gate.home, path)
    except NightledgerError:
        return None
    return content if hashlib.sha256(content).hexdigest() == sha256 else None


def _with_later(full: bytes, summary: str, current: bytes) -> bytes:
    """Give the full text, with whatever came into the summary since; lines that overlap come at its end."""
    whole, now = decode(full), decode(current)
    merged = merge3(summary, now, whole, theirs_first=True)
    if merged is not None:
        return encode(merged)
    old, new = split_lines(summary), split_lines(now)
    later = "".join("".join(new[run.new_start : run.new_stop]) for run in changed_runs(old, new))
    gap = "" if whole.endswith("\n") else "\n"
    return encode(whole + gap + later)


def undo_diff(write: Write) -> str:
    """Give what an undo does to a file, to be read; a full text that returns is named, not repeated."""
    path, name = write.path, f"--- a/{write.path}\n+++"
    if is_copy(path):
        sha256 = hashlib.sha256(write.before).hexdigest()
        return f"{name} /dev/null\n@@ its copy in the archive goes, SHA-256 {sha256}\n"
    before, after = decode(write.before), decode(write.after)
    if not write.restores:
        return readable_diff(before, after, path=path)
    sha256 = hashlib.sha256(write.after).hexdigest()
    gone = mask_secrets("".join(f"-{line}" for line in split_lines(before)), told=told_values(before))
    end = "" if gone.endswith("\n") else "\n\\ No newline at end of file\n"
    return f"{name} b/{path}\n@@ its full text returns, SHA-256 {sha256}\n{gone}{end}"


def link_back(change: Change) -> str:
    """Give what the undo of a link's deletion does, to be read."""
    line = mask_secrets(change.before)
    return (
        f"--- a/{change.target}\n+++ b/{change.target}\n@@ what was recorded before counts again\n+{line}\n"
    )


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


def _wanted(status: ProposalStatus, only: Sequence[int]) -> tuple[int, ...]:
    applied = [n for n in sorted(status.changes) if status.state_of(n) is ChangeState.APPLIED]
    wanted = tuple(only) or tuple(applied)
    missing = [n for n in wanted if n not in applied]
    if missing or not wanted:
        states = ", ".join(
            f"{n} is {status.state_of(n).value if n in status.changes else 'none of its changes'}"
            for n in missing or sorted(status.changes)
        )
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
            if c.n in apply.changes and status.state_of(c.n) is ChangeState.APPLIED
            if any(part.target == target.path for part in parts_of(c))
        ]
        if not any(change.n in wanted for change in changes):
            continue
        merges = is_gated(gate.home, target.path) or is_archive(target.path)
        bounds = _bounds(gate, stored, target, changes, wanted) if merges else ""
        write = _without(gate, book, target, bounds) if merges else give_back(gate, book, target, changes[0])
        if write is None:
            continue
        if isinstance(write, str):
            return _cannot(stored, status, wanted, write)
        if is_gated(gate.home, target.path):
            _require_clear(gate, book, stored, write, target.before)
        if reasons := check_result(gate, write, capped=False):
            return _cannot(stored, status, wanted, "; ".join(reasons))
        writes.append(write)
        diffs.append(undo_diff(write))
    return Undo(stored=stored, status=status, changes=wanted, writes=tuple(writes), diff="".join(diffs))


def _require_clear(gate: Gate, book: Book, stored: Stored, write: Write, sha256: str) -> None:
    """Refuse what would bring a secret back, or could not be shown in full; the hash is of what the apply began with."""
    before, after = decode(write.before), decode(write.after)
    told, added = told_values(decode(BlobStore(gate.home.blobs_dir).get(sha256))), new_lines(before, after)
    if veil_blocked(added, told=told) != added:
        raise _never_back(stored)
    accepted = decode(read_accepted(gate.home, book, write.path) or b"")
    if hides_lines(before, after, accepted, told_values(before) | told_values(after)):
        raise RefusedError(f"{stored.proposal.id} cannot be taken back now: {UNDO_HIDDEN}")


def _never_back(stored: Stored) -> RefusedError:
    return RefusedError(
        f"{stored.proposal.id} took out a secret, and that does not come back",
        hint=f"its other changes can be undone one by one: 'nightledger undo {stored.proposal.id[:10]}#N'",
    )


def _without(gate: Gate, book: Book, target: AppliedTarget, bounds: tuple[str, str] | str) -> Write | str:
    """Give a file without what an apply put in; or why that cannot be."""
    if isinstance(bounds, str):
        return bounds
    current = read_target(gate.home, target.path)
    merged = take_back(*bounds, decode(current))
    if merged is None:
        return f"the same lines of {target.path} were changed since"
    result = encode(merged)
    if not is_gated(gate.home, target.path):
        return Write(path=target.path, before=current, after=result)
    write = own_write(gate, book, target.path, current, result, bounds)
    return write if isinstance(write, str) or _is_out(write, bounds) else DRIFTED


def _is_out(write: Write, bounds: tuple[str, str]) -> bool:
    """Tell whether the accepted bytes lose what is taken back, too, and not the file beside drift alone."""
    if write.accepted_before is None or write.accepted is None:
        return True
    wanted = take_back(*bounds, decode(write.accepted_before))
    return wanted is not None and _lines(wanted) == _lines(decode(write.accepted))


def _lines(text: str) -> list[str]:
    return sorted(line for line in text.split("\n") if not is_blank(line))


def _bounds(
    gate: Gate, stored: Stored, target: AppliedTarget, changes: Sequence[Change], wanted: Collection[int]
) -> tuple[str, str] | str:
    """Give the text with those changes of an apply that stay, and with all that stand today; or why there is none."""
    blobs = BlobStore(gate.home.blobs_dir)
    stay = [change for change in changes if change.n not in wanted]
    both = {change.n for change in stay}, {change.n for change in changes}
    if stored.proposal.kind is Kind.DRIFT:  # what was kept came into the accepted bytes, not into the file
        found = blobs.get(stored.proposal.targets[0].base_sha256)
        course = trace_drift(decode(blobs.get(target.accepted_before)), decode(found))
        return course.rebuild(both[0]), course.rebuild(both[1])
    before = decode(blobs.get(target.before))
    if stored.proposal.lane == EDIT_LANE:
        course = trace(before, decode(blobs.get(target.after)), most=UNJOINED)
        return course.rebuild(both[0]), course.rebuild(both[1])
    texts = []
    for some in (stay, changes):
        after, lost = put_changes({target.path: before}, some)
        if lost:
            return f"change {lost[0][0]} rests on it"
        texts.append(after[target.path])
    whole = decode(blobs.get(target.after))  # where what was signed went in above what came later
    return texts[0], whole if not stay and _lines(whole) == _lines(texts[1]) else texts[1]


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
    line = _line_of_change(document, change) if before else 0
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


def _line_of_change(document: str, change: Change) -> int:
    """Return where what a change put in stands as whole lines, best in its own section; 0 where it does not."""
    places = re.finditer(f"(?=\n{re.escape(change.hunk.added)})", f"\n{document}")
    found, parsed = [line_at(document, one.start()) for one in places], parse_markdown(document)
    own = (n for n in found if section_of(parsed, n, n).path == change.hunk.section)
    return next(own, found[0] if found else 0)
