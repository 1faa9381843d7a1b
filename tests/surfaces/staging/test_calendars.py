"""Calendars as files, addresses and collections of a server, in good order and bad."""

import base64
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.rows import each_row

from nightledger.codec.settings import parse_operator
from nightledger.domain.errors import ConfigurationError
from nightledger.domain.settings import CalendarAddress, Operator
from nightledger.surfaces.staging.running import Looked, look_into

NOW = datetime(2026, 3, 3, 8, 0, tzinfo=UTC)
EVENT = "BEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260303T090000Z\r\nDTEND:20260303T100000Z\r\nSUMMARY:Berths & <b>cranes</b>\r\nEND:VEVENT\r\n"
CALENDAR = f"BEGIN:VCALENDAR\r\n{EVENT}END:VCALENDAR\r\n"


@dataclass(slots=True)
class Answer:
    """What a server answers, and what it was asked."""

    status: int = 200
    body: bytes = CALENDAR.encode()
    headers: dict[str, str] = field(default_factory=dict)
    drip_s: float = 0.0
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            answer.asked.append((self.command, self.path, dict(self.headers), self.rfile.read(size)))
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            for byte in answer.body if answer.drip_s else ():
                try:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                except OSError:
                    return
                time.sleep(answer.drip_s)
            if not answer.drip_s:
                self.wfile.write(answer.body)

        do_GET = do_REPORT = _answer  # noqa: N815 - as http.server names them

        def log_message(self, *_: Any) -> None:  # type: ignore[explicit-override]  # typing.override is newer than 3.11
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def look(hours: int = 4, **calendars: CalendarAddress) -> Looked:
    return look_into(Operator(calendars=calendars), NOW, hours, ZoneInfo("UTC"))


def titles(looked: Looked) -> list[str]:
    return [one.title for one in looked.events]


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "work.ics"
    path.write_text(CALENDAR)
    looked = look(work=CalendarAddress(file=str(path), own=True))
    assert titles(looked) == ["Berths & <b>cranes</b>"]
    assert looked.events[0].own
    assert looked.problems == ()


def test_no_calendar_and_no_hours_ask_nobody() -> None:
    assert look() == Looked()
    assert look(hours=0, work=CalendarAddress(file="/nowhere")) == Looked()


def test_an_address_is_asked_with_its_query_and_without_credentials_where_there_are_none() -> None:
    answer = Answer()
    with serving(answer) as url:
        assert titles(look(work=CalendarAddress(url=f"{url}/private/basic.ics?key=1"))) == [
            "Berths & <b>cranes</b>"
        ]
    ((method, path, headers, _),) = answer.asked
    assert (method, path) == ("GET", "/private/basic.ics?key=1")
    assert "Authorization" not in headers


