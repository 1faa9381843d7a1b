"""The events of the operator's calendars in the next hours, and what of them could not be read."""

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from nightledger.domain.operator import Operator
from nightledger.domain.staging.values import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What the calendars say.

    Attributes:
        events: Of all of them, by their start.
        problems: By calendar, what of it could not be read.
    """

    events: tuple[Event, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


PATIENCE_S = 2.0
"""For all calendars together (issue 4: "a calendar server that hangs (2 s, then go on without, said so)")."""


def look_into(
    operator: Operator, now: datetime, hours: int, zone: tzinfo, *, patience_s: float = PATIENCE_S
) -> Looked:
    """Read every calendar; what cannot be read is named, and the others are read.

    Args:
        operator: Names the calendars.
        now: Aware, UTC.
        hours: How far ahead; 0 looks into none.
        zone: The home's.
        patience_s: For all calendars together.
    """
    if not operator.calendars or not hours:
        return Looked()
    from nightledger.surfaces.staging.fetching import fetch_all
    from nightledger.text.staging.calendar import Reading, owner_addresses, read_events

    until = now + timedelta(hours=hours)
    events: list[Event] = []
    problems: list[tuple[str, str]] = []
    for name, fetched in sorted(fetch_all(operator.calendars, now, until, patience_s).items()):
        if fetched.problem:
            problems.append((name, fetched.problem))
            continue
        how = Reading(
            name=name,
            zone=zone,
            since=now,
            until=until,
            addresses=owner_addresses(operator.addresses),
            own=operator.calendars[name].own,
        )
        read = read_events(fetched.raw, how)
        events += read.events
        problems += [(name, problem) for problem in read.problems]
    ordered = sorted(events, key=lambda one: (one.starts_at, one.ends_at, one.calendar, one.title))
    return Looked(events=tuple(ordered), problems=tuple(problems))
