"""What waits, what cools, what can be undone, what ran, what is wrong: one screen.

It checks all that 'verify' checks, or that no file has changed since it last
did and found nothing wrong.

Reads   audit/, memory/, the gated files, the pin in $NIGHTLEDGER_KEYS
Writes  looked.json beside that pin: how the files looked when all was well
Changes no memory.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from nightledger.domain.errors import EXIT_ALARM, EXIT_WAITING
from nightledger.domain.words import read_moment
from nightledger.files.home import Home
from nightledger.hosts.daylogs import why_empty
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.surfaces.needs import OF_INTEGRITY
from nightledger.surfaces.screen import wrap_hint
from nightledger.surfaces.status import look

Record = dict[str, Any]
OPTIONS = {
    "--exit-code": "exit with 3 when something waits for the operator (with 4 on an alarm of 'verify' always)",
    "--held": "list all that scanners held back, and no more",
}
INDENT = 11
"""Columns of the left margin: the longest label, ``held back``, and a gap."""
_FURTHER = " " * (INDENT + 2)
"""Begins rows in which an item goes on: further in than an item begins."""
SHOWN = 3
"""How many of a kind are listed; the rest are counted, so that it stays one screen."""
_BAR = 10
_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the screen."""
    status = look(context)
    context.emit(status)
    context.print_lines(_held_lines(status) if options.held else status_lines(status, context.short))
    if any(alarm["kind"] in OF_INTEGRITY for alarm in status["alarms"]):
        return EXIT_ALARM
    return EXIT_WAITING if options.exit_code and status["waiting"]["changes"] else 0


def status_lines(status: Record, name: Callable[[str], str]) -> list[str]:
    """Return the screen.

    Args:
        status: What was found, as ``--json`` has it.
        name: Returns a text of ours with the short names of proposals.
    """
    lines = screen.wrap(screen.shown(status["home"]), indent=screen.INSIDE, first="")
    if status["simulated"]:
        lines += screen.wrap("A simulated home: its clock is whatever --now says.")
    if left_at := status["left_at"]:
        lines += screen.wrap(f"It was left on {_utc(left_at)}; using it again takes it up again.")
    for alarm in status["alarms"]:
        lines += _alarm(alarm, name)
    parts = [(label, texts) for label, texts in _parts(status, name) if texts]
    if screen.terminal():
        rows = ((label, "\n".join(_part("", texts, less=INDENT))) for label, texts in parts)
        return [*lines, *screen.table(rows, "cyan", "")]
    return [*lines, *(line for label, texts in parts for line in _part(label, texts))]


def age(since: datetime, now: datetime) -> str:
    """Return how long ago something was: ``3 days``, ``5 h``, ``12 min``."""
    passed = max(timedelta(), now - since)
    if passed >= _DAY:
        return f"{passed // _DAY} day{'s' if passed // _DAY > 1 else ''}"
    return f"{passed // _HOUR} h" if passed >= _HOUR else f"{passed // _MINUTE} min"


def _parts(status: Record, name: Callable[[str], str]) -> Iterator[tuple[str, list[str]]]:
    now = read_moment(status["at"])
    yield "empty", [screen.shown(why_empty(Home(status["home"])))] if status["empty"] else []
    yield "waits", [_waits(status["waiting"], now)]
    yield "signed", _listed(status["signed"], lambda term: _signed(term, now, name))
    yield (
        "undo",
        _listed(
            status["undoable"][::-1], lambda term: f"{_named(term, name)}, until {_utc(term['undo_until'])}"
        ),
    )
    yield "held back", _held_back(status["held"][::-1])
    yield "not asked", _listed(status["unasked"], _unasked)
    yield "", ["ask again: nightledger proposals --ask-again HEADING"] if status["unasked"] else []
    yield "size", [_size(size) for size in status["sizes"]]
    yield "ran", [_ran(run) for run in status["runs"]] or ["no night yet"]
    due = status["still_due"]
    periods = "period is" if due == 1 else "periods are"
    yield "next", [f"{due} {periods} due: nightledger night" if due else _utc(status["next_due_at"])]
    yield "staged", list(_staged(status["staged"], now)) if status["staged"] else []


