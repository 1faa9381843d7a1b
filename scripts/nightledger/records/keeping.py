"""Take in events of records, and read what records say.

Invariant: an event is appended whole or not at all, with one write; what is stored holds no secret and no text that
scanners hold back. A line that is none is counted and passed over.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from functools import cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import MAX_LINE_BYTES, canonical
from nightledger.codec.fitting import exact, surely_fits
from nightledger.codec.records import find_problems, schema_named
from nightledger.domain.errors import RecordError, RefusedError, UsageError
from nightledger.domain.finding import Severity
from nightledger.domain.record import Action, Author, Happened, Record, RecordEvent, RecordKind, fold_records
from nightledger.domain.words import content_id, dump_moment, normal
from nightledger.files.home import Home, shipped_config
from nightledger.files.line_log import Appender, LineLog
from nightledger.text.scanners.scan import mask_secrets, scan

PATIENCE_S = 60
"""How long a writer waits for others: a thousand of them are done by then."""
LEAST_PREFIX = 4
"""Characters of an id that name a record, prefix and dash among them."""
_ID = re.compile(r"[a-z]-[a-z2-7]{26}")
_PLAIN = {"string": str, "integer": int}
_BOUNDS = {
    "minLength": "min_length", "maxLength": "max_length", "minItems": "min_length", "maxItems": "max_length",
    "minimum": "ge", "maximum": "le",
}  # fmt: skip
"""What a JSON Schema calls a bound, and what msgspec does."""


@cache
def record_kinds() -> Mapping[str, RecordKind]:
    """Return the rows of ``config/records.json``, by name."""
    return msgspec.json.decode(shipped_config("records.json"), type=dict[str, RecordKind])


def kind_named(name: str) -> RecordKind:
    """Return the row of a kind.

    Raises:
        UsageError: There is none of that name.
    """
    if name in record_kinds():
        return record_kinds()[name]
    raise UsageError(f"there is no kind of record {name!r}", hint=f"kinds: {', '.join(record_kinds())}")


def action_named(kind: str, name: str) -> Action:
    """Return what can be done to a record of a kind.

    Raises:
        UsageError: There is none of that name.
    """
    actions = kind_named(kind).actions
    if name in actions:
        return actions[name]
    raise UsageError(f"a {kind} has no action {name!r}", hint=f"actions: {', '.join(actions)}, list, show")


def field_shapes(kind: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the JSON Schema of each field of a kind."""
    shapes: dict[str, Any] = _shape(kind)["properties"]
    return shapes


class Told(Struct, frozen=True, kw_only=True):
    """What is to be written down.

    Attributes:
        kind: Which row of the table.
        action: What is done.
        fields: What is said.
        id: The record; empty where the action opens one.
    """

    kind: str
    action: str
    fields: Mapping[str, Any]
    id: str = ""


class Sitting(Struct, frozen=True, kw_only=True):
    """Who writes, and when.

    Attributes:
        at: Now; aware.
        by: Who says so.
        session: The agent's session; empty where none is known.
    """

    at: datetime
    by: Author
    session: str = ""


def read_records(home: Home, kind: str) -> tuple[dict[str, Record], int]:
    """Return the records of a kind by id, in the order in which they were opened, and how many lines are none."""
    with LineLog(home.records(kind)) as log:
        return fold_lines(kind, log.chunks(0))


def keep_records(home: Home, told: Sequence[Told], sitting: Sitting) -> tuple[str, ...]:
    """Append events durably, all or none, and return the ids of their records.

    Args:
        home: Where to.
        told: What is said; all of one kind.
        sitting: Who says it.

    Raises:
        RecordError: Naming every problem.
        RefusedError: Scanners hold a text back, or there is no such record.
        NotDurableError: The disk reports a failure; nothing is acknowledged.
    """
    kind = told[0].kind
    home.require()
    opens = all(action_named(kind, one.action).event is Happened.OPENED for one in told)
    with Appender(home.records(kind)) as file:
        file.hold(timeout_s=PATIENCE_S)
        records = {} if opens else fold_lines(kind, [file.read_from(0)])[0]
        return append_events(file, checked(told, records, sitting))


