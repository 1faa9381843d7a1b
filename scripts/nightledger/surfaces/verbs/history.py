"""What changed a gated file, when, why, who signed it, can it still be undone.

Told from the log, and from proposals and decisions whose bytes are those that
the log names; what is not is named as such.

Reads   audit/, memory/state/proposals/
Changes no memory, and writes nothing at all.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import NightledgerError, UsageError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import LINKS
from nightledger.domain.proposal import Proposal
from nightledger.domain.states import Apply, Book, ChangeState
from nightledger.domain.words import count_of, dump_moment
from nightledger.files.home import Home
from nightledger.gate.checking import find_drift
from nightledger.gate.gated import require_watched
from nightledger.gate.naming import Placed, entries_at, find_standing
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.screening import told_at_home
from nightledger.gate.stored import read_proposal, without_secrets
from nightledger.gate.trusting import read_claim
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import reading
from nightledger.surfaces.verbs.pin import find_ids
from nightledger.text.scanners.scan import mask_secrets

_DONE = {"apply": "applied", "edit": "edited by hand", "undo": "taken back", "drift": "drift settled"}
Record = dict[str, Any]
"""A step, or one change of it, as ``--json`` has it; secrets masked."""


def run(options: argparse.Namespace, context: Context) -> int:
    """Print what changed."""
    if options.n < 1:
        raise UsageError(f"-n {options.n} is not a number from 1", hint="leave it out to see the newest 20")
    with reading(context) as session:
        home, book = session.gate.home, session.ledger.book
        entry = _entry(home, book, options.path) if options.path else None
        path = entry.path if entry else _path(home, book, options.path) if options.path else None
        applies = _applies_to(book, path)
        shown = applies if entry else applies[: options.n]
        steps = _steps(session.gate, session.ledger, shown, session.moment.at)
        if entry:
            steps = list(_about(entry.entry.text, steps))
            applies, steps = applies[: len(steps)], steps[: options.n]
        drift = [name for name in find_drift(home, book) if path in (None, name)]
    context.emit({"drift": drift, "steps": steps, "of": len(applies)})
    for path in drift:
        told = f"! {screen.shown(path)} was changed outside Nightledger since."
        context.print_lines(screen.wrap(told, indent="  "))
    for step in steps:
        context.print_lines(_lines(step, context.short))
    if entry:
        context.print(f"{entry.entry.id} {screen.shown(entry.path)}:{entry.entry.first_line}")
    if not applies:
        about = "It was there before" if entry else "Nothing was changed through the gate"
        context.print(f"{about}.")
    elif len(applies) > len(steps):
        context.print(f"{len(applies) - len(steps)} older; -n {len(applies)} shows all.")
    return 0


def _entry(home: Home, book: Book, word: str) -> Placed | None:
    """Return the standing entry that a word names by its id or place; None where it names none."""
    standing = find_standing(home, book).entries
    found = find_ids(word, standing) or entries_at(standing, word)
    return standing[found[0]] if len(found) == 1 else None


def _about(text: str, steps: list[Record]) -> Iterator[Record]:
    """Give the steps that brought or took an entry's text, with those of their changes."""
    for step in steps:
        changes = [one for one in step["changes"] if text.strip() in (one["added"] + one["removed"])]
        if changes:
            yield {**step, "changes": changes}


def _path(home: Home, book: Book, text: str) -> str:
    """Return a gated file's name as records have it.

    Raises:
        RefusedError: It is no gated file of this home.
        UnreadableError: It is outside the home.
    """
    path = home.relative(text) if os.path.isabs(text) else os.path.normpath(text)
    require_watched(home, book, path)
    return path


def _applies_to(book: Book, path: str | None) -> tuple[Apply, ...]:
    """Return the applies, edits and undos that were finished, the newest first; of one file where it is named."""
    return tuple(
        apply
        for apply in reversed(tuple(book.applies.values()))
        if apply.decision in book.decisions
        and apply.proposal in book.proposals
        and apply.outcome in ("done", "raced")
        and (path is None or any(target.path == path for target in apply.targets))
    )


def _steps(gate: Gate, ledger: Ledger, applies: tuple[Apply, ...], now: datetime) -> list[Record]:
    """Return what each apply did, with proposals and decisions read and checked, which takes a signature for each."""
    proposals: dict[str, Proposal] = {}
    for name in dict.fromkeys(apply.proposal for apply in applies):
        with suppress(NightledgerError):
            proposals[name] = read_proposal(gate, ledger.book.proposals[name]).proposal
    mask = partial(mask_secrets, told=told_at_home(gate.home, proposals.values()))
    return [_step(gate, ledger, apply, proposals.get(apply.proposal), mask, now) for apply in applies]


