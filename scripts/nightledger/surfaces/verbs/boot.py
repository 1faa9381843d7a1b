"""The first screen of a session: how long it was away, what is overdue, what speaks to what is open.

For an agent to read when it begins. What it says was left by earlier sessions;
nobody signed it, and it says so. At most three observations, each once a week.

Reads   memory/system/, audit/
Writes  memory/system/observation.jsonl: what was told; .nightledger/
Changes no memory.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from nightledger.codec.canonical import read_value
from nightledger.domain.errors import NightledgerError
from nightledger.domain.record import Author, Record
from nightledger.domain.words import count_of, read_moment
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.records import drawing, keeping
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context, require_machine
from nightledger.surfaces.recalling import calling_session
from nightledger.surfaces.verbs.status import age
from nightledger.surfaces.verbs.status import look as look_at_home
from nightledger.text.visible import quoted

_TAIL_BYTES = 1 << 16
LANDMARKS = 3
MOST_TOLD = 20
"""Items of one list; the rest is counted: whoever writes records does not fill a session with them. Our choice."""
_LONG = frozenset({drawing.Gap.CATCH_UP, drawing.Gap.CHECK_IN, drawing.Gap.FIRST})


class Screen(Struct, frozen=True, kw_only=True):
    """What a session is told.

    Attributes:
        gap: How long the last one is ago.
        last: When something was last written down; None for never.
        overdue: Items that were handed over and are overdue.
        open: The rest of them; told one by one after a long gap only.
        corrections: Those that speak to what is open.
        landmarks: The newest work and decisions that ended; after a long gap.
        noticed: What is told this once.
        waits: Changes that wait for the operator.
        problems: Files of records that cannot be read.
    """

    gap: drawing.Gap
    last: datetime | None
    overdue: list[Record]
    open: list[Record]
    corrections: list[drawing.Match]
    landmarks: list[Record]
    noticed: list[drawing.Noticed]
    waits: int
    problems: list[str]


def run(options: argparse.Namespace, context: Context) -> int:
    """Say what a session should know."""
    home = Home(context.home_path).require()
    require_machine(home)
    session = options.session or calling_session()
    told = look(context, home, session)
    context.emit(_value(told))
    context.print_lines(_lines(told, context))
    for problem in told.problems:
        context.note(f"{problem}; what stands there is not told")
    if told.noticed and not any(home.records("observation") in problem for problem in told.problems):
        fields = [{"text": one.text, "about": one.about} for one in told.noticed]
        rows = [keeping.Told(kind="observation", action="add", fields=one) for one in fields]
        keeping.keep_records(home, rows, keeping.Sitting(at=context.now, by=Author.BRAIN, session=session))
    return 0


def look(context: Context, home: Home, session: str) -> Screen:
    """Return what a session should know, as it is now."""
    every, problems = drawing.read_every(home)
    records = {name: _fit(rows) for name, rows in drawing.still_open(every, context.now).items()}
    last = _last_written(home, every, session)
    gap = drawing.gap_of(last, context.now)
    late, rest = drawing.overdue_items(records["handoff"], context.now)
    return Screen(
        gap=gap,
        last=last,
        overdue=late,
        open=rest,
        corrections=[] if gap is drawing.Gap.RESUME else drawing.speak_to_open(records),
        landmarks=_fit(_landmarks(every)) if gap in _LONG else [],
        noticed=[]
        if gap is drawing.Gap.RESUME
        else drawing.untold(drawing.notice(records, context.now), every["observation"]),
        waits=_waits(context),
        problems=problems,
    )


def _fit(records: Sequence[Record]) -> list[Record]:
    """Return those that scanners let through: a line may have been written past ``record``."""
    return [one for one in records if not keeping.why_held(keeping.words_of(one.fields))]


def _waits(context: Context) -> int:
    try:
        return int(look_at_home(context).record["waiting"]["changes"])
    except NightledgerError:
        return 0  # 'status' says what is wrong, to the person whom it concerns


def _landmarks(every: Mapping[str, Sequence[Record]]) -> list[Record]:
    ended = (one for kind in ("episode", "decision") for one in every[kind] if one.state == "resolved")
    return sorted(ended, key=lambda one: one.changed_at, reverse=True)[:LANDMARKS]


def _last_written(home: Home, every: Mapping[str, Sequence[Record]], session: str) -> datetime | None:
    """Return when something was last written down, by another session than this one; what was told tells nothing."""
    found = [one.changed_at for kind, rows in every.items() if kind != "observation" for one in rows]
    for path, name in ((home.outcomes, "received_at"), (home.exposures, "at")):
        for row in _tail(path):
            if row.get("event") != "session_start" and (not session or row.get("session") != session):
                try:
                    found.append(read_moment(row.get(name)))
                except ValueError:
                    continue
    return max(found, default=None)


def _tail(path: str) -> Iterator[dict[str, Any]]:
    with LineLog(path) as log:
        raw = b"".join(log.chunks(max(0, log.end - _TAIL_BYTES)))
    for line in raw.split(b"\n"):
        try:
            value = read_value(line, _TAIL_BYTES)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def _value(told: Screen) -> dict[str, Any]:
    return {
        "gap": told.gap.value,
        "last": f"{told.last:%Y-%m-%dT%H:%M:%SZ}" if told.last else None,
        "overdue": [_item(one) for one in told.overdue[:MOST_TOLD]],
        "open": [_item(one) for one in told.open[:MOST_TOLD]],
        "more": _beyond(told.overdue) + _beyond(told.open),
        "corrections": [{**_item(one.record), "likeness": one.likeness} for one in told.corrections],
        "landmarks": [_item(one) for one in told.landmarks],
        "observations": [{"about": one.about, "text": one.text} for one in told.noticed],
        "waits_for_operator": told.waits,
    }


def _item(one: Record) -> dict[str, Any]:
    """Return a record without what a correction demands, which is looked up by its id."""
    asked = {"correction"} if one.kind == "correction" else ()
    return {
        "id": one.id,
        "kind": one.kind,
        "fields": {name: one.fields[name] for name in one.fields if name not in asked},
    }


def _lines(told: Screen, context: Context) -> Iterator[str]:
    since = f", {age(told.last, context.now)} since anything was written down" if told.last else ""
    rest = [*_earlier(told)]
    below = " What follows was left by earlier sessions; nobody signed it." if rest else ""
    yield f"Session: {told.gap}{since}.{below}"
    yield from rest
    if told.waits:
        yield f"{count_of(told.waits, 'change waits', 'changes wait')} for your operator."


def _earlier(told: Screen) -> Iterator[str]:
    """Yield what earlier sessions left."""
    yield from _named("Overdue", told.overdue)
    if told.gap in _LONG:
        yield from _named("Open", told.open)
    elif told.open:
        yield f"Open: {len(told.open)} more; 'nightledger record handoff list'"
    yield from _named("Corrections that speak to what is open", [one.record for one in told.corrections])
    yield from _named("Lately ended", told.landmarks)
    for one in told.noticed:
        yield from screen.wrap(screen.shown(f"Noticed: {one.text}"), first="", indent="  ")


def _named(title: str, records: Sequence[Record]) -> Iterator[str]:
    if records:
        yield f"{title}:"
    for one in records[:MOST_TOLD]:
        told = f"{one.id[:10]} {quoted(drawing.said_of(one))}"
        yield from screen.wrap(screen.shown(told), first="  ", indent="    ")
    if more := _beyond(records):
        yield f"  and {more} more; 'nightledger record {records[0].kind} list'"


def _beyond(records: Sequence[Record]) -> int:
    return max(0, len(records) - MOST_TOLD)
