"""One staging run: the operator's calendars first, without the home's lock; then the page, with it."""

from contextlib import closing
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING

from msgspec import Struct

from nightledger.domain.moment import Moment
from nightledger.domain.settings import Operator
from nightledger.domain.staging import Event, StagingRules
from nightledger.files.configuration import home_zone, load_operator, load_settings, load_staging_rules
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, Ledger
from nightledger.surfaces.home import this_machine

PATIENCE_S = 2.0
"""For all calendars together (issue 4: "a calendar server that hangs (2 s, then go on without, said so)")."""
if TYPE_CHECKING:
    from nightledger.jobs.stage import Staged


class Looked(Struct, frozen=True, kw_only=True):
    """What the calendars say.

    Attributes:
        events: Of all of them, by their start.
        problems: By calendar, what of it could not be read.
    """

    events: tuple[Event, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()


Prepared = tuple[StagingRules, Looked]
"""What a run knows before it asks for the lock: what is staged, and what the calendars say."""


def prepare(home: Home, keys_dir: str, now: datetime, *, patience_s: float = PATIENCE_S) -> Prepared:
    """Read rules and calendars.

    Args:
        home: Whose.
        keys_dir: Where ``operator.yaml`` names the calendars.
        now: Aware, UTC.
        patience_s: For all calendars together.

    Raises:
        ConfigurationError: Rules, settings or the operator's file cannot be used.
    """
    rules = load_staging_rules(home)
    operator = load_operator(keys_dir)
    if not operator.calendars:
        return rules, Looked()
    zone = home_zone(home, load_settings(home))
    return rules, look_into(operator, now, rules.lookahead_hours, zone, patience_s=patience_s)


def stage_home(
    gate: Gate, ledger: Ledger, moment: Moment, prepared: Prepared, *, dry_run: bool = False
) -> "Staged":
    """Stage; the caller holds the home's lock, unless nothing is to be written.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        moment: The clocks.
        prepared: Rules and events.
        dry_run: Write nothing but the search index.
    """
    from nightledger.jobs.stage import Asked, basis_of, stage
    from nightledger.jobs.stage.inquiry import Shelves

    rules, looked = prepared
    may_write = gate.home.identity.machine == this_machine()
    basis = basis_of(gate)  # before the index reads anything
    with closing(Shelves(gate, ledger, moment, may_write=may_write)) as library:
        asked = Asked(
            rules=rules,
            library=library,
            basis=basis,
            events=looked.events,
            problems=looked.problems,
            dry_run=dry_run,
        )
        return stage(gate, ledger, asked, moment)


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
    from nightledger.text.calendar import Read, Reading, owner_addresses, read_events

    until = now + timedelta(hours=hours)
    events: list[Event] = []
    problems: list[tuple[str, str]] = []
    for name, (raw, problem) in sorted(fetch_all(operator.calendars, now, until, patience_s).items()):
        how = Reading(
            name=name,
            zone=zone,
            since=now,
            until=until,
            addresses=owner_addresses(operator.addresses),
            own=operator.calendars[name].own,
        )
        read = Read(events=(), problems=(problem,)) if problem else read_events(raw, how)
        events += read.events
        problems += [(name, one) for one in read.problems]
    ordered = sorted(events, key=lambda one: (one.starts_at, one.ends_at, one.calendar, one.title))
    return Looked(events=tuple(ordered), problems=tuple(problems))
