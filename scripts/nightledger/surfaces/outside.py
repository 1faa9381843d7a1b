"""Ask what the operator named in ``operator.yaml``: a server, for one bounded answer, or a file beside it.

Invariant: plain HTTP leaves this machine only where the operator said so; no redirect is followed, because it would
take texts and passwords elsewhere; no message holds an address or a path, for many a calendar's address is its secret.
"""

import base64
import json
import math
import os
import threading
import time
from array import array
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta, tzinfo
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from msgspec import Struct

from nightledger.domain.decision import Moment
from nightledger.domain.errors import NightledgerError
from nightledger.domain.settings import AnalystSource, CalendarAddress, MeaningSource, Notifier, Operator
from nightledger.domain.staging import Event, StagingRules
from nightledger.doors.transport import Caller, TransportError, is_loopback
from nightledger.files.configuration import home_zone, load_operator, load_settings, load_staging_rules
from nightledger.files.durable import read_regular
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, Ledger
from nightledger.recall.meaning import EncoderError, Vector
from nightledger.surfaces.context import this_machine
from nightledger.text.calendar import MAX_CALENDAR_BYTES

if TYPE_CHECKING:
    from nightledger.jobs.stage import Staged

MAX_SECRET_BYTES = 4096
TOKEN = "{token}"  # noqa: S105 - where the secret goes


class OutsideError(NightledgerError):
    """What was named cannot be asked or read; the message goes on after its name."""


