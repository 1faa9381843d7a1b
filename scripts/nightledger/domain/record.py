"""Records that sessions leave behind: events of one record, and what it says after them.

Invariant: pure; events count in the order of their times, and one that is there twice counts once. A kind differs from another by its row of ``config/records.json`` alone.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct, field
from msgspec.structs import replace

DAY = 86_400
VIEW_FIRST_LINE = (
    "# Handoff (kept by nightledger: tick what is done, add lines; 'nightledger record handoff save')"
)
"""Of ``memory/state/session-handoff.md`` where it is the view of what is handed over, and no file of the agent's own."""


class Happened(StrEnum):
    """What an event does to its record."""

    OPENED = "opened"
    UPDATED = "updated"
    CONFIRMED = "confirmed"
    WEAKENED = "weakened"
    RESOLVED = "resolved"
    EXPIRED = "expired"


class Author(StrEnum):
    """Who says so; nobody proves it."""

    AGENT = "agent"
    OWNER = "owner"
    BRAIN = "brain"


class Action(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be done to a record of a kind.

    Attributes:
        event: What it writes.
        help: What it is for, one line.
    """

    event: Happened
    help: str


class RecordKind(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of the table of kinds.

    Attributes:
        prefix: First letter of its ids.
        says: How a record is told in one line, with its fields' names in braces.
        identity: Fields that make two records the same one.
        actions: By name.
        due: The field that holds the day on which it is due; empty where none does.
        overdue_at: Sessions through which it was carried, from which it is overdue; 0 for never.
        urgency_days: Days over which the urgency of what is carried fades; 0 for no urgency.
        stale_days: Days without an event, from which an open record is stale; 0 for never.
        repeats_at: Times from which a repeat is worth telling; 0 for never.
        teaches: What a night offers of it for memory, in the form of ``says``: the first whose fields it all has; empty for nothing.
    """

    prefix: str
    says: str
    identity: tuple[str, ...]
    actions: Mapping[str, Action]
    due: str = ""
    overdue_at: int = 0
    urgency_days: int = 0
    stale_days: int = 0
    repeats_at: int = 0
    teaches: tuple[str, ...] = ()


class RecordEvent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A line of ``memory/system/KIND.jsonl``; ``schemas/record.schema.json``.

    Attributes:
        v: Version of the record, 1.
        kind: Which row of the table.
        id: Of the record.
        event: What happened to it.
        at: When; aware, UTC.
        by: Who says so.
        session: The agent's session; empty where none is known.
        fields: What is said.
    """

    v: Literal[1]
    kind: str
    id: str
    event: Happened
    at: datetime
    by: Author
    fields: dict[str, Any]
    session: str = ""


class Record(Struct, frozen=True, kw_only=True):
    """What a record says now.

    Attributes:
        kind: Which row of the table.
        id: Its id.
        fields: The last word on each; lists grow.
        opened_at: When it was opened, since it was last resolved; aware.
        changed_at: When its last event was; aware.
        state: ``open``, ``resolved`` or ``expired``.
        sittings: Sessions, or days where none is named, in which it was opened or confirmed since.
        days: Of these sittings, in UTC.
        doubted: Sittings in which something spoke against it.
        lines: Numbers, from 1, of the lines of its events, in the order of their times.
    """

    kind: str
    id: str
    fields: Mapping[str, Any]
    opened_at: datetime
    changed_at: datetime
    state: str = "open"
    sittings: frozenset[str] = field(default_factory=frozenset)
    days: frozenset[date] = field(default_factory=frozenset)
    doubted: frozenset[str] = field(default_factory=frozenset)
    lines: tuple[int, ...] = ()

    @property
    def line(self) -> int:
        """Number of the line of its last event."""
        return self.lines[-1]

    @property
    def times(self) -> int:
        """In how many sittings it was said."""
        return len(self.sittings)

    @property
    def is_one_source(self) -> bool:
        """Whether it was said in one sitting or on one day alone: whoever writes records may name sessions as they like, but not days."""
        return min(len(self.sittings), len(self.days)) == 1

    @property
    def carried(self) -> int:
        """Through how many sittings it was carried after the first."""
        return max(0, self.times - 1)


def fold_records(events: Iterable[tuple[int, RecordEvent]]) -> dict[str, Record]:
    """Give each record as its events leave it, by id, in the order in which they were opened.

    Args:
        events: Line number and event, in any order; events without an ``opened`` before them count for nothing.
    """
    records: dict[str, Record] = {}
    for number, event in sorted(events, key=lambda one: (one[1].at, one[0])):
        if (after := _after(records.get(event.id), event, number)) is not None:
            records[event.id] = after
    return records


def _after(before: Record | None, event: RecordEvent, number: int) -> Record | None:
    opens = event.event is Happened.OPENED
    if before is None or (opens and before.state != "open"):
        if not opens:
            return before
        sitting = frozenset({_sitting(event)})
        return Record(
            kind=event.kind, id=event.id, fields=event.fields, opened_at=event.at, changed_at=event.at,
            sittings=sitting, days=frozenset({event.at.date()}), lines=(number,),
        )  # fmt: skip
    state = before.state
    if event.event in (Happened.RESOLVED, Happened.EXPIRED):
        state = event.event.value
    said = opens or event.event is Happened.CONFIRMED
    return replace(
        before,
        fields=_merged(before.fields, event.fields),
        changed_at=event.at,
        state=state,
        sittings=before.sittings | ({_sitting(event)} if said else frozenset()),
        days=before.days | ({event.at.date()} if said else frozenset()),
        doubted=before.doubted | ({_sitting(event)} if event.event is Happened.WEAKENED else frozenset()),
        lines=(*before.lines, number),
    )


def _sitting(event: RecordEvent) -> str:
    return event.session or event.at.date().isoformat()


def _merged(before: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """Give fields after an event: what is single is replaced, a list gets what it does not hold yet."""
    merged = dict(before)
    for name, value in told.items():
        held = merged.get(name)
        both = isinstance(value, list) and isinstance(held, list)
        merged[name] = [*held, *(one for one in value if one not in held)] if both and held else value
    return merged


def told_in_a_line(record: Record, kind: RecordKind) -> str:
    """Give a record in one line of its own words."""
    words = {name: record.fields.get(name, "") for name in kind.identity} | dict(record.fields)
    return " ".join(kind.says.format_map(words).split())


def lesson_of(record: Record, kind: RecordKind) -> str:
    """Return what a record has to teach, in one line of its own words; empty where it is not worth a question yet.

    What is repeated teaches while it holds, from ``repeats_at`` sittings on; all else once it ended.
    """
    is_due = record.times >= kind.repeats_at if kind.repeats_at else record.state == "resolved"
    if not is_due or (kind.repeats_at and record.state != "open"):
        return ""
    for form in kind.teaches:
        try:
            return " ".join(form.format_map(record.fields).split())
        except KeyError:
            continue
    return ""


def due_day(record: Record, kind: RecordKind) -> date | None:
    """Give the day on which a record is due, or after which it matters no more; None for none."""
    for name in filter(None, (kind.due, "expires")):
        try:
            return date.fromisoformat(str(record.fields.get(name, "")))
        except ValueError:
            continue
    return None


def is_open(record: Record, kind: RecordKind, today: date) -> bool:
    """Say whether a record still waits: not resolved, and its last day not over."""
    day = None if kind.due else due_day(record, kind)
    return record.state == "open" and (day is None or day >= today)


def is_overdue(record: Record, kind: RecordKind, today: date) -> bool:
    """Say whether it was carried too often, or is due before today."""
    day = due_day(record, kind) if kind.due else None
    return bool(kind.overdue_at and record.carried >= kind.overdue_at) or (day is not None and day < today)


def is_stale(record: Record, kind: RecordKind, now: datetime) -> bool:
    """Say whether nothing was heard of it for as long as its kind allows."""
    return bool(kind.stale_days) and (now.date() - record.changed_at.date()).days >= kind.stale_days


def urgency(record: Record, kind: RecordKind, now: datetime) -> float:
    """Give ``carried * (1 - days / urgency_days)``, 0 or more, rounded to 4 decimals (Elara's handoff)."""
    if not kind.urgency_days:
        return 0.0
    days = (now - record.opened_at).total_seconds() / DAY
    return round(record.carried * max(0.0, 1 - days / kind.urgency_days), 4)
