"""Write what became of memory into one HTML file to look at: no network, no script.

Where the audit log does not hold, it says so, and counts nothing that the log would tell.

Reads   what 'status' reads, outcomes, exposures, links, blobs
Writes  .nightledger/report.html, or the file that --to names; looked.json as 'status' does
Changes no memory.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from nightledger.domain.errors import EXIT_ALARM, NightledgerError, RefusedError
from nightledger.domain.words import count_of
from nightledger.doors.report import OURS, Part, page_of
from nightledger.files.atomic import replace_file
from nightledger.files.durable import is_within, read_regular
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.screening import told_at_home
from nightledger.surfaces import report_memory as memory
from nightledger.surfaces import report_record as record
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context, require_person
from nightledger.surfaces.needs import OF_INTEGRITY
from nightledger.surfaces.report_record import cell
from nightledger.surfaces.verbs.status import Look
from nightledger.surfaces.verbs.status import look as look_at

FILE = ".nightledger/report.html"
MOST_BYTES = 1 << 20
"""Of a report that another may take the place of."""


def run(options: argparse.Namespace, context: Context) -> int:
    """Write the file, or print the same as text; exit with 4 on an alarm of ``verify``."""
    look = look_at(context)
    home, status = look.gate.home, look.record
    # it tells what nobody signed and what scanners hold back: tags, kinds of task, titles
    require_person(context.verb, simulated=home.identity.simulated)
    wrong = [alarm for alarm in status["alarms"] if alarm["kind"] in OF_INTEGRITY]
    parts = list(_parts(look, context))
    badge = f"verify: {cell(wrong[0]['message'])}" if wrong else _holds(look.ledger)
    simulated = " (simulated)" if status["simulated"] else ""
    title = f"{cell(home.root)}{simulated}, {context.now:%Y-%m-%d %H:%M} UTC"
    context.emit({"badge": badge, "parts": [_record(part) for part in parts]})
    if options.text or context.json:
        context.print_lines(_lines(title, badge, parts))
    else:
        path = options.to or os.path.join(home.root, FILE)
        _require_free(path, home)
        replace_file(path, page_of(title, badge, parts, is_well=not wrong), disposable=True)
        context.print(os.path.abspath(path))
    return EXIT_ALARM if wrong else 0


def _require_free(path: str, home: Home) -> None:
    """Make sure that a report takes the place of nothing but a report.

    Raises:
        RefusedError: Something else is there, or the home's own records would be.
    """
    inside = is_within(path, home.root) and not is_within(path, home.work_dir)
    if inside or (os.path.lexists(path) and OURS not in read_regular(path, MOST_BYTES)):
        raise RefusedError(f"{path} is a place of other files", hint="name another file, outside the home")


def _holds(ledger: Ledger | None) -> str:
    log = ledger.log if ledger else None
    size = count_of(log.size if log else 0, "entry", "entries")
    return f"verify: all holds, {size}, root {log.tree.root().hex()[:16]}" if log else ""


def _parts(look: Look, context: Context) -> Iterator[Part]:
    """Yield the parts of the report; one that cannot be made says why."""
    gate, status, now = look.gate, look.record, context.now
    yield from record.alarms(status)
    told = "What cannot be told"
    for make in _of_files(gate, status, now) if look.ledger is None else _of_log(look, look.ledger, context):
        try:
            yield from make()
        except NightledgerError as error:
            yield Part(title=told, told=f"{cell(str(error))}. Next: {cell(error.hint)}")
    if look.ledger is None:
        yield Part(
            title=told, told="Nothing that the audit log would tell is counted here: it does not hold."
        )


Make = Callable[[], Iterable[Part]]


def _of_files(gate: Gate, status: dict[str, Any], now: datetime) -> tuple[Make, ...]:
    """Return what is told where the log tells nothing."""
    return lambda: [record.runs(gate, status, now)], lambda: [record.failures(gate)]


def _of_log(look: Look, ledger: Ledger, context: Context) -> tuple[Make, ...]:
    gate, status, now, book = look.gate, look.record, context.now, ledger.book
    secrets, undo, events = told_at_home(gate.home, ()), status["undoable"], ledger.log.events
    witnesses = look.seen.witnesses if look.seen else None
    return (
        lambda: [record.waiting(gate, book, secrets, now)],
        lambda: record.week_by_week(gate, book, events, now),
        lambda: memory.sizes(gate, book, status, now),
        lambda: [record.runs(gate, status, now)],
        lambda: [memory.associations(gate)],
        lambda: memory.remembered(gate, ledger, context.moment, secrets, undo),
        lambda: [record.failures(gate)],
        lambda: [record.drift(events, book)],
        lambda: [record.audit(gate.home, ledger, witnesses, now)],
    )


def _record(part: Part) -> dict[str, Any]:
    return {"title": part.title, "told": part.told, "heads": part.heads, "rows": part.rows}


def _lines(title: str, badge: str, parts: Sequence[Part]) -> Iterator[str]:
    yield from screen.wrap(title, indent=screen.INSIDE, first="")
    yield from screen.wrap(badge, indent=screen.INSIDE, first="")
    for part in parts:
        yield ""
        yield from screen.wrap(f"{part.title}: {part.told}", indent="  ", first="")
        styles = ("",) * len(part.heads)
        rows = screen.table(part.rows, *styles, heads=part.heads, less=2) if part.rows else ()
        yield from (f"  {row}" for row in rows)