def _step(
    gate: Gate,
    ledger: Ledger,
    apply: Apply,
    proposal: Proposal | None,
    mask: Callable[[str], str],
    now: datetime,
) -> Record:
    book = ledger.book
    status, decision = book.proposals[apply.proposal], book.decisions[apply.decision]
    kind = "edit" if status.lane == EDIT_LANE else "apply"
    if decision.type in (DecisionType.UNDO, DecisionType.DRIFT):
        kind = decision.type.value
    changes = []
    gone_at = book.gone_at.get(status.sha256) if status.sha256 in book.gone else None
    for n in (number for number in apply.changes if number in status.changes):
        state, until = status.changes[n], apply.at + timedelta(days=gate.undo_days)
        is_open = state.state is ChangeState.APPLIED and state.decision == apply.decision and now < until
        found = next((change for change in proposal.changes if change.n == n), None) if proposal else None
        texts = (mask(found.before), mask(found.after)) if found else ("", "")
        removed, added = texts[::-1] if kind == "undo" else texts
        changes.append(
            {
                "n": n,
                "reason": mask(found.reason) if found else "",
                "removed": removed,
                "added": added,
                "provenance": [origin.value for origin in found.provenance] if found else [],
                "state": state.state.value,
                "undo_until": dump_moment(until) if is_open else None,
                "took_secret": is_open and not without_secrets(gate, status, [n]),
                "gone_at": dump_moment(gone_at) if gone_at else None,
            }
        )
    return {
        "at": dump_moment(apply.at),
        "kind": kind,
        "paths": [target.path for target in apply.targets] or [LINKS],
        "proposal": apply.proposal,
        "decision": apply.decision,
        "signer": _signer(gate, ledger, apply.decision),
        "changes": changes,
        "raced": apply.outcome == "raced",
    }


def _signer(gate: Gate, ledger: Ledger, decision: str) -> str | None:
    """Return the principal whose signature verifies; None where none does."""
    try:
        return read_claim(gate.home, ledger, ledger.book.decisions[decision]).signer or None
    except NightledgerError:
        return None


def _lines(step: Record, name: Callable[[str], str]) -> list[str]:
    """Return the rows of a step."""
    wrap, paths = screen.wrap, screen.shown(", ".join(step["paths"]))
    head = f"{screen.utc(step['at'])} {_DONE[step['kind']]}: {name(step['proposal'])}, {paths}"
    lines = [screen.painted(row, "36") for row in wrap(head, indent="    ", first="")]
    for change in step["changes"]:
        told = screen.shown(change["reason"]) or _no_text(change)
        told += f" ({', '.join(change['provenance'])})" if change["provenance"] else ""
        lines += wrap(f"{change['n']}: {told}", indent="     ", first="  ")
        lines += _text(change)
        lines += wrap(_undo(step, change, name), indent="       ", first="     ")
    signer = screen.shown(step["signer"] or "")
    signed = f"signed by {signer}" if signer else "its signature does not verify"
    lines += wrap(f"{signed}, {step['decision']}", indent="     ", first="  ")
    if step["raced"]:
        lines += wrap("another program wrote at the same moment", indent="    ", first="  ! ")
    return lines


def _text(change: Record) -> Iterator[str]:
    """Return the first line of what went and of what came, with how many more there are."""
    for sign, text in (("-", change["removed"]), ("+", change["added"])):
        first, *more = text.strip("\n").split("\n")
        rest = f" (and {count_of(len(more), 'more line')})" if more else ""
        if text:
            yield from screen.wrap(f"{screen.shown(first)}{rest}", indent="       ", first=f"     {sign} ")


def _no_text(change: Record) -> str:
    if change["gone_at"]:
        return f"its text went on {change['gone_at'][:10]}; its hashes are in the log"
    return "its proposal is not as it was logged; see 'nightledger verify'"


def _undo(step: Record, change: Record, name: Callable[[str], str]) -> str:
    if change["took_secret"]:
        return "no undo: a secret does not come back"
    if until := change["undo_until"]:
        return f"undo until {screen.utc(until)}: nightledger undo {name(step['proposal'])}#{change['n']}"
    if step["kind"] == "undo":
        return "taken back here"
    return "its undo window has closed" if change["state"] == "applied" else f"since then {change['state']}"
