"""Ask calendars, files and servers alike: one bounded answer each, all of them within one short time.

A name that does not resolve, a server that accepts and says nothing, one that sends a byte a second:
each is left behind in a thread of its own when the time is over, and the run goes on without.
"""

import base64
import http.client
import threading
import time
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from msgspec import Struct

from nightledger.domain.moment import Moment
from nightledger.domain.settings import CalendarAddress, Operator
from nightledger.domain.staging import Event, StagingRules
from nightledger.files.configuration import home_zone, load_operator, load_settings, load_staging_rules
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, Ledger
from nightledger.surfaces.home import this_machine
from nightledger.surfaces.outside import OutsideError, ask, read_named, read_secret
from nightledger.text.calendar import MAX_CALENDAR_BYTES

if TYPE_CHECKING:
    from nightledger.jobs.stage import Staged

_MARGIN = timedelta(days=1)
_QUERY = (
    '<?xml version="1.0" encoding="utf-8"?>'
    '<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><c:calendar-data/></d:prop>'
    '<c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT">'
    '<c:time-range start="{since:%Y%m%dT%H%M%SZ}" end="{until:%Y%m%dT%H%M%SZ}"/>'
    "</c:comp-filter></c:comp-filter></c:filter></c:calendar-query>"
)
"""RFC 4791, 7.8.1: the events of a time, recurring ones too."""
_CALENDAR_DATA = "{urn:ietf:params:xml:ns:caldav}calendar-data"
_REDIRECTS = range(300, 400)


def fetch_all(
    calendars: Mapping[str, CalendarAddress], since: datetime, until: datetime, patience_s: float
) -> dict[str, tuple[bytes, str]]:
    """Read all calendars at once; return of each its text of iCalendar, or why there is none.

    Args:
        calendars: By name.
        since: From when events are asked for; aware, UTC.
        until: Until when.
        patience_s: For all together; what is not there when it is over is left out.
    """
    found: dict[str, tuple[bytes, str]] = {}

    def take(name: str, address: CalendarAddress) -> None:
        try:
            found[name] = (_read(address, since - _MARGIN, until + _MARGIN, patience_s), "")
        except OutsideError as error:
            found[name] = (b"", str(error))

    threads = [threading.Thread(target=take, args=one, daemon=True) for one in calendars.items()]
    for thread in threads:
        thread.start()
    ends = time.monotonic() + patience_s
    for thread in threads:
        thread.join(max(0.0, ends - time.monotonic()))
    return {name: found.get(name, (b"", f"did not answer within {patience_s:g} s")) for name in calendars}


def _read(address: CalendarAddress, since: datetime, until: datetime, patience_s: float) -> bytes:
    if address.file:
        return read_named(address.file, MAX_CALENDAR_BYTES, "file")
    headers, body = _headers(address), None
    if address.caldav:
        headers |= {"Depth": "1", "Content-Type": "application/xml; charset=utf-8"}
        body = ("REPORT", _QUERY.format(since=since, until=until).encode())
    status, content = ask(
        address.caldav or address.url,
        patience_s=patience_s,
        max_bytes=MAX_CALENDAR_BYTES,
        insecure=address.insecure_plain_http,
        body=body,
        headers=headers,
    )
    if status in _REDIRECTS:
        raise OutsideError(
            "has moved: its server names another address, which is to be named in operator.yaml"
        )
    if status != (http.client.MULTI_STATUS if body else http.client.OK):
        raise OutsideError(f"cannot be read: its server answered {status}")
    return _texts_of(content) if body else content


def _headers(address: CalendarAddress) -> dict[str, str]:
    if not address.user:
        return {}
    password = read_secret(address.password_file, "password file") if address.password_file else ""
    token = base64.b64encode(f"{address.user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {token}"}


def _texts_of(content: bytes) -> bytes:
    """Return the texts of a multi-status answer (RFC 4791, 9.6), one after the other."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise OutsideError("answers with a document type, which no CalDAV server sends")
    try:
        root = ET.fromstring(content)  # noqa: S314 - without a document type there is no entity to expand or fetch
    except ET.ParseError as error:
        raise OutsideError("answers with something that is no XML") from error
    texts = [element.text or "" for element in root.iter(_CALENDAR_DATA)]
    return "\r\n".join(texts or ["BEGIN:VCALENDAR\r\nEND:VCALENDAR"]).encode()


PATIENCE_S = 2.0
"""For all calendars together (issue 4: "a calendar server that hangs (2 s, then go on without, said so)")."""


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
