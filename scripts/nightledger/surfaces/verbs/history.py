"""What changed a gated file, when, why, who signed it, can it still be undone.

Reads   audit/, memory/state/proposals/
Changes no memory, and writes nothing at all.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import NightledgerError, UsageError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import LINKS
from nightledger.domain.proposal import Anchor, Change, Proposal
from nightledger.domain.states import Apply, Book, ChangeState, ProposalStatus
from nightledger.domain.words import dump_moment
from nightledger.files.home import Home
from nightledger.gate.deciding import read_claim
from nightledger.gate.gated import require_gated
from nightledger.gate.integrity.checking import find_drift
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.told import told_at_home
from nightledger.gate.stored import read_proposal
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import reading
from nightledger.surfaces.table import GAP, table
from nightledger.text.changes.veil import HOLE
from nightledger.text.scanners.scan import mask_secrets

SHOWN = 20
"""Steps that are shown unless asked otherwise; a few screens."""
_DONE = {"apply": "applied", "edit": "edited by hand", "undo": "taken back", "drift": "drift settled"}


OPTIONS = {
    "path": {"nargs": "?", "help": "a gated file (default: all of them)"},
    "-n": {
        "type": int,
        "default": SHOWN,
        "metavar": "N",
        "help": f"how many, the newest first (default: {SHOWN})",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One change of a step, in one line.

    Attributes:
        n: Its number in the proposal.
        reason: Why it was proposed, secrets masked; empty where the proposal's file is not as logged.
        removed: The text that went, secrets masked; empty where none did, or the proposal's file is not as logged.
        added: The text that came, likewise.
        state: ``applied``, ``undone``, or what became of it since.
        undo_until: Until when it can be taken back; None where it cannot.
        gone_at: When its text went because nothing needed it any more; None where it did not.
        said_by: Who said what it rests on, as the proposal has it (``agent``, ``tool``).
        veiled: Whether what it took out is masked in its record; a secret does not come back.
    """

    n: int
    reason: str
    removed: str
    added: str
    state: str
    undo_until: datetime | None
    gone_at: datetime | None = None
    said_by: tuple[str, ...] = ()
    veiled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One time that gated files were changed.

    Attributes:
        at: When; aware, UTC.
        kind: ``apply``, ``edit``, ``undo``, or ``drift`` where what others wrote was settled.
        paths: Files, relative to the home; the links, where one was forgotten.
        proposal: Id.
        decision: Id.
        signer: Principal whose signature verifies; empty where none does.
        changes: Those that it was about.
        raced: Whether another program wrote at the same moment.
        drifted: Files among ``paths`` that had been changed outside the gate before.
    """

    at: datetime
    kind: str
    paths: tuple[str, ...]
    proposal: str
    decision: str
    signer: str
    changes: tuple[Told, ...]
    raced: bool
    drifted: tuple[str, ...]


def run(options: argparse.Namespace, context: Context) -> int:
    """Print what changed."""
    if options.n < 1:
        raise UsageError(f"-n {options.n} is not a number from 1", hint="leave it out to see the newest 20")
    with reading(context) as session:
        home, book = session.gate.home, session.ledger.book
        path = _path(home, options.path) if options.path else None
        applies = applies_to(book, path)
        shown = history_of(session.gate, session.ledger, applies[: options.n], session.moment.at)
        drift = [name for name in find_drift(home, book) if path in (None, name)]
    context.emit({"drift": drift, "steps": [_record(step) for step in shown], "of": len(applies)})
    for name in drift:
        context.print_lines(
            screen.wrap(f"! {screen.shown(name)} was changed outside the gate since.", indent="  ")
        )
    context.print_lines(_rows(shown) if screen.terminal() else chain.from_iterable(map(_lines, shown)))
    if not applies:
        context.print("Nothing was changed through the gate.")
    elif len(applies) > len(shown):
        context.print(f"{len(applies) - len(shown)} older; -n {len(applies)} shows all.")
    return 0


def _path(home: Home, text: str) -> str:
    """Give a gated file's name as records have it.

    Raises:
        RefusedError: It is no gated file of this home.
        UnreadableError: It is outside the home.
    """
    path = home.relative(text) if os.path.isabs(text) else os.path.normpath(text)
    require_gated(home, path)
    return path


def _rows(steps: Iterable[Step]) -> list[str]:
    """Give a table of the steps: when, and what."""
    wrap = partial(screen.wrap, less=len("2026-03-01") + GAP)
    rows = ((f"{step.at:%Y-%m-%d\n%H:%M} UTC", "\n".join(_lines(step, wrap))) for step in steps)
    return table(rows, "cyan", "")


def _lines(step: Step, cell: Callable[..., list[str]] | None = None) -> list[str]:
    """Give the rows of a step; for a cell of a table that breaks its rows, without its time."""
    wrap, at = cell or screen.wrap, "" if cell else f"{step.at:%Y-%m-%d %H:%M} UTC "
    paths = screen.shown(", ".join(step.paths))
    lines = wrap(f"{at}{_DONE[step.kind]}: {step.proposal}, {paths}", indent="    ", first="")
    for change in step.changes:
        told = screen.shown(change.reason) or _no_text(change)
        told += f" ({', '.join(change.said_by)})" if change.said_by else ""
        lines += wrap(f"{change.n}: {told}", indent="     ", first="  ")
        lines += _text(change)
        lines += wrap(_undo(step, change), indent="       ", first="     ")
    signed = f"signed by {screen.shown(step.signer)}" if step.signer else "its signature does not verify"
    lines += wrap(f"{signed}, {step.decision}", indent="     ", first="  ")
    if step.drifted:
        names = screen.shown(", ".join(step.drifted))
        lines += wrap(f"before it, {names} had been changed outside the gate", indent="    ", first="  ! ")
    if step.raced:
        lines += wrap("another program wrote at the same moment", indent="    ", first="  ! ")
    return lines


def _text(change: Told) -> list[str]:
    """Give the first line of what went and of what came, with how many more there are."""
    rows = []
    for sign, text in (("-", change.removed), ("+", change.added)):
        first, *more = text.strip("\n").split("\n")
        told = f"{screen.shown(first)} (and {len(more)} more lines)" if more else screen.shown(first)
        rows += screen.wrap(told, indent="       ", first=f"     {sign} ") if text else []
    return rows


def _no_text(change: Told) -> str:
    if change.gone_at is not None:
        return f"its text went on {change.gone_at:%Y-%m-%d}; its hashes are in the log"
    return "its proposal is not as it was logged; see 'nightledger verify'"


def _undo(step: Step, change: Told) -> str:
    if change.undo_until is not None:
        how = f"undo until {change.undo_until:%Y-%m-%d %H:%M} UTC: nightledger undo {step.proposal[:10]}#{change.n}"
        return f"{how} (a secret does not come back)" if change.veiled else how
    if step.kind == "undo":
        return "taken back here"
    return "its undo window has closed" if change.state == "applied" else f"since then {change.state}"


def _record(step: Step) -> dict[str, Any]:
    return {
        "at": dump_moment(step.at),
        "kind": step.kind,
        "paths": list(step.paths),
        "proposal": step.proposal,
        "decision": step.decision,
        "signer": step.signer or None,
        "changes": [
            {
                "n": change.n,
                "reason": mask_secrets(change.reason),
                "removed": mask_secrets(change.removed),
                "added": mask_secrets(change.added),
                "provenance": list(change.said_by),
                "state": change.state,
                "undo_until": dump_moment(change.undo_until) if change.undo_until else None,
            }
            for change in step.changes
        ],
        "raced": step.raced,
        "drifted": list(step.drifted),
    }


def applies_to(book: Book, path: str | None) -> tuple[Apply, ...]:
    """Give the applies, edits and undos that changed a gated file, the newest first.

    Args:
        book: What the log adds up to.
        path: A gated file; None takes all.
    """
    return tuple(
        apply
        for apply in reversed(tuple(book.applies.values()))
        if _counts(book, apply) and (path is None or any(target.path == path for target in apply.targets))
    )


def history_of(gate: Gate, ledger: Ledger, applies: Iterable[Apply], now: datetime) -> tuple[Step, ...]:
    """Tell of applies what they did, with proposals and decisions whose bytes are those that the log names.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        applies: Some of :func:`applies_to`, which is quick; this takes a signature for each.
        now: Aware, UTC.
    """
    shown = tuple(applies)
    proposals = {
        name: proposal
        for name in dict.fromkeys(apply.proposal for apply in shown)
        if (proposal := _proposal(gate, ledger.book.proposals[name]))
    }
    told = told_at_home(gate.home, proposals.values())
    changes = {
        name: {
            change.n: replace(
                change,
                reason=mask_secrets(change.reason, told=told),
                before=mask_secrets(change.before, told=told),
                after=mask_secrets(change.after, told=told),
            )
            for change in proposal.changes
        }
        for name, proposal in proposals.items()
    }
    return tuple(_step(gate, ledger, apply, changes.get(apply.proposal, {}), now) for apply in shown)


def _counts(book: Book, apply: Apply) -> bool:
    """Tell whether an apply was finished, and is of a decision and a proposal that the log knows."""
    known = apply.decision in book.decisions and apply.proposal in book.proposals
    return known and apply.outcome in ("done", "raced")


def _step(gate: Gate, ledger: Ledger, apply: Apply, changes: Mapping[int, Change], now: datetime) -> Step:
    book = ledger.book
    status, decision = book.proposals[apply.proposal], book.decisions[apply.decision]
    return Step(
        at=apply.at,
        kind=_kind(decision.type, status),
        paths=tuple(target.path for target in apply.targets) or (LINKS,),
        proposal=apply.proposal,
        decision=apply.decision,
        signer=_signer(gate, ledger, apply.decision),
        changes=tuple(_told(gate, book, apply, changes, now)),
        raced=apply.outcome == "raced",
        drifted=tuple(found.path for found in book.drifted if found.apply == apply.id),
    )


def _kind(decision: DecisionType, status: ProposalStatus) -> str:
    if decision in (DecisionType.UNDO, DecisionType.DRIFT):
        return decision.value
    return "edit" if status.lane == EDIT_LANE else "apply"


def _told(
    gate: Gate, book: Book, apply: Apply, changes: Mapping[int, Change], now: datetime
) -> Iterator[Told]:
    status = book.proposals[apply.proposal]
    back = book.decisions[apply.decision].type is DecisionType.UNDO
    gone_at = book.gone_at.get(status.sha256) if status.sha256 in book.gone else None
    for n in (number for number in apply.changes if number in status.changes):
        state, found = status.changes[n], changes.get(n)
        until = apply.at + timedelta(days=gate.undo_days)
        own = state.state is ChangeState.APPLIED and state.decision == apply.decision
        texts = (found.before, found.after) if found else ("", "")
        yield Told(
            n=n,
            reason=found.reason if found else "",
            removed=texts[back],
            added=texts[1 - back],
            state=state.state.value,
            undo_until=until if own and now < until else None,
            gone_at=gone_at,
            said_by=tuple(origin.value for origin in found.provenance) if found else (),
            veiled=bool(found and found.hunk.anchor is Anchor.MASKED and HOLE in found.hunk.removed),
        )


def _proposal(gate: Gate, status: ProposalStatus) -> Proposal | None:
    try:
        return read_proposal(gate, status).proposal
    except NightledgerError:
        return None


def _signer(gate: Gate, ledger: Ledger, decision: str) -> str:
    try:
        claim = read_claim(gate.home, ledger, ledger.book.decisions[decision])
    except NightledgerError:
        return ""
    return claim.signer or ""
