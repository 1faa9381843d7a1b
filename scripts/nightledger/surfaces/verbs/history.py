"""What changed a gated file, when, why, who signed it, can it still be undone.

Reads   audit/, memory/state/proposals/
Changes no memory, and writes nothing at all.
"""

import argparse
import os
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Any

from nightledger.domain.errors import UsageError
from nightledger.domain.words import dump_moment
from nightledger.files.home import Home
from nightledger.gate.gated import require_gated
from nightledger.gate.integrity.checking import find_drift
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.history import Step, Told, applies_to, history_of
from nightledger.surfaces.session import reading
from nightledger.surfaces.table import GAP, table
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
    for path in drift:
        context.print_lines(
            screen.wrap(f"! {screen.shown(path)} was changed outside Nightledger since.", indent="  ")
        )
    name = context.short
    rows = (
        _rows(shown, name) if screen.terminal() else chain.from_iterable(_lines(one, name) for one in shown)
    )
    context.print_lines(rows)
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


def _rows(steps: Iterable[Step], name: Callable[[str], str]) -> list[str]:
    """Give a table of the steps: when, and what."""
    wrap = partial(screen.wrap, less=len("2026-03-01") + GAP)
    rows = ((f"{step.at:%Y-%m-%d\n%H:%M} UTC", "\n".join(_lines(step, name, wrap))) for step in steps)
    return table(rows, "cyan", "")


def _lines(step: Step, name: Callable[[str], str], cell: Callable[..., list[str]] | None = None) -> list[str]:
    """Give the rows of a step; for a cell of a table that breaks its rows, without its time."""
    wrap, at = cell or screen.wrap, "" if cell else f"{step.at:%Y-%m-%d %H:%M} UTC "
    paths = screen.shown(", ".join(step.paths))
    lines = wrap(f"{at}{_DONE[step.kind]}: {name(step.proposal)}, {paths}", indent="    ", first="")
    for change in step.changes:
        told = screen.shown(change.reason) or _no_text(change)
        told += f" ({', '.join(change.said_by)})" if change.said_by else ""
        lines += wrap(f"{change.n}: {told}", indent="     ", first="  ")
        lines += _text(change, wrap)
        lines += wrap(_undo(step, change, name), indent="       ", first="     ")
    signed = f"signed by {screen.shown(step.signer)}" if step.signer else "its signature does not verify"
    lines += wrap(f"{signed}, {step.decision}", indent="     ", first="  ")
    if step.drifted:
        names = screen.shown(", ".join(step.drifted))
        lines += wrap(f"before it, {names} had been changed outside Nightledger", indent="    ", first="  ! ")
    if step.raced:
        lines += wrap("another program wrote at the same moment", indent="    ", first="  ! ")
    return lines


def _text(change: Told, wrap: Callable[..., list[str]]) -> list[str]:
    """Give the first line of what went and of what came, with how many more there are."""
    rows = []
    for sign, text in (("-", change.removed), ("+", change.added)):
        first, *more = text.strip("\n").split("\n")
        told = (
            f"{screen.shown(first)} (and {len(more)} more line{'s' * (len(more) > 1)})"
            if more
            else screen.shown(first)
        )
        rows += wrap(told, indent="       ", first=f"     {sign} ") if text else []
    return rows


def _no_text(change: Told) -> str:
    if change.gone_at is not None:
        return f"its text went on {change.gone_at:%Y-%m-%d}; its hashes are in the log"
    return "its proposal is not as it was logged; see 'nightledger verify'"


def _undo(step: Step, change: Told, name: Callable[[str], str]) -> str:
    if change.veiled:
        return "no undo: a secret does not come back"
    if change.undo_until is not None:
        until = f"{change.undo_until:%Y-%m-%d %H:%M} UTC"
        return f"undo until {until}: nightledger undo {name(step.proposal)}#{change.n}"
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