def append_events(file: Appender, events: Sequence[RecordEvent]) -> tuple[str, ...]:
    """Append events to the file of their kind, and return the ids of their records."""
    if events:
        file.append(b"".join(canonical(told_event(event)) + b"\n" for event in events))
    return tuple(event.id for event in events)


def told_event(event: RecordEvent) -> dict[str, Any]:
    """Return the JSON value of an event as it is stored."""
    return {**msgspec.to_builtins(event), "at": dump_moment(event.at)}


def checked(told: Sequence[Told], records: Mapping[str, Record], sitting: Sitting) -> tuple[RecordEvent, ...]:
    """Return the events of what is told.

    Args:
        told: What is said.
        records: What the records of this kind say now.
        sitting: Who says it.

    Raises:
        RecordError: Naming every problem.
        RefusedError: Scanners hold a text back, or there is no such record.
    """
    events, problems = [], []
    for number, one in enumerate(told, 1):
        place = f"record {number}: " if len(told) > 1 else ""
        action, fields = action_named(one.kind, one.action), _clean(one.fields)
        wrong = _problems(one.kind, action, fields)
        problems += [f"{place}{problem}" for problem in wrong]
        if not wrong:
            opens = action.event is Happened.OPENED
            name = record_id(one.kind, fields) if opens else _open_id(one, records)
            events.append(new_event(one.kind, name, action.event, fields, _after(sitting, records.get(name))))
    if problems:
        raise RecordError("the record", tuple(problems), hint="nothing was written; mend what is named")
    return tuple(events)


def _after(sitting: Sitting, before: Record | None) -> Sitting:
    """Return a sitting that is not before what is changed in it: clocks disagree, and what is said last counts."""
    return replace(sitting, at=max(sitting.at, before.changed_at)) if before else sitting


def record_id(kind: str, fields: Mapping[str, Any]) -> str:
    """Derive an id: SHA-256 over the kind and the fields that make a record what it is, without case and runs of blanks."""
    row = kind_named(kind)
    same = {name: _folded(fields[name]) for name in row.identity if name in fields}
    return content_id(row.prefix, canonical({"kind": kind, **same}))


def words_of(value: Any) -> Iterator[str]:
    """Give every text that a field holds, in order; ids of other records are none."""
    if isinstance(value, str):
        yield from () if _ID.fullmatch(value) else (value,)
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from words_of(one)


def find_record(records: Mapping[str, Record], name: str) -> Record:
    """Return the record of an id, or of its beginning.

    Raises:
        RefusedError: None has it, or several do.
    """
    found = [one for one in records.values() if one.id.startswith(name) and len(name) >= LEAST_PREFIX]
    if len(found) == 1:
        return found[0]
    problem = f"{len(found)} records begin with" if found else "there is no record"
    raise RefusedError(f"{problem} {name!r}", hint="'nightledger record KIND list --all' lists them")


def new_event(
    kind: str, name: str, happened: Happened, fields: Mapping[str, Any], sitting: Sitting
) -> RecordEvent:
    """Return an event of a sitting; its time in whole seconds."""
    return RecordEvent(
        v=1,
        kind=kind,
        id=name,
        event=happened,
        at=sitting.at.astimezone(UTC).replace(microsecond=0),
        by=sitting.by,
        session=sitting.session,
        fields=dict(fields),
    )


def fold_lines(
    kind: str, chunks: Iterable[bytes], *, until: datetime | None = None
) -> tuple[dict[str, Record], int]:
    """Return the records that whole lines of a file say, by id, and how many of the lines are none.

    Args:
        kind: Which row of the table.
        chunks: The file's lines.
        until: Aware; events from then on are not read. None reads all.
    """
    decode, bad, events, number = msgspec.json.Decoder(RecordEvent).decode, 0, [], 0
    said, prefix = _said(kind), kind_named(kind).prefix
    for line in _lines(chunks):
        number += 1
        if not line.strip():
            continue
        try:
            event = decode(line)
            msgspec.convert(event.fields, said[event.event is Happened.OPENED])
        except (ValueError, RecursionError, msgspec.MsgspecError):
            bad += 1
            continue
        is_ours = event.kind == kind and event.id.startswith(prefix) and _ID.fullmatch(event.id)
        if is_ours and _is_moment(event.at) and len(line) <= MAX_LINE_BYTES:
            events += [(number, event)] if until is None or event.at < until else []
        else:
            bad += 1
    return fold_records(events), bad


