"""An edit made outside the gate, as a proposal: after it was put back, or when it raced an apply.

Invariant: what was written is a blob before anything else is done; each file has one open
proposal of this kind, into which a later edit is merged; what cannot be proposed hunk by
hunk is left where it stands.
"""

import hashlib
import os
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from nightledger.codec.records import to_plain
from nightledger.domain.drift import Drift, Raced
from nightledger.domain.event import EventName
from nightledger.domain.finding import Finding, Severity
from nightledger.domain.lanes import DRIFT
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import (
    Change,
    Flag,
    Hunk,
    Kind,
    Op,
    Proposal,
    SizeMeter,
    Target,
)
from nightledger.domain.states import OPEN_STATES, Book, ChangeState
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply.writing import Write, exchange
from nightledger.gate.gated import read_gated
from nightledger.gate.guard.drifting import lane_proposal, origin_of
from nightledger.gate.guard.locking import why_locked
from nightledger.gate.guard.writers import Guess
from nightledger.gate.opening import Gate, Ledger, read_ledger, record
from nightledger.gate.proposing.fitting import fit_for_apply
from nightledger.gate.proposing.hunks import SHOWN_SECTION, readable_diff
from nightledger.gate.proposing.proposing import quarantine, store, supersede
from nightledger.gate.proposing.screening import Held, own_values, unseen
from nightledger.gate.stored import Stored, read_stored
from nightledger.text.changes.course import trace
from nightledger.text.changes.edits import hunks_between
from nightledger.text.changes.merge import Merged, merge3
from nightledger.text.changes.place import Applied, Unplaced, apply_hunks
from nightledger.text.markdown.document import split_lines
from nightledger.text.scanners.scan import scan, scan_secrets, told_values
from nightledger.text.similar import fold

