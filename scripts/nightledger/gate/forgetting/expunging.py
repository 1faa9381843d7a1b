"""Remove a leaked text from every file of ours, on the operator's signature; nothing brings it back.

Invariant: the log names what goes and what is rewritten before it happens, with the hashes
after it, so that ``verify`` tells an expunge from a rewriting by somebody else. The audit
log itself holds no text and stays as it is; it keeps keyed hashes by which the text is known again
(``gate/forgetting/forgotten.py``). What cannot be reached is named.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nightledger.codec.records import decode_record
from nightledger.domain.decision import Decision, DecisionTarget, DecisionType
from nightledger.domain.errors import NightledgerError
from nightledger.domain.event import EventName
from nightledger.domain.needle import Needle
from nightledger.domain.states import Book, ChangeState, DecisionStatus, Gone
from nightledger.domain.trusting import EMPTY_SHA256
from nightledger.files.durable import sync_directory
from nightledger.files.home import Home
from nightledger.files.overwriting import overwrite, overwritten
from nightledger.files.reading import is_within, read_regular
from nightledger.gate.apply.placing import LOST, carry, read_accepted
from nightledger.gate.forgetting.expunge_places import Found, find_held, require_own
from nightledger.gate.gated import read_gated
from nightledger.gate.guard.locking import why_locked
from nightledger.gate.integrity.inputs import append_only
from nightledger.gate.integrity.trusting import Trust
from nightledger.gate.opening import Gate, Ledger, closing
from nightledger.gate.signed import read_signed, signer_of

TARGETS_A_DECISION = 300
"""Files that one decision names; its entry has a limit of 65,535 bytes."""
_Events = list[tuple[EventName, dict[str, object]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an expunge would do.

    Attributes:
        needle: What must go; None where files are named by their hash.
        found: Where it is.
        targets: What the decisions say of each file of ours: its hash before, and after.
    """

    needle: Needle | None
    found: Found
    targets: tuple[DecisionTarget, ...]


def plan_text(gate: Gate, ledger: Ledger, needle: Needle, *, with_altered: bool = False) -> Plan:
    """Find a text in every file of ours, and name where else it is; nothing is changed.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        needle: The text.
        with_altered: Also take proposals and decisions that are not what was logged, the evidence of that.
    """
    found = find_held(gate, ledger, needle.held_by, with_altered=with_altered)
    removed = (_target(gate.home, path, b"") for path in found.removed)
    rewritten = (
        _target(gate.home, path, overwritten(_read(gate.home, path), needle.forms))
        for path in found.rewritten
    )
    return Plan(needle=needle, found=found, targets=(*removed, *rewritten))


def plan_hash(gate: Gate, ledger: Ledger, sha256: str, *, with_altered: bool = False) -> Plan:
    """Find the files of ours that have a hash: a blob, a proposal, a held-back text, a decision."""

    def is_it(content: bytes) -> bool:
        return hashlib.sha256(content).hexdigest() == sha256

    found = find_held(gate, ledger, is_it, with_altered=with_altered)
    whole = Found(
        removed=found.removed,
        altered=found.altered,
        trust=found.trust,
        gated=found.gated,
        accepted=found.accepted,
    )
    return Plan(
        needle=None,
        found=whole,
        targets=tuple(_target(gate.home, path, b"") for path in found.removed),
    )


def why_not_now(gate: Gate, ledger: Ledger, plan: Plan, mark: bytes) -> str:
    """Say why a gated file, or what it was signed to hold, would hold it still; empty where neither would.

    A gated file changes by a signed edit, which leaves drift as it is. Asked before anything is
    signed: an edit whose expunge is refused after it would have helped nobody.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        plan: What is to go.
        mark: What an edit puts in its place.
    """
    if plan.needle is None:
        held = (*plan.found.gated, *plan.found.accepted)
        return f"{held[0]} still holds it: only its hash was given" if held else ""
    reasons = (_why_held(gate, ledger, path, plan.needle, mark) for path in gate.home.identity.gated)
    return next(filter(None, reasons), "")


def _why_held(gate: Gate, ledger: Ledger, path: str, needle: Needle, mark: bytes) -> str:
    """Say why an edit would not take it out of a gated file and of the bytes accepted for it."""
    present = read_gated(gate.home, path)
    is_held = needle.held_by(present)
    if is_held and (locked := why_locked(gate, path)):
        return locked
    if hashlib.sha256(present).hexdigest() == ledger.book.accepted_of(path):
        return ""
    accepted = read_accepted(gate.home, ledger.book, path)
    if accepted is None:
        return f"{path} holds it: {LOST}" if is_held else ""
    after = needle.cut_from(present, mark) if is_held else present
    if not needle.held_by(carry(accepted, present, after)):
        return ""
    return f"{path} as it was signed still holds it, in lines that were changed outside the gate since"


def expunge_reasons(gate: Gate, ledger: Ledger, decision: Decision) -> list[str]:
    """Say why a decision may not expunge what it names; empty where it may."""
    if decision.proposal or decision.changes or not (decision.targets or decision.reason):
        return ["it is not the form of a decision about a leaked text"]
    return [
        *(
            f"{target.path} is not the file any more that it was signed over"
            for target in decision.targets
            if not _stands(gate.home, target)
        ),
        *(
            f"{target.path} is no file that may go"
            for target in decision.targets
            if _stays(gate, ledger, target)
        ),
    ]