def _is_moment(at: datetime) -> bool:
    """Say whether a time is one on every clock: aware, and not so near the end of all times that a zone is behind it."""
    return at.tzinfo is not None and MINYEAR < at.year < MAXYEAR


@cache
def _said(kind: str) -> tuple[type[Struct], type[Struct]]:
    """Return what fields have to be where an event changes a record, and where it opens one: the schema's, decoded in C.

    A line may have been written past ``record``, and whoever reads a field need not ask what it is.
    """
    shape = _shape(kind)
    return _struct(shape, ()), _struct(shape, shape["required"])


def _shape(kind: str) -> Mapping[str, Any]:
    return schema_named(f"record#{kind}")


def _struct(shape: Mapping[str, Any], required: Sequence[str]) -> type[Struct]:
    fields: list[tuple[Any, ...]] = [
        (name, _type(one)) if name in required else (name, _type(one) | msgspec.UnsetType, msgspec.UNSET)
        for name, one in shape["properties"].items()
    ]
    return msgspec.defstruct("Said", fields, kw_only=True, forbid_unknown_fields=True)


def _type(shape: Mapping[str, Any]) -> Any:
    """Return the type of a part of the schema; formats are left to who writes."""
    if "enum" in shape:
        return Literal[tuple(shape["enum"])]
    if shape["type"] == "object":
        return _struct(shape, shape["required"])
    bounds = {bound: shape[name] for name, bound in _BOUNDS.items() if name in shape}
    bounds |= {"pattern": exact(shape["pattern"])} if "pattern" in shape else {}
    of = list[_type(shape["items"])] if shape["type"] == "array" else _PLAIN[shape["type"]]  # type: ignore[misc]
    return Annotated[of, msgspec.Meta(**bounds)]


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        yield from chunk.removesuffix(b"\n").split(b"\n")


def _open_id(one: Told, records: Mapping[str, Record]) -> str:
    if not one.id:
        raise UsageError(
            f"{one.kind} {one.action} needs the id of a record", hint=f"nightledger record {one.kind} list"
        )
    found = find_record(records, one.id)
    if found.state != "open":
        raise RefusedError(
            f"{found.id} is {found.state}", hint="open it again with the action that opens one"
        )
    return found.id


def _problems(kind: str, action: Action, fields: Mapping[str, Any]) -> list[str]:
    opens = action.event is Happened.OPENED
    shape = _shape(kind) if opens else {**_shape(kind), "required": []}
    problems = [] if surely_fits(shape, fields) else list(find_problems(f"record#{kind}", dict(fields)))
    if not opens:  # what changes is said alone
        problems = [one for one in problems if "is a required property" not in one]
        fixed = [name for name in kind_named(kind).identity if name in fields]
        problems += [f"{name}: makes the record what it is, and cannot change" for name in fixed]
    return problems


def _clean(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields in NFC, with every secret masked.

    Raises:
        RefusedError: Scanners hold a text back.
    """
    return {name: _clean_value(value) for name, value in fields.items() if value is not None}


def _clean_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _clean_value(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_clean_value(one) for one in value]
    if not isinstance(value, str):
        return value
    text = mask_secrets(normal(value))
    if message := why_held([text]):
        raise RefusedError(
            f"scanners hold this text back: {message}",
            hint="say it in other words: what a record says is read by an agent",
        )
    return text


def why_held(texts: Iterable[str]) -> str:
    """Say what scanners hold back of some texts; empty for nothing. A file may have been written past ``record``."""
    found = (finding for text in texts for finding in scan(text) if finding.severity is not Severity.FLAG)
    return next((finding.message for finding in found), "")


def _folded(value: Any) -> Any:
    return " ".join(value.casefold().split()) if isinstance(value, str) else value