_UNJOINED = 1 << 30
_SETTLED = OPEN_STATES | {ChangeState.APPROVED, ChangeState.REJECTED, ChangeState.UNDONE}
"""An edit that does the same is not asked about again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What was written outside the gate.

    Attributes:
        path: The file, relative to the home.
        base: The bytes from which the edit started.
        found: What it made of them.
        present: The file into which it would go.
        guess: Who most likely wrote it.
        title: One line for lists.
    """

    path: str
    base: bytes
    found: bytes
    present: bytes
    guess: Guess
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An edit, made ready to be proposed.

    Attributes:
        changes: Those that may be proposed; none where all were asked before or held back.
        held: What scanners held back.
        merged: The open proposal that it takes up; None where there is none.
    """

    changes: tuple[Change, ...]
    held: tuple[Held, ...]
    merged: Stored | None


def put_back(
    gate: Gate, path: str, accepted: bytes, present: bytes, guess: Guess, moment: Moment
) -> str | None:
    """Put the bytes last accepted back, and propose the edit; for ``on_drift: propose``.

    The proposal is logged before the file is exchanged: a crash in between leaves the edit in
    both, and the next look goes on. What another program writes meanwhile is proposed too.

    Returns:
        Id of the proposal; empty where nothing was left to ask; None where the edit cannot be
        proposed, or the file not be written, and so stays as it is.
    """
    if why_locked(gate, path) or not os.access(os.path.dirname(gate.home.resolve(path)), os.W_OK):
        return None
    edit = Edit(
        path=path,
        base=accepted,
        found=present,
        present=accepted,
        guess=guess,
        title=f"An edit of {path} that was made outside the gate and put back",
    )
    proposal = offer(gate, edit, moment)
    if proposal is None:
        return None
    base, found = (hashlib.sha256(content).hexdigest() for content in (accepted, present))
    BlobStore(gate.home.blobs_dir).put(accepted)
    replaced = exchange(gate, Write(path=path, before=present, after=accepted))
    fields: dict[str, object] = {"path": path, "found": replaced, "base": base, "proposal": proposal}
    record(gate, [(EventName.PUT_BACK, fields)], moment)
    if replaced in (found, base):
        return proposal
    rival = BlobStore(gate.home.blobs_dir).get(replaced)
    return offer(gate, replace(edit, found=rival), moment, keep=True) or proposal


def offer_race(gate: Gate, raced: Raced, moment: Moment) -> str:
    """Propose what another program wrote at the very moment of an apply; give the proposal's id.

    Its bytes are a blob since then, and in no file. Where it has no place by now, only the leaf is
    written, which names the blob.
    """
    blobs = BlobStore(gate.home.blobs_dir)
    edit = Edit(
        path=raced.path,
        base=blobs.get(raced.before),
        found=blobs.get(raced.sha256),
        present=read_gated(gate.home, raced.path),
        guess=Guess(),
        title=f"An edit of {raced.path} that another program made at the moment of an apply",
    )
    return offer(gate, edit, moment, keep=True) or ""


def offer(gate: Gate, edit: Edit, moment: Moment, *, keep: bool = False) -> str | None:
    """Propose an edit, merged with the one that waits already, and log that it was found.

    Args:
        gate: The home.
        edit: What was written.
        moment: The clocks.
        keep: Log it even where it cannot be proposed, because its bytes stand in no file.

    Returns:
        Id of the proposal that holds it; empty where nothing was left to ask; None where it
        cannot be proposed hunk by hunk.
    """
    ledger = read_ledger(gate)
    book, found = ledger.book, hashlib.sha256(edit.found).hexdigest()
    before = book.offers.get(edit.path)
    base = book.gated.get(edit.path, "")
    if before and (before.sha256, before.base) == (found, base) and _waits(book, before):
        return before.proposal
    ready = _prepare(gate, ledger, edit)
    if ready is None and not keep:
        return None
    fields: dict[str, object] = {
        "path": edit.path,
        "sha256": BlobStore(gate.home.blobs_dir).put(edit.found),
        "base": base,
        "blob": found,
        "writer": edit.guess.writer.value,
    }
    if edit.guess.commit:
        fields["commit"] = edit.guess.commit
    if ready is None:
        record(gate, [(EventName.DRIFT_FOUND, {**fields, "proposal": ""})], moment)
        return None
    quarantine(gate, unseen(ready.held, ledger.log.events), moment)
    return _propose(gate, ledger, edit, ready, fields, moment)


def _waits(book: Book, drift: Drift) -> bool:
    status = book.proposals.get(drift.proposal)
    return drift.proposal == "" or (status is not None and bool(status.open_changes()))


def _propose(
    gate: Gate, ledger: Ledger, edit: Edit, ready: Offer, fields: dict[str, object], moment: Moment
) -> str:
    item = ledger.book.open_drift(edit.path)  # what stood in the file is asked about here from now on
    names = [item.proposal] if item else []
    if not ready.changes:
        waits = ready.merged.proposal.id if ready.merged else ""
        events = [(EventName.DRIFT_FOUND, {**fields, "proposal": waits})]
        record(gate, events, moment)
        supersede(gate, _open_changes(ledger.book, names), moment)
        return waits
    names += [ready.merged.proposal.id] if ready.merged else []
    superseded = {name: ledger.book.proposals[name].open_changes() for name in names}
    proposal = _proposal(gate, ledger, edit, ready, moment)
    event = (EventName.DRIFT_FOUND, {**fields, "proposal": proposal.id})
    store(gate, proposal, moment, superseded=superseded, after=[event])
    return proposal.id


def _proposal(gate: Gate, ledger: Ledger, edit: Edit, ready: Offer, moment: Moment) -> Proposal:
    identity: dict[str, object] = {
        "kind": Kind.BEHAVIOUR.value,
        "lane": DRIFT,
        "target": edit.path,
        "hunks": [to_plain(change.hunk) for change in ready.changes],
        "log_size": ledger.log.size,
    }
    text = _text(edit.present)
    after = apply_hunks(text, [change.hunk for change in ready.changes])
    meter = SizeMeter(
        before_characters=len(text),
        after_characters=len(after.text) if isinstance(after, Applied) else len(text),
        cap_characters=gate.cap_characters,
    )
    sha256 = hashlib.sha256(edit.present).hexdigest()
    target = Target(path=edit.path, base_sha256=sha256, meter=meter)
    proposal = lane_proposal(identity, edit.title, target, ready.changes, moment)
    return replace(proposal, supersedes=ready.merged.proposal.id if ready.merged else None)


def _open_changes(book: Book, names: Sequence[str]) -> list[tuple[str, int]]:
    return [(name, n) for name in names for n in book.proposals[name].open_changes()]


def _prepare(gate: Gate, ledger: Ledger, edit: Edit) -> Offer | None:
    """Make changes of an edit and of what waits already; None where some of them cannot be proposed."""
    wanted = merge3(_text(edit.base), _text(edit.present), _text(edit.found))
    if not isinstance(wanted, Merged):
        return None
    stored = read_stored(gate, ledger.book)
    open_one = _open_offer(ledger.book, stored, edit.path)
    text = wanted.text if open_one is None else _with_open(open_one, ledger.book, edit, wanted.text)
    hunks = _single_hunks(_text(edit.present), text)
    if hunks is None:
        return None
    item = ledger.book.open_drift(edit.path)
    ours = {one for one in (item and item.proposal, open_one and open_one.proposal.id) if one}
    others = [one for one in stored if one.proposal.id not in ours]
    answered = _answered(ledger.book, others, edit.path)
    texts = (_text(edit.present), _text(edit.found))
    told = told_values(texts[0]) | told_values(texts[1]) | own_values(gate, *texts)
    held, changes = _sort_out(edit, hunks, answered, told)
    fitting, broken = fit_for_apply(edit.path, edit.present, changes)
    if broken:
        return None
    return Offer(changes=tuple(_numbered(edit, fitting, told)), held=tuple(held), merged=open_one)


def _open_offer(book: Book, stored: Sequence[Stored], path: str) -> Stored | None:
    drift = book.offers.get(path)
    if drift is None or not drift.proposal or not _waits(book, drift):
        return None
    return next((item for item in stored if item.proposal.id == drift.proposal), None)


def _answered(book: Book, stored: Sequence[Stored], path: str) -> set[tuple[str, str]]:
    """Give the lines taken out and put in by changes that were answered with no, or that wait elsewhere."""
    return {
        (change.hunk.removed, change.hunk.added)
        for item in stored
        for change in item.proposal.changes
        if change.target == path and book.proposals[item.proposal.id].state_of(change.n) in _SETTLED
    }


def _with_open(open_one: Stored, book: Book, edit: Edit, text: str) -> str:
    """Put what waits already beside the new edit: lines that it brings itself are not put in twice."""
    status = book.proposals[open_one.proposal.id]
    course = trace(_text(edit.present), text, most=_UNJOINED)
    numbers = range(1, len(course.runs) + 1)
    has = {(course.removed(n), course.added(n)) for n in numbers}
    lines = {line for n in numbers for line in split_lines(course.added(n))}
    for change in open_one.proposal.changes:
        hunk = change.hunk
        if change.n not in status.open_changes() or (hunk.removed, hunk.added) in has:
            continue
        if not hunk.removed:
            hunk = replace(hunk, added="".join(line for line in split_lines(hunk.added) if line not in lines))
        placed = apply_hunks(text, [hunk]) if hunk.removed or hunk.added.strip() else None
        text = placed.text if isinstance(placed, Applied) else text
    return text


def _single_hunks(before: str, after: str) -> list[Hunk] | None:
    """Give each run of changed lines as a hunk of its own, so that any part of them can be signed."""
    course = trace(before, after, most=_UNJOINED)
    hunks = []
    for n in range(1, len(course.runs) + 1):
        made = hunks_between(before, course.rebuild({n}))
        if isinstance(made, Unplaced) or len(made) != 1:
            return None
        hunks.append(made[0])
    return hunks


def _sort_out(
    edit: Edit, hunks: Sequence[Hunk], answered: AbstractSet[tuple[str, str]], told: frozenset[str]
) -> tuple[list[Held], list[Change]]:
    """Part hunks into those that scanners hold back and those that may be proposed; repeated ones go."""
    held: list[Held] = []
    changes: list[Change] = []
    for hunk in hunks:
        findings = scan(hunk.added, origin=origin_of(edit.guess), snippets=True)
        copied = (hunk.added, hunk.removed, hunk.context_before, hunk.context_after, *hunk.section)
        secrets = [finding for text in copied for finding in scan_secrets(text, told=told)]
        change = _change(len(changes) + 1, edit, hunk, findings)
        if secrets or any(finding.severity is not Severity.FLAG for finding in findings):
            held.append(_held(edit, hunk, [*findings, *secrets]))
        elif (hunk.removed, hunk.added) not in answered:
            changes.append(change)
    return held, changes


def _change(n: int, edit: Edit, hunk: Hunk, findings: Sequence[Finding]) -> Change:
    return Change(
        n=n,
        op=Op.REPLACE if hunk.removed and hunk.added else Op.ADD if hunk.added else Op.REMOVE,
        target=edit.path,
        section=SHOWN_SECTION.join(hunk.section),
        before=hunk.removed,
        after=hunk.added,
        diff="",
        hunk=hunk,
        reason=f"It was written outside the gate. {edit.guess.sentence}",
        evidence=(),
        provenance=(origin_of(edit.guess),),
        confidence=0.5,
        key=fold(hunk.added or f"remove {hunk.removed}"),
        flags=tuple(Flag(rule=finding.rule, message=finding.message) for finding in findings),
    )


def _held(edit: Edit, hunk: Hunk, findings: Sequence[Finding]) -> Held:
    secret = any(finding.severity is Severity.BLOCK for finding in findings)
    sha256 = hashlib.sha256(edit.found).hexdigest()
    named = f"{edit.path}:{sha256}" if secret else hunk.added
    return Held(
        rules=tuple(sorted({finding.rule for finding in findings if finding.severity is not Severity.FLAG})),
        secret=secret,
        text_sha256=hashlib.sha256(named.encode("utf-8", "surrogateescape")).hexdigest(),
        path=edit.path,
        line=0,
        text="" if secret else hunk.added,
    )


def _numbered(edit: Edit, changes: Sequence[Change], told: frozenset[str]) -> list[Change]:
    """Give each change its diff against the file as it is, as the review shows it."""
    text = _text(edit.present)
    numbered = []
    for change in changes:
        after = apply_hunks(text, [change.hunk])
        shown = (
            readable_diff(text, after.text, path=edit.path, told=told) if isinstance(after, Applied) else ""
        )
        numbered.append(replace(change, diff=shown))
    return numbered


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")
