"""What waits, what cools, what can be undone, what ran, what is wrong: one screen.

It checks all that 'verify' checks, or that no file has changed since it last
did and found nothing wrong.

Reads   audit/, memory/, the gated files, the pin in $NIGHTLEDGER_KEYS
Writes  looked.json beside that pin: how the files looked when all was well
Changes no memory.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from nightledger.codec.records import to_plain
from nightledger.domain.consolidation import MILLION
from nightledger.domain.decision import Entry, Event, EventName
from nightledger.domain.errors import EXIT_ALARM, EXIT_WAITING, NightledgerError
from nightledger.domain.periods import can_be, count_due, next_look_at, reckon
from nightledger.domain.states import Book
from nightledger.domain.words import count_of, dump_moment, numbered, read_moment
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.files.staged import find_page, read_troubles
from nightledger.gate.gated import read_gated
from nightledger.gate.opening import Gate, Ledger, open_gate
from nightledger.gate.stored import find_set_aside, shortened
from nightledger.hosts.daylogs import why_empty
from nightledger.night import calendar_of
from nightledger.surfaces import needs, screen
from nightledger.surfaces.context import Context, actor_of, cap_config
from nightledger.surfaces.kept_look import find_kept, keep, stamp_of
from nightledger.surfaces.listing import left_at, signed_in, unasked_in, undoable_in, waiting_in
from nightledger.surfaces.screen import wrap_hint
from nightledger.trust.audit import check_log
from nightledger.trust.event import event_of_record
from nightledger.trust.keys import KeyRing
from nightledger.trust.pin import NO_PIN, find_pin

if TYPE_CHECKING:
    from nightledger.surfaces.verbs.verify import Seen

NEWS = timedelta(days=7)
"""How long what scanners held back is told of one by one. Our choice."""


class Look(Struct, kw_only=True):
    """What one look at a home gives; empty where the log, or what it speaks of, cannot be read.

    Attributes:
        gate: The home, opened.
        record: The document of ``status --json``.
        alarms: What is wrong.
        ledger: Its log.
        newest: The newest event of the log.
        seen: All that ``verify`` found; None where an earlier look was believed, or the log does not hold.
        stamp: How the files looked before it.
        unasked: What is not asked about any more, where an earlier look was believed.
    """

    gate: Gate
    record: dict[str, Any] = field(default_factory=dict)
    alarms: list[needs.Alarm] = field(default_factory=list)
    ledger: Ledger | None = None
    newest: Event | None = None
    seen: "Seen | None" = None
    stamp: str = ""
    unasked: list[dict[str, Any]] | None = None


def look(context: Context) -> Look:
    """Look at a home.

    Raises:
        ConfigurationError: No home there.
    """
    gate = open_gate(context.home_path, context.keys_dir, actor=actor_of(context), config_of=cap_config)
    home, now = gate.home, context.now
    found, log = Look(gate=gate), dict[str, Any]()
    try:
        _read_log(context, found)
        log = _log_record(context, found)
    except NightledgerError as error:  # no file where one should be
        found.alarms.append(needs.Alarm(kind="integrity", message=str(error), hint=error.hint))
    book = found.ledger.book if found.ledger else Book()
    context.short = partial(shortened, book)
    schedule, late = _schedule(context, gate)
    alarms = [*found.alarms, *needs.of_settings(gate, now), *late, *needs.of_machine(home)]
    entries = found.ledger.log.entries() if found.ledger else ()
    held = (entry for entry in entries if entry[0] == EventName.QUARANTINED)
    aside = log.pop("aside", ())
    found.record = {
        "home": home.root,
        "id": home.identity.id,
        "simulated": home.identity.simulated,
        "at": dump_moment(now),
        "alarms": [{"kind": a.kind, "message": a.message, "hint": a.hint} for a in alarms],
        "waiting": waiting_in(book, aside),
        "signed": [term for term in signed_in(gate, book) if term["proposal"] not in aside],
        "undoable": [],
        "held": [_held_record(entry, now - NEWS) for entry in held],
        "unasked": [],
        **log,
        "sizes": list(_sizes(gate)),
        **schedule,
        "empty": bool(why_empty(home)),
        "left_at": to_plain(left_at(found.newest)),
        "staged": _staged_record(home),
        "analyst": _analyst_record(home),
        "asked": _asked_record(gate),
    }
    return found


def _log_record(context: Context, found: Look) -> dict[str, Any]:
    """Return what the log tells beside its book; nothing where it does not hold. Keep that all was well, if it was."""
    gate, ledger = found.gate, found.ledger
    if ledger is None:
        return {}
    unasked = unasked_in(gate, ledger.book) if found.unasked is None else found.unasked
    undoable = list(undoable_in(gate, ledger, context.moment))
    if found.seen:
        keep(gate, found.seen, found.stamp, context.moment, unasked)
    return {"aside": find_set_aside(gate.home, ledger.book), "unasked": unasked, "undoable": undoable}


def _read_log(context: Context, found: Look) -> None:
    """Read the log, and check all that ``verify`` checks unless a look that found all well saw these very files."""
    gate, pin = found.gate, None
    try:
        pin = find_pin(KeyRing(Path(gate.ring.directory)), gate.home.identity.id)
    except NightledgerError as error:
        found.alarms.append(needs.Alarm(kind="integrity", message=str(error), hint=error.hint))
    if kept := find_kept(gate, pin):
        found.ledger, found.unasked = kept
        found.newest = found.ledger.log.newest
        return
    from nightledger.surfaces.verbs.verify import Seen, look_beyond

    stamp = stamp_of(gate)
    log = check_log(gate.home, pin)
    seen = Seen(report=log.report, simulated=gate.home.identity.simulated)
    found.newest = log.newest
    if log.report.ok:
        seen = look_beyond(gate, log, context.moment)
        found.ledger = Ledger(log=log, book=seen.book or Book())
    found.alarms += [alarm for alarm in needs.of_look(gate.home, seen, context.moment) if alarm.kind]
    if pin is None:
        message = "this machine has not pinned the log's keys: its signatures were not checked"
        found.alarms.append(needs.Alarm(kind="integrity", message=message, hint=NO_PIN))
    if pin and log.report.ok:
        found.seen, found.stamp = seen, stamp


def _staged_record(home: Home) -> dict[str, Any] | None:
    """Return what is staged in a home; None where there is no page, no lines where it is not as it was written."""
    page = find_page(home)
    if page is None and not os.path.lexists(home.staged_context):
        return None
    return {
        "lines": len(page.lines) if page else None,
        "good_until": page.good_until if page else "",
        "troubles": read_troubles(home),
    }


_TAIL_BYTES = 1 << 16
"""Of the consolidation log: it has a line of a few kilobytes a night."""
_ASKED_BYTES = 1 << 20
"""Of the transcript: a day of 200,000 tokens has as much at the most."""


def _analyst_record(home: Home) -> dict[str, Any] | None:
    """Return what the model was asked in the last consolidation, and what that cost; None where none was asked."""
    try:
        with LineLog(home.consolidation_log) as log:
            chunks = b"".join(log.chunks(max(0, log.end - _TAIL_BYTES)))
    except NightledgerError:
        return None  # the night that would write it says so
    if b'"analyst":{' not in chunks:  # most homes ask no model, and pay for no record
        return None
    from nightledger.codec.records import decode_lines
    from nightledger.domain.consolidation import Consolidation

    nights = decode_lines(Consolidation, chunks)
    run = nights[-1].analyst if nights else None
    if run is None:
        return None
    told = ("model", "tokens", "cost_millionths", "over_budget", "problem")
    return {"period": nights[-1].period, "cost": run.cost, **{name: getattr(run, name) for name in told}}


def _asked_record(gate: Gate) -> dict[str, Any] | None:
    """Return what the last day (UTC) cost on which a model was asked, by whatever verb, and what it might; None where none was."""
    if not os.path.lexists(gate.home.analyst_log):
        return None
    from nightledger.files.configuration import load_operator
    from nightledger.think.analyst import day_of, read_asked, read_key, spent_on

    try:
        source = load_operator(str(gate.ring.directory)).analyst
        key = read_key(os.path.join(gate.ring.directory, gate.home.identity.id))
        rows = read_asked(gate.home, key, most_bytes=_ASKED_BYTES) if source and key else []
    except NightledgerError:
        return None  # operator.yaml is told as what it is, the transcript by the next night
    if not source or not rows:
        return None
    day = max(day_of(row.at) for row in rows)
    tokens, paid = spent_on(day, rows, source.price)
    limits = {name: getattr(source, name) for name in ("tokens_a_night", "money_a_night")}
    guessed = source.price.question != source.price.answer  # the transcript counts the two together
    return {"day": day, "tokens": tokens, "cost_millionths": paid, "cost_is_estimated": guessed, **limits}


def _schedule(context: Context, gate: Gate) -> tuple[dict[str, Any], list[needs.Alarm]]:
    """Return the newest run of each job, in the order in which jobs run, when something is due, and what is wrong."""
    home, now = gate.home, context.now
    calendar = calendar_of(home, gate.settings, needs.job_schedules(gate.settings))
    written, alarms = needs.runs_of(home, now)
    newest = {run.job: run for run in written if can_be(run, calendar.zone)}
    runs = reckon(written, now, calendar.zone)
    schedule = {
        "runs": [to_plain(newest[name]) for name in calendar.schedules if name in newest],
        "next_due_at": dump_moment(next_look_at(calendar, runs, now)),
        "still_due": count_due(calendar, runs, now),
    }
    return schedule, [*needs.of_schedule(calendar, runs, now), *alarms]


def _sizes(gate: Gate) -> Iterator[dict[str, Any]]:
    for path in gate.home.identity.gated:
        try:
            text = read_gated(gate.home, path).decode("utf-8", "surrogateescape")
        except NightledgerError:
            continue  # told as drift
        yield {"path": path, "characters": len(text), "cap": gate.most_characters(path)}


def _held_record(entry: Entry, since: datetime) -> dict[str, Any]:
    """Return a place whose text the scanners held back; new where it is no week old."""
    event = event_of_record({**entry[1]})
    place = {name: event.fields[name] for name in ("path", "line", "rules")}
    return {"at": dump_moment(event.at), **place, "new": event.at > since}


Record = dict[str, Any]
INDENT = 11
"""Columns of the left margin: the longest label, ``held back``, and a gap."""
_FURTHER = " " * (INDENT + 2)
"""Begins rows in which an item goes on: further in than an item begins."""
SHOWN = 3
"""How many of a kind are listed; the rest are counted, so that it stays one screen."""
_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def run(options: argparse.Namespace, context: Context) -> int:
    """Print the screen."""
    status = look(context).record
    context.emit(status)
    context.print_lines(_held_lines(status) if options.held else status_lines(status, context.short))
    if any(alarm["kind"] in needs.OF_INTEGRITY for alarm in status["alarms"]):
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
        lines += screen.wrap(f"It was left on {screen.utc(left_at)}; using it again takes it up again.")
    for alarm in status["alarms"]:
        lines += _alarm(alarm, name)
    return [*lines, *(line for label, texts in _parts(status, name) for line in _part(label, texts))]


def age(since: datetime, now: datetime) -> str:
    """Return how long ago something was: ``3 days``, ``5 h``, ``12 min``."""
    passed = max(timedelta(), now - since)
    if passed >= _DAY:
        return count_of(passed // _DAY, "day")
    return f"{passed // _HOUR} h" if passed >= _HOUR else f"{passed // _MINUTE} min"


def _parts(status: Record, name: Callable[[str], str]) -> Iterator[tuple[str, list[str]]]:
    now = read_moment(status["at"])
    yield "empty", [screen.shown(why_empty(Home(status["home"])))] if status["empty"] else []
    yield "waits", [_waits(status["waiting"], now)]
    yield "signed", _listed(status["signed"], lambda term: _signed(term, now, name))
    yield "undo", _listed(status["undoable"][::-1], lambda term: _undoable(term, name))
    yield "held back", _held_back(status["held"][::-1])
    yield "not asked", _listed(status["unasked"], _unasked)
    yield "", ["ask again: nightledger proposals --ask-again NAME"] if status["unasked"] else []
    yield "size", [_size(size) for size in status["sizes"]]
    yield "ran", [_ran(run) for run in status["runs"]] or ["no night yet"]
    due = f"{count_of(status['still_due'], 'period is', 'periods are')} due: nightledger night"
    yield "next", [due if status["still_due"] else screen.utc(status["next_due_at"])]
    tells = (("analyst", _analyst), ("asked", _asked))
    yield "model", [tell(status[of]) for of, tell in tells if status[of]]
    yield "staged", list(_staged(status["staged"], now)) if status["staged"] else []


def _analyst(run: Record) -> str:
    ended = "; the budget of the night ended it" if run["over_budget"] else ""
    return screen.shown(f"{run['model']}, night of {run['period']}: {run['cost']}{ended}")


def _asked(asked: Record) -> str:
    told = (
        f"all that asked on {asked['day']}: {asked['tokens']:,} of {asked['tokens_a_night']:,} tokens a day"
    )
    if not asked["cost_millionths"]:
        return told
    about = "about " if asked["cost_is_estimated"] else ""
    most = f" of {asked['money_a_night']:g}" if asked["money_a_night"] else ""
    return f"{told}, {about}{asked['cost_millionths'] / MILLION:.4f}{most} in money"


def _staged(staged: Record, now: datetime) -> Iterator[str]:
    until = staged["good_until"]
    if staged["lines"] is None:
        yield "not as it was written, so it is not given out: nightledger stage"
    elif now < read_moment(until):
        yield f"{count_of(staged['lines'], 'line')}, until {screen.utc(until)}"
    else:
        yield f"over since {screen.utc(until)}: nightledger stage"
    for one in staged["troubles"]:
        yield f"since {screen.utc(one['since'])}: {screen.shown(one['what'])}"


def _part(label: str, texts: list[str]) -> list[str]:
    lines = list[str]()
    for text in texts:
        lines += wrap_hint(text, indent=_FURTHER, first=f"{'' if lines else label:<{INDENT}}")
    return [screen.painted(label, "36") + lines[0][len(label) :], *lines[1:]] if lines else []


def _alarm(alarm: Record, name: Callable[[str], str]) -> list[str]:
    text, hint = (screen.shown(name(alarm[part])) for part in ("message", "hint"))
    lines = screen.wrap(text, indent=screen.INSIDE, first=f"! {alarm['kind'].upper()} ")
    lines = [screen.painted(line, "31") for line in lines]
    return lines + wrap_hint(hint, indent="    ", first="  > ")


def _waits(waiting: Record, now: datetime) -> str:
    if waiting["oldest_at"] is None:
        return "nothing"
    counts = f"{count_of(waiting['proposals'], 'proposal')}, {count_of(waiting['changes'], 'change')}"
    return f"{counts}, oldest {age(read_moment(waiting['oldest_at']), now)}: nightledger review"


def _signed(term: Record, now: datetime, name: Callable[[str], str]) -> str:
    until = term["cools_until"]
    state = f"cools until {screen.utc(until)}" if now < read_moment(until) else "cooled: apply"
    return f"{_named(term, name)}, {state}"


def _undoable(term: Record, name: Callable[[str], str]) -> str:
    return f"{_named(term, name)}, until {screen.utc(term['undo_until'])}"


def _named(term: Record, name: Callable[[str], str]) -> str:
    return f"{name(term['proposal'])} {numbered(term['changes'])}"


def _held_back(held: Sequence[Record]) -> list[str]:
    new = [item for item in held if item["new"]]
    seen = len(held) - len(new)
    all_of_them = ": nightledger status --held"
    more = [f"{seen} seen before{all_of_them}"] if seen and len(new) <= SHOWN else []
    return [*_listed(new, _held, all_of_them), *more]


def _held_lines(status: Record) -> list[str]:
    """Return every text that scanners held back, by day, place and rule, the newest first; never the text."""
    told = (f"{item['at'][:10]} {_held(item)}" for item in status["held"][::-1])
    return [line for text in told for line in screen.wrap(text, indent="    ")] or ["Nothing was held back."]


def _held(item: Record) -> str:
    where = f"{item['path']}:{item['line']}" if item["line"] else item["path"] or "a proposal"
    return screen.shown(f"{', '.join(item['rules'])} in {where}")


def _unasked(one: Record) -> str:
    why = f"you refused {one['refused']} of {one['refused']}" if one["refused"] else "you said never"
    name = one["heading"]
    what = "files" if name.startswith("*-") else "label" if name.endswith(":") else "heading"
    told = f"from {what} '{name}'" if not name.startswith("kind: ") else f"statements of '{name}'"
    return f"not proposing {screen.shown(told)}: {why}"


def _size(size: Record) -> str:
    path, characters, cap = screen.shown(size["path"]), size["characters"], size["cap"]
    if cap is None:
        return f"{path} {characters:,} characters, no cap"
    over = ", over it" if characters > cap else ""
    return f"{path} {characters:,} of {cap:,} characters{over}"


def _ran(run: Record) -> str:
    said = "; ".join(part for part in (screen.counted(run["counts"]), run.get("reason", "")) if part)
    return screen.shown(f"{run['job']} {run['period']} {run['outcome']}{f': {said}' if said else ''}")


def _listed(items: Sequence[Record], tell: Callable[[Record], str], command: str = "") -> list[str]:
    texts = [tell(item) for item in items[:SHOWN]]  # to mask what is not shown would take seconds
    more = len(items) - SHOWN
    return texts if more <= 0 else [*texts, f"and {more} more{command}"]