def _staged(staged: Record, now: datetime) -> Iterator[str]:
    until = staged["good_until"]
    if staged["lines"] is None:
        yield "not as it was written, so it is not given out: nightledger stage"
    elif now < read_moment(until):
        yield f"{staged['lines']} line{'' if staged['lines'] == 1 else 's'}, until {_utc(until)}"
    else:
        yield f"over since {_utc(until)}: nightledger stage"
    for one in staged["troubles"]:
        yield f"since {_utc(one['since'])}: {screen.shown(one['what'])}"


def _part(label: str, texts: list[str], *, less: int = 0) -> list[str]:
    lines = []
    for at, text in enumerate(texts):
        first = f"{'' if at else label:<{INDENT - less}}"
        lines += screen.wrap(text, indent=_FURTHER[less:], first=first, less=less)
    return lines


def _alarm(alarm: Record, name: Callable[[str], str]) -> list[str]:
    text, hint = (screen.shown(name(alarm[part])) for part in ("message", "hint"))
    lines = screen.wrap(text, indent=screen.INSIDE, first=f"! {alarm['kind'].upper()} ")
    lines = [screen.painted(line, "31") for line in lines]
    return lines + wrap_hint(hint, indent="    ", first="  > ")


def _waits(waiting: Record, now: datetime) -> str:
    if waiting["oldest_at"] is None:
        return "nothing"
    proposals = "proposal" if waiting["proposals"] == 1 else "proposals"
    changes = "change" if waiting["changes"] == 1 else "changes"
    counts = f"{waiting['proposals']} {proposals}, {waiting['changes']} {changes}"
    return f"{counts}, oldest {age(read_moment(waiting['oldest_at']), now)}: nightledger review"


def _signed(term: Record, now: datetime, name: Callable[[str], str]) -> str:
    until = term["cools_until"]
    state = f"cools until {_utc(until)}" if now < read_moment(until) else "has cooled: apply"
    return f"{_named(term, name)}, {state}"


def _named(term: Record, name: Callable[[str], str]) -> str:
    return f"{name(term['proposal'])} change {', '.join(map(str, term['changes']))}"


def _held_back(held: Sequence[Record]) -> list[str]:
    new = [item for item in held if item["new"]]
    seen = len(held) - len(new)
    more = f"{seen} seen before: nightledger status --held"
    return [
        *_listed(new, _held, ": nightledger status --held"),
        *([more] if seen and len(new) <= SHOWN else []),
    ]


def _held_lines(status: Record) -> list[str]:
    """Return every text that scanners held back, by day, place and rule, the newest first; never the text."""
    told = (f"{item['at'][:10]} {_held(item)}" for item in status["held"][::-1])
    return [line for text in told for line in screen.wrap(text, indent="    ")] or ["Nothing was held back."]


def _held(item: Record) -> str:
    where = f"{item['path']}:{item['line']}" if item["line"] else item["path"] or "a proposal"
    return screen.shown(f"{', '.join(item['rules'])} in {where}")


def _unasked(one: Record) -> str:
    why = f"you refused {one['refused']} of {one['refused']}" if one["refused"] else "you said never"
    what = "files" if one["heading"].startswith("*-") else "heading"
    return f"not proposing from {what} '{screen.shown(one['heading'])}': {why}"


def _size(size: Record) -> str:
    path, characters, cap = screen.shown(size["path"]), size["characters"], size["cap"]
    if cap is None:
        return f"{path} {characters:,} characters, no cap"
    full = min(_BAR, _BAR * characters // cap)
    over = ", over it" if characters > cap else ""
    return f"{path} [{'#' * full}{'.' * (_BAR - full)}] {characters:,} of {cap:,} characters{over}"


def _ran(run: Record) -> str:
    counts = ", ".join(f"{n} {word.replace('_', ' ')}" for word, n in sorted(run["counts"].items()) if n)
    said = "; ".join(part for part in (counts, run.get("reason", "")) if part)
    return screen.shown(f"{run['job']} {run['period']} {run['outcome']}{f': {said}' if said else ''}")


def _listed(items: Sequence[Record], tell: Callable[[Record], str], command: str = "") -> list[str]:
    texts = [tell(item) for item in items[:SHOWN]]  # to mask what is not shown would take seconds
    more = len(items) - SHOWN
    return texts if more <= 0 else [*texts, f"and {more} more{command}"]


def _utc(text: str) -> str:
    return f"{read_moment(text):%Y-%m-%d %H:%M} UTC"