def ask(
    url: str,
    within: tuple[float, int],
    *,
    insecure: bool = False,
    body: tuple[str, bytes] | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
    busy: frozenset[int] = frozenset(),
) -> tuple[int, bytes]:
    """Return status and content of an answer.

    Args:
        url: The address, with its query.
        within: Seconds for the request and all of the answer, and bytes of the largest answer that is read.
        insecure: Whether plain HTTP may leave this machine.
        body: Method and content of what is sent; None for ``GET``.
        headers: Sent with it.
        busy: Statuses on which it is asked again.

    Raises:
        OutsideError: There is no answer in time, a larger one, or it may not be asked.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise OutsideError("has an address that is none", hint="operator.yaml names it") from error
    if not (parts.scheme == "https" or is_loopback(parts.hostname or "") or insecure):
        raise OutsideError(
            "is beyond this machine, and plain HTTP can be read on the way: use https",
            hint="or set insecure_plain_http: true for it in operator.yaml",
        )
    patience_s, most = within
    place = f"{parts.scheme}://{parts.netloc}"
    caller = Caller(url=place, max_bytes=most, timeout_s=patience_s, patience_s=patience_s, busy=busy)
    method, content = body or ("GET", None)
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    try:
        return caller.exchange(method, target, content, headers)
    except TransportError as error:
        raise OutsideError(_why(error.__cause__, *within)) from error


def _why(cause: BaseException | None, patience_s: float, max_bytes: int) -> str:
    if cause is None:
        return f"has more than {max_bytes:,} bytes"
    if isinstance(cause, TimeoutError):
        return f"did not answer within {patience_s:g} s"
    said = cause.strerror if isinstance(cause, OSError) and cause.strerror else type(cause).__name__
    return f"does not answer ({said})"


def read_named(path: str, most: int, what: str) -> bytes:
    """Return the bytes of a file that the operator named.

    Raises:
        OutsideError: It cannot be read.
    """
    try:
        return read_regular(path, most)
    except NightledgerError as error:
        raise OutsideError(f"cannot be read: the {what} {str(error).replace(path, '').strip()}") from error


def read_secret(path: str, what: str) -> str:
    """Return the first line of a file that only its owner may read.

    Raises:
        OutsideError: It cannot be read, or others may read or write it.
    """
    raw = read_named(path, MAX_SECRET_BYTES, what)
    if os.stat(path).st_mode & 0o077:
        raise OutsideError(f"cannot be asked: others may read or write its {what} (chmod 600)")
    return raw.decode("utf-8", "replace").split("\n")[0].strip()


ANSWER_S = 10.0
"""For one answer, all of it: a small model on a slow machine needs seconds for a batch. Our choice."""
MAX_ANSWER_BYTES = 16_000_000
"""32 texts of 8,192 numbers in 20 characters each are a third of it."""
BUSY = frozenset({429, 500, 502, 503, 504})
"""Answers of a server of models that may be well in a moment (RFC 6585, RFC 9110)."""
MAX_NUMBERS = 8192
MAX_TEXT_CHARACTERS = 4_000
"""A chunk has about 900 characters; servers refuse what their model cannot take."""


class EmbeddingServer:
    """A server, asked as an encoder.

    Args:
        source: Where it is.
        patience_s: For one answer.
    """

    def __init__(self, source: MeaningSource, *, patience_s: float = ANSWER_S) -> None:
        self._source = source
        self._patience_s = patience_s
        self._failed: EncoderError | None = None

    @property
    def name(self) -> str:
        """Address and model: another server may mean something else by the same name."""
        return f"{self._source.url} {self._source.model}"

    def encode(self, texts: Sequence[str]) -> Sequence[Vector]:
        """Return an embedding for each text.

        Raises:
            EncoderError: The server cannot be asked, does not answer in time, or answers something else.
        """
        if self._failed:
            raise self._failed
        try:
            return _read_vectors(self._ask([text[:MAX_TEXT_CHARACTERS] or " " for text in texts]), len(texts))
        except EncoderError as error:
            self._failed = error
            raise
        except OutsideError as error:
            self._failed = EncoderError(f"the embedding server {error}", hint=error.hint)
            raise self._failed from error

    def _ask(self, texts: Sequence[str]) -> bytes:
        question = {"model": self._source.model, "input": list(texts), "encoding_format": "float"}
        status, content = ask_model(self._source, question, self._patience_s)
        if status != HTTPStatus.OK:
            raise EncoderError(f"the embedding server answered {status}")
        return content


def ask_model(
    source: MeaningSource | AnalystSource, question: Mapping[str, Any], patience_s: float
) -> tuple[int, bytes]:
    """Ask a server of models one question, as OpenAI's are asked; gives status and content.

    Raises:
        OutsideError: As :func:`ask`.
    """
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if source.key_file:
        headers["Authorization"] = f"Bearer {read_secret(source.key_file, 'key file')}"
    return ask(
        source.url,
        (patience_s, MAX_ANSWER_BYTES),
        insecure=source.insecure_plain_http,
        body=("POST", json.dumps(question).encode()),
        headers=headers,
        busy=BUSY,
    )


def post_notice(
    notifier: Notifier, url: str, headers: Mapping[str, str], body: bytes, patience_s: float
) -> int:
    """Send a notice to the operator's server, and return the status of its answer.

    Raises:
        NotifyError: The secret cannot be read, or the server does not answer in time or may not be asked.
    """
    from nightledger.jobs.notify import NotifyError

    try:
        token = read_secret(notifier.token_file, "token file") if notifier.token_file else ""
        return ask(
            url.replace(TOKEN, token),
            (patience_s, MAX_SECRET_BYTES * 16),
            insecure=notifier.insecure_plain_http,
            body=("POST", body),
            headers={name: value.replace(TOKEN, token) for name, value in headers.items()},
        )[0]
    except OutsideError as error:
        raise NotifyError(f"{notifier.by} {error}") from error


def _read_vectors(content: bytes, count: int) -> Sequence[Vector]:
    """Read an answer: as many vectors as texts, all of one length, all numbers finite, in the texts' order."""
    try:
        rows = json.loads(content)["data"]
        by_place = {row.get("index", at): row for at, row in enumerate(rows)}
        vectors = [array("f", by_place[at]["embedding"]) for at in range(count)]
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError, OverflowError) as error:
        raise EncoderError(
            "the embedding server answers with something that is no list of embeddings"
        ) from error
    sizes = {len(vector) for vector in vectors}
    if (
        len(rows) != count
        or len(sizes) != 1
        or not all(math.isfinite(n) for vector in vectors for n in vector)
    ):
        raise EncoderError("the embedding server answers with other embeddings than it was asked for")
    if not 0 < max(sizes) <= MAX_NUMBERS:
        raise EncoderError(f"the embedding server answers with embeddings of {max(sizes)} numbers")
    return vectors


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
        (patience_s, MAX_CALENDAR_BYTES),
        insecure=address.insecure_plain_http,
        body=body,
        headers=headers,
    )
    if status != (HTTPStatus.MULTI_STATUS if body else HTTPStatus.OK):
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


def prepare(home: Home, keys_dir: str, now: datetime) -> Prepared:
    """Read rules and calendars.

    Args:
        home: Whose.
        keys_dir: Where ``operator.yaml`` names the calendars.
        now: Aware, UTC.

    Raises:
        ConfigurationError: Rules, settings or the operator's file cannot be used.
    """
    rules = load_staging_rules(home)
    operator = load_operator(keys_dir)
    if not operator.calendars:
        return rules, Looked()
    zone = home_zone(home, load_settings(home))
    return rules, look_into(operator, now, rules.lookahead_hours, zone)


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


def look_into(operator: Operator, now: datetime, hours: int, zone: tzinfo) -> Looked:
    """Read every calendar; what cannot be read is named, and the others are read.

    Args:
        operator: Names the calendars.
        now: Aware, UTC.
        hours: How far ahead; 0 looks into none.
        zone: The home's.
    """
    if not operator.calendars or not hours:
        return Looked()
    from nightledger.text.calendar import Read, Reading, owner_addresses, read_events

    until = now + timedelta(hours=hours)
    events: list[Event] = []
    problems: list[tuple[str, str]] = []
    for name, (raw, problem) in sorted(fetch_all(operator.calendars, now, until, PATIENCE_S).items()):
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