def test_a_collection_is_asked_for_the_next_hours_only(tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("tide\n")
    password.chmod(0o600)
    escaped = CALENDAR.replace("&", "&amp;").replace("<", "&lt;")
    body = (
        '<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:cal="urn:ietf:params:xml:ns:caldav"><d:response>'
        f"<d:propstat><d:prop><cal:calendar-data>{escaped}</cal:calendar-data></d:prop></d:propstat></d:response></d:multistatus>"
    )
    answer = Answer(status=207, body=body.encode())
    with serving(answer) as url:
        looked = look(
            work=CalendarAddress(caldav=f"{url}/dav/work/", user="ann", password_file=str(password))
        )
    assert (titles(looked), looked.problems) == (["Berths & <b>cranes</b>"], ())
    ((method, path, headers, asked),) = answer.asked
    assert (method, path, headers["Depth"]) == ("REPORT", "/dav/work/", "1")
    assert headers["Authorization"] == f"Basic {base64.b64encode(b'ann:tide').decode()}"
    assert b'<c:time-range start="20260302T080000Z" end="20260304T120000Z"/>' in asked


@each_row(
    ("answer", "problem"),
    [
        (Answer(status=401), "cannot be read: its server answered 401"),
        (
            Answer(status=302, headers={"Location": "http://127.0.0.1:1/secret"}),
            "has moved: its server names another address, which is to be named in operator.yaml",
        ),
        (Answer(body=b"<html>"), "is no iCalendar text"),
        (Answer(body=b"x" * 16_000_001), "has more than 16,000,000 bytes"),
        (Answer(status=207, body=b"not xml"), "answers with something that is no XML"),
        (
            Answer(status=207, body=b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'),
            "answers with a document type, which no CalDAV server sends",
        ),
    ],
)
def test_one_that_answers_otherwise_is_named_without_its_address(answer: Answer, problem: str) -> None:
    with serving(answer) as url:
        dav, plain = CalendarAddress(caldav=f"{url}/"), CalendarAddress(url=f"{url}/secret-key.ics")
        looked = look(work=dav if answer.status == 207 else plain)
    assert looked == Looked(problems=(("work", problem),))
    assert len(answer.asked) == 1


def test_a_server_that_hangs_or_drips_costs_two_seconds_for_all_and_the_others_are_read(
    tmp_path: Path,
) -> None:
    path = tmp_path / "work.ics"
    path.write_text(CALENDAR)
    with socket.socket() as silent, serving(Answer(drip_s=0.3)) as dripping:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        hanging = CalendarAddress(url=f"http://127.0.0.1:{silent.getsockname()[1]}/x.ics")
        began = time.monotonic()
        looked = look(
            file=CalendarAddress(file=str(path)),
            hangs=hanging,
            hangs_too=hanging,
            drips=CalendarAddress(url=f"{dripping}/x.ics"),
        )
        took = time.monotonic() - began
    assert titles(looked) == ["Berths & <b>cranes</b>"]
    assert [name for name, _ in looked.problems] == ["drips", "hangs", "hangs_too"]
    assert all(
        "2 s" in problem or "timed out" in problem.lower() or "TimeoutError" in problem
        for _, problem in looked.problems
    )
    assert took < 4


def test_files_that_cannot_be_read_are_named_by_the_calendar_only(tmp_path: Path) -> None:
    looked = look(
        gone=CalendarAddress(file=str(tmp_path / "secret-name.ics")),
        folder=CalendarAddress(file=str(tmp_path)),
    )
    assert [name for name, _ in looked.problems] == ["folder", "gone"]
    assert "secret-name" not in repr(looked)
    assert dict(looked.problems)["gone"] == "cannot be read: the file is missing"
    assert dict(looked.problems)["folder"].startswith("cannot be read: the file is a directory")


def test_a_password_file_that_cannot_be_read_is_not_named(tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.mkdir(mode=0o700)
    address = CalendarAddress(url="https://calendar.invalid/x.ics", user="ann", password_file=str(password))
    ((_, problem),) = look(work=address).problems
    assert str(tmp_path) not in problem
    assert problem.startswith("cannot be read: the password file is a directory")


def test_a_server_that_is_not_there_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    ((name, problem),) = look(work=CalendarAddress(url=f"http://127.0.0.1:{port}/x.ics")).problems
    assert (name, problem) == ("work", "does not answer (Connection refused)")


def test_plain_http_leaves_this_machine_only_where_the_operator_said_so() -> None:
    ((_, problem),) = look(work=CalendarAddress(url="http://calendar.invalid/x.ics")).problems
    assert "use https" in problem


def test_a_secret_address_is_never_asked_in_the_clear() -> None:
    answer = Answer()
    with serving(answer) as url:
        ((_, problem),) = look(work=CalendarAddress(url=url.replace("http://", "https://"))).problems
    assert problem.startswith("does not answer (")
    assert answer.asked == []


def test_a_password_that_others_may_read_is_not_sent(tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("tide\n")
    password.chmod(0o644)
    answer = Answer()
    with serving(answer) as url:
        ((_, problem),) = look(
            work=CalendarAddress(url=url, user="ann", password_file=str(password))
        ).problems
    assert "chmod 600" in problem
    assert answer.asked == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("calendars: {work: {own: true}}", "one of file, url and caldav"),
        ("calendars: {work: {file: /a.ics, url: 'https://x.example/a'}}", "one of file, url and caldav"),
        (
            "calendars: {work: {caldav: 'https://x.example/a', password_file: /p}}",
            "a password without a user",
        ),
        ("calendars: {work: {file: a.ics}}", "work: file:"),
        ("calendars: {Work Cal: {file: /a.ics}}", "calendars"),
        ("addresses: [ann]", "addresses"),
    ],
)
def test_a_calendar_that_cannot_be_meant_is_refused(text: str, told: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_operator(text.encode(), where="operator.yaml")
    assert told in str(caught.value)


def test_calendars_and_addresses_are_read_from_the_operators_file() -> None:
    text = b"addresses: [ann@example.org]\ncalendars:\n  work: {url: 'https://x.example/a.ics', own: true}\n"
    found = parse_operator(text, where="operator.yaml")
    assert found.addresses == ("ann@example.org",)
    assert found.calendars == {"work": CalendarAddress(url="https://x.example/a.ics", own=True)}
