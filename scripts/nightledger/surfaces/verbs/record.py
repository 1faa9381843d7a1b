"""Records that sessions leave behind: handoffs, corrections, goals, episodes, decisions and more.

'record' lists the kinds, 'record KIND' what is open of one, and what can be done.

  nightledger record goal add title='Read all four hosts' priority=2
  nightledger record goal update g-aaaa progress='Codex is read'
  nightledger record correction match 'deploy it this evening'
  echo '{"unfinished": ["Ask Mara"], "carry": ["*"]}' | nightledger record handoff save

Values are text; a name given twice is a list, and what is a list or an object
may be written as JSON. With --stdin each line is one record as JSON.

Reads   memory/system/KIND.jsonl
Writes  memory/system/KIND.jsonl (appended), memory/state/session-handoff.md
Changes no memory.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct

from nightledger.codec.canonical import parse_json, read_jsonl, read_value
from nightledger.domain import record
from nightledger.domain.errors import NightledgerError, RecordError, UsageError
from nightledger.domain.record import Author, Record
from nightledger.domain.words import count_of, read_moment
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.records import drawing, keeping
from nightledger.records.drawing import draw_ideas, match_corrections
from nightledger.records.handoff import HANDOFF, open_handoff, save_handoff
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context, calling_host, read_input, require_machine
from nightledger.surfaces.recalling import calling_session
from nightledger.surfaces.verbs.status import age
from nightledger.surfaces.verbs.status import look as look_at_home
from nightledger.text.visible import quoted


def run(options: argparse.Namespace, context: Context) -> int:
    """Read or write records."""
    home = Home(context.home_path).require()
    if not options.kind:
        return _list_kinds(context)
    keeping.kind_named(options.kind)
    action = options.action or "list"
    reads = {"list": _list, "show": _show, "match": _match, "timeline": _timeline}
    if action in reads:
        records, bad = keeping.read_records(home, options.kind)
        reads[action](options, context, home, records)
        if bad and action == "list":
            place, lines = home.relative(home.records(options.kind)), count_of(bad, "line is", "lines are")
            context.note(f"{place}: {lines} no record, left as it stands")
        return 0
    require_machine(home)
    if (options.kind, action) == (HANDOFF, "save"):
        return _save(options, context, home)
    if (options.kind, action) == ("seed", "synthesis"):
        return _emit(context, draw_ideas(home, sitting(options, context)), home, "idea")
    return _write(options, context, home, action)


def sitting(options: argparse.Namespace, context: Context) -> keeping.Sitting:
    """Return who writes, and when."""
    by = record.Author.AGENT if calling_host() else record.Author.OWNER
    return keeping.Sitting(at=context.now, by=by, session=options.session or calling_session())


def _list_kinds(context: Context) -> int:
    kinds = keeping.record_kinds()
    context.emit(
        {
            name: {
                "actions": {word: action.help for word, action in kind.actions.items()},
                "fields": [*keeping.field_shapes(name)],
            }
            for name, kind in kinds.items()
        }
    )
    for name, kind in kinds.items():
        fields = ", ".join(keeping.field_shapes(name))
        context.print_lines(screen.wrap(f"{name}: {fields}", first="", indent="    "))
        context.print_lines(f"  {word:<8} {action.help}" for word, action in kind.actions.items())
    return 0


def _write(options: argparse.Namespace, context: Context, home: Home, action: str) -> int:
    opens = keeping.action_named(options.kind, action).event is record.Happened.OPENED
    if options.stdin:
        values, problems = read_jsonl(read_input())
        if problems:
            raise RecordError(
                "the record",
                tuple(f"line {number}: {problem}" for number, problem in problems),
                hint="nothing was written",
            )
        told = [_told(options.kind, action, value, f"line {number}") for number, value in values]
    else:
        name = options.words[0] if options.words and not opens and "=" not in options.words[0] else ""
        told = [
            keeping.Told(
                kind=options.kind,
                action=action,
                fields=_fields(options.kind, options.words[bool(name) :]),
                id=name,
            )
        ]
    if not told:
        return 0
    ids = keeping.keep_records(home, told, sitting(options, context))
    return _emit(context, ids, home, options.kind)


def _emit(context: Context, ids: Sequence[str], home: Home, kind: str) -> int:
    records, _ = keeping.read_records(home, kind)
    fit = _fit(context, [records[name] for name in dict.fromkeys(ids)])
    context.emit([_value(one, context) for one in fit])
    context.print_lines(_line(one, context) for one in fit)
    return 0


def _told(kind: str, action: str, value: Any, place: str) -> keeping.Told:
    if not isinstance(value, dict) or not isinstance(value.get("id", ""), str):
        raise RecordError("the record", (f"{place}: is no object of fields, with id where it changes one",))
    return keeping.Told(
        kind=kind,
        action=action,
        fields={name: one for name, one in value.items() if name != "id"},
        id=value.get("id", ""),
    )


def _fields(kind: str, words: Sequence[str]) -> dict[str, Any]:
    """Return what NAME=VALUE words say; the schema tells which are lists, numbers and objects."""
    shapes, fields = keeping.field_shapes(kind), dict[str, Any]()
    for word in words:
        name, mark, text = word.partition("=")
        if not mark:
            raise UsageError(f"{word!r} is not NAME=VALUE", hint=f"names: {', '.join(shapes)}")
        shape = shapes.get(name, {})
        if shape.get("type") == "array":
            value = _valued(text, shape["items"])
            fields[name] = [*fields.get(name, ()), *(value if isinstance(value, list) else [value])]
        else:
            fields[name] = _valued(text, shape)
    return fields


def _valued(text: str, shape: Mapping[str, Any]) -> Any:
    if shape.get("type") in ("object", "integer") or text.startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text  # the schema says what is wrong with it
    return text


def _save(options: argparse.Namespace, context: Context, home: Home) -> int:
    given = parse_json(read_input() or b"{}", "standard input")
    if not isinstance(given, dict):
        raise UsageError("a handoff is one JSON object", hint='{"unfinished": ["..."], "carry": ["*"]}')
    saved = save_handoff(home, given, sitting(options, context))
    context.emit(msgspec.to_builtins(saved))
    context.print(f"{len(saved.opened)} new, {len(saved.carried)} carried, {len(saved.resolved)} resolved.")
    if not saved.view:
        why = "is the agent's own file, or was written to meanwhile"
        context.note(f"{home.handoff} {why}; it is left as it is")
    return 0


Records = Mapping[str, record.Record]


def _list(options: argparse.Namespace, context: Context, home: Home, records: Records) -> None:
    found = [*records.values()] if options.all else _still_open(options, context, records)
    if options.kind == HANDOFF and not options.all:
        found = open_handoff(home, context.now)
    if options.kind == "goal":
        found.sort(key=lambda one: one.fields.get("priority", 3))
    found = _fit(context, found)
    context.emit([_value(one, context) for one in found])
    context.print_lines(_line(one, context) for one in found)
    if not found and not context.quiet:
        actions = ", ".join(keeping.kind_named(options.kind).actions)
        context.print(f"Nothing is open; actions: {actions}, list, show")


def _still_open(options: argparse.Namespace, context: Context, records: Records) -> list[record.Record]:
    kind, today = keeping.kind_named(options.kind), context.now.date()
    return [one for one in records.values() if record.is_open(one, kind, today)]


def _fit(context: Context, records: Sequence[record.Record]) -> list[record.Record]:
    """Return for an agent those that scanners let through: a line may have been written past this command."""
    if not calling_host():
        return list(records)
    fit = [one for one in records if not keeping.why_held(keeping.words_of(one.fields))]
    if len(fit) < len(records):
        context.note(f"scanners hold {count_of(len(records) - len(fit), 'record')} back")
    return fit


def _show(options: argparse.Namespace, context: Context, _: Home, records: Records) -> None:
    found = _fit(context, [keeping.find_record(records, name) for name in options.words or [""]])
    context.emit([_value(one, context) for one in found])
    for one in found:
        context.print(_line(one, context))
        for name, value in one.fields.items():
            for row in value if isinstance(value, list) else [value]:
                parts = row.items() if isinstance(row, dict) else ()
                text = ", ".join(f"{key}: {part}" for key, part in parts) or row
                context.print_lines(screen.wrap(screen.shown(f"{name}: {text}"), first="  ", indent="    "))


def _match(options: argparse.Namespace, context: Context, _: Home, records: Records) -> None:
    if options.kind != "correction" or not options.words:
        raise UsageError(
            "corrections are matched with a text",
            hint="nightledger record correction match 'what is about to be done'",
        )
    waiting = _still_open(options, context, records)
    matches = match_corrections(_fit(context, waiting), " ".join(options.words))
    context.emit([{**_value(one.record, context), "likeness": one.likeness} for one in matches])
    context.print_lines(_line(one.record, context) for one in matches)


def _timeline(_options: argparse.Namespace, context: Context, _: Home, records: Records) -> None:
    in_order = sorted(_fit(context, [*records.values()]), key=lambda one: one.opened_at)
    months = {month: list(rows) for month, rows in groupby(in_order, lambda one: f"{one.opened_at:%Y-%m}")}
    context.emit({month: [_value(one, context) for one in rows] for month, rows in months.items()})
    for month, rows in months.items():
        context.print(month)
        context.print_lines(f"  {one.opened_at:%d} {_line(one, context)}" for one in rows)


def _value(one: record.Record, context: Context) -> dict[str, Any]:
    kind, today = keeping.kind_named(one.kind), context.now.date()
    return {
        "id": one.id, "kind": one.kind, "state": _state(one, context),
        "fields": dict(one.fields), "opened_at": f"{one.opened_at:%Y-%m-%dT%H:%M:%SZ}", "changed_at": f"{one.changed_at:%Y-%m-%dT%H:%M:%SZ}",
        "times": one.times, "weakened": len(one.doubted), "carried": one.carried, "overdue": record.is_overdue(one, kind, today),
        "stale": record.is_stale(one, kind, context.now), "urgency": record.urgency(one, kind, context.now), "line": one.line,
    }  # fmt: skip


def _state(one: record.Record, context: Context) -> str:
    is_over = not record.is_open(one, keeping.kind_named(one.kind), context.now.date())
    return "expired" if one.state == "open" and is_over else one.state


def _line(one: record.Record, context: Context) -> str:
    marks = ", ".join(_marks(one, context))
    told = screen.shown(record.told_in_a_line(one, keeping.kind_named(one.kind)))
    return f"{one.id[:10]} {told}{f' ({marks})' if marks else ''}"


def _marks(one: record.Record, context: Context) -> Iterator[str]:
    kind, state = keeping.kind_named(one.kind), _state(one, context)
    if state != "open":
        yield state
    elif record.is_overdue(one, kind, context.now.date()):
        yield "overdue"
    elif record.is_stale(one, kind, context.now):
        yield "stale"
    if kind.overdue_at and one.carried:
        yield f"carried {one.carried}"
    elif one.times > 1:
        yield f"{one.times} times"


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


def run_boot(options: argparse.Namespace, context: Context) -> int:
    """The first screen of a session: how long it was away, what is overdue, what speaks to what is open.

    For an agent to read when it begins. What it says was left by earlier sessions;
    nobody signed it, and it says so. At most three observations, each once a week.

    Reads   memory/system/, audit/
    Writes  memory/system/observation.jsonl: what was told; .nightledger/
    Changes no memory.
    """
    home = Home(context.home_path).require()
    require_machine(home)
    session = options.session or calling_session()
    told = look(context, home, session)
    context.emit(_screen_value(told))
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
    records = {name: _fitting(rows) for name, rows in drawing.still_open(every, context.now).items()}
    last = _last_written(home, every, session)
    gap = drawing.gap_of(last, context.now)
    late, rest = drawing.overdue_items(records["handoff"], context.now)
    return Screen(
        gap=gap,
        last=last,
        overdue=late,
        open=rest,
        corrections=[] if gap is drawing.Gap.RESUME else drawing.speak_to_open(records),
        landmarks=_fitting(_landmarks(every)) if gap in _LONG else [],
        noticed=[]
        if gap is drawing.Gap.RESUME
        else drawing.untold(drawing.notice(records, context.now), every["observation"]),
        waits=_waits(context),
        problems=problems,
    )


def _fitting(records: Sequence[Record]) -> list[Record]:
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


def _screen_value(told: Screen) -> dict[str, Any]:
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