def _stands(home: Home, target: DecisionTarget) -> bool:
    try:
        return _sha256(home, target.path) == target.base
    except NightledgerError:
        return False


def _stays(gate: Gate, ledger: Ledger, target: DecisionTarget) -> bool:
    """Tell whether a target is none of the files that an expunge touches, or one that all rests on."""
    home, book = gate.home, ledger.book
    steps = book.trust.steps
    kept = {sha256 for step in steps for sha256 in step.files.values()} | set(book.gated.values())
    kept |= {book.decisions[step.decision].sha256 for step in steps if step.decision}
    if target.result != EMPTY_SHA256:
        archived = is_within(home.path(target.path), home.archive_dir)
        return target.path not in append_only(home) and not archived
    ours = (home.proposals_dir, home.received_dir, home.decisions_dir, home.blobs_dir, home.quarantine_dir)
    return target.base in kept or not any(is_within(home.path(target.path), folder) for folder in ours)


def expunge_events(gate: Gate, ledger: Ledger, decision: Decision) -> _Events:
    """Give what is logged beside the decision: the expunge, and the proposals that end with it."""
    removed = [target.base for target in decision.targets if target.result == EMPTY_SHA256]
    places = [
        {
            "path": target.path,
            "size": os.path.getsize(gate.home.path(target.path)),
            "sha256": target.result,
        }
        for target in decision.targets
        if target.result != EMPTY_SHA256
    ]
    fields: dict[str, object] = {"decision": decision.id, "sha256s": sorted(set(removed)), "places": places}
    fields |= {"withheld": decision.reason.split()} if decision.reason else {}
    return [(EventName.EXPUNGED, fields), *_closings(ledger.book, frozenset(removed))]


def _closings(book: Book, removed: frozenset[str]) -> _Events:
    """End what waits in proposals that go: an approval falls back first, because only open changes close."""
    events: _Events = []
    decided = {status.id for status in book.decisions.values() if status.sha256 in removed}
    for status in book.proposals.values():
        approved = [n for n in status.changes if status.state_of(n) is ChangeState.APPROVED]
        going = status.sha256 in removed
        lost = [n for n in approved if going or status.changes[n].decision in decided]
        if lost:
            events.append((EventName.STALE, {"proposal": status.id, "changes": lost}))
        ends = sorted({*status.open_changes(), *lost}) if going else []
        if ends:
            events.append(closing(status.id, ends))
    return events


def carry_out(home: Home, plan: Plan) -> None:
    """Do what the log now says: overwrite, remove, and drop what is folded from others.

    Raises:
        UnreadableError: What is to go is meanwhile reached by a link, or has a second name.
    """
    require_own(home, plan.found)
    for path in plan.found.rewritten:
        overwrite(home.path(path), plan.needle.forms if plan.needle else ())
    remove_files(home, (*plan.found.removed, *plan.found.derived))


def finish_removals(home: Home, ledger: Ledger) -> None:
    """Remove what an expunge that was cut short left; the text is not needed for that.

    Only what a decision names whose signature holds is removed: whoever has the log's key could
    forge the entry.
    """
    signed = [status for status in ledger.book.decisions.values() if status.type is DecisionType.EXPUNGE]
    if not signed:
        return
    trust = Trust(home, ledger)
    for status in signed:
        left = [
            target for target in _signed_targets(home, trust, status) if _is_left(home, ledger.book, target)
        ]
        remove_files(home, [target.path for target in left])


def _signed_targets(home: Home, trust: Trust, status: DecisionStatus) -> tuple[DecisionTarget, ...]:
    try:
        signed = read_signed(home, status)
        if signer_of(signed, trust.signers_of(status), status.recorded) is None:
            return ()
        return decode_record(Decision, signed.content, where=home.decision(status.id)).targets
    except NightledgerError:
        return ()


def _is_left(home: Home, book: Book, target: DecisionTarget) -> bool:
    going = target.result == EMPTY_SHA256 and book.gone.get(target.base) is Gone.EXPUNGED
    return going and os.path.lexists(home.path(target.path)) and _stands(home, target)


def remove_files(home: Home, paths: Sequence[str]) -> None:
    """Remove files; their names are gone from the disk when this returns."""
    present = [home.path(relative) for relative in paths if os.path.lexists(home.path(relative))]
    for path in present:
        os.unlink(path)
    directories = {os.path.dirname(path) for path in present}
    for directory in sorted(directories):
        sync_directory(directory)


def parts(plan: Plan) -> Iterator[tuple[DecisionTarget, ...]]:
    """Give what each decision is to name, so that its entry fits the log."""
    for first in range(0, len(plan.targets), TARGETS_A_DECISION):
        yield plan.targets[first : first + TARGETS_A_DECISION]


def _target(home: Home, path: str, after: bytes) -> DecisionTarget:
    result = hashlib.sha256(after).hexdigest()
    return DecisionTarget(path=path, base=_sha256(home, path), result=result, hunks_sha256=result)


def _sha256(home: Home, path: str) -> str:
    return hashlib.sha256(_read(home, path)).hexdigest()


def _read(home: Home, path: str) -> bytes:
    return read_regular(home.path(path), 1 << 40, within=home.root)
