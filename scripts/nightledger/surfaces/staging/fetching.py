"""Ask calendars over the network: one bounded answer each, all of them within one short time.

A name that does not resolve, a server that accepts and says nothing, one that sends a byte a second:
each is left behind in a thread of its own when the time is over, and the run goes on without.

Invariant: plain HTTP leaves this machine only where the operator said so; no redirect is followed,
because it would take a password elsewhere; no address and no password stands in a message, for many a
calendar's address is its secret.
"""

import base64
import http.client
import os
import stat
import threading
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from nightledger.domain.errors import NightledgerError
from nightledger.domain.operator import CalendarAddress
from nightledger.files.reading import read_regular
from nightledger.remote.client import is_loopback
from nightledger.text.staging.calendar import MAX_CALENDAR_BYTES

MAX_PASSWORD_BYTES = 4096
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
_MULTI_STATUS = 207
_REDIRECTS = range(300, 400)


class CalendarError(NightledgerError):
    """A calendar could not be read; its events are missing, and everything else goes on."""


def fetch_all(
    calendars: Mapping[str, CalendarAddress], since: datetime, until: datetime, patience_s: float
) -> dict[str, tuple[bytes, str]]:
    """Read all calendars at once, those in files too; return of each its text of iCalendar, or why there is none.

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
        except NightledgerError as error:
            found[name] = (b"", str(error))
        except TimeoutError:  # of one connection: the same as one that the patience for all cuts off
            return
        except (OSError, http.client.HTTPException, ValueError) as error:
            said = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
            found[name] = (b"", f"cannot be read ({said})")

    threads = [threading.Thread(target=take, args=one, daemon=True) for one in calendars.items()]
    for thread in threads:
        thread.start()
    ends = time.monotonic() + patience_s
    for thread in threads:
        thread.join(max(0.0, ends - time.monotonic()))
    return {name: found.get(name, (b"", f"did not answer within {patience_s:g} s")) for name in calendars}


def _read(address: CalendarAddress, since: datetime, until: datetime, timeout_s: float) -> bytes:
    if address.file:
        return _read_file(address.file)
    if address.caldav:
        body = _QUERY.format(since=since, until=until).encode()
        return _texts_of(_ask(address, address.caldav, body, timeout_s))
    return _ask(address, address.url, b"", timeout_s)


def _read_file(path: str, most: int = MAX_CALENDAR_BYTES, what: str = "file") -> bytes:
    """Read a file that the operator named; no message names its place, which an agent would read."""
    try:
        return read_regular(path, most)
    except NightledgerError as error:
        said = str(error).replace(path, "").strip()
        raise CalendarError(f"cannot be read: the {what} {said}") from error


def _ask(address: CalendarAddress, url: str, body: bytes, timeout_s: float) -> bytes:
    parts = urlsplit(url)
    target = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    is_tls, host = parts.scheme == "https", parts.hostname or ""
    if not (is_tls or is_loopback(host) or address.insecure_plain_http):
        raise CalendarError("is beyond this machine, and plain HTTP can be read on the way: use https")
    connect = http.client.HTTPSConnection if is_tls else http.client.HTTPConnection
    connection = connect(host, parts.port, timeout=timeout_s)
    headers = _headers(address)
    if body:
        headers |= {"Depth": "1", "Content-Type": "application/xml; charset=utf-8"}
    try:
        connection.request("REPORT" if body else "GET", target, body or None, headers)
        with connection.getresponse() as response:  # one not read to its end keeps its socket open
            content = response.read(MAX_CALENDAR_BYTES + 1)
    finally:
        connection.close()
    wanted = _MULTI_STATUS if body else http.client.OK
    if response.status in _REDIRECTS:
        raise CalendarError(
            "has moved: its server names another address, which is to be named in operator.yaml"
        )
    if response.status != wanted:
        raise CalendarError(f"cannot be read: its server answered {response.status}")
    if len(content) > MAX_CALENDAR_BYTES:
        raise CalendarError(f"has more than {MAX_CALENDAR_BYTES:,} bytes")
    return content


def _headers(address: CalendarAddress) -> dict[str, str]:
    if not address.user:
        return {}
    password = _password(address.password_file) if address.password_file else ""
    token = base64.b64encode(f"{address.user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {token}"}


def _password(path: str) -> str:
    if os.stat(path).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise CalendarError("cannot be asked: others may read or write its password file (chmod 600)")
    return _read_file(path, MAX_PASSWORD_BYTES, "password file").decode().split("\n")[0].rstrip("\r")


def _texts_of(content: bytes) -> bytes:
    """Give the texts of a multi-status answer (RFC 4791, 9.6), one after the other."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise CalendarError("answers with a document type, which no CalDAV server sends")
    try:
        root = ET.fromstring(content)  # noqa: S314 - without a document type there is no entity to expand or fetch
    except ET.ParseError as error:
        raise CalendarError("answers with something that is no XML") from error
    texts = [element.text or "" for element in root.iter(_CALENDAR_DATA)]
    return "\r\n".join(texts or ["BEGIN:VCALENDAR\r\nEND:VCALENDAR"]).encode()
