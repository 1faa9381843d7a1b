"""What strangers and agents write and we look into: calendars, hand-offs, code in notes, what a line claims."""

import ast
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

from tests.faults.fuzz.records import NOW
from tests.faults.fuzz.target import Target, repeated
from tests.linking import BERLIN

from nightledger.domain.kept import is_copy
from nightledger.domain.staging import Event
from nightledger.text.claims import Claim, denials, read_claim
from nightledger.text.code.audit import MOST_FINDINGS, audit
from nightledger.text.code.rule import code_table
from nightledger.text.code.snippets import Part, Snippet, audit_document, find_snippets
from nightledger.text.contradictions import Contradiction, Standing
from nightledger.text.forgetting.compressed import Marker, marker_line, read_marker
from nightledger.text.markdown.document import decode
from nightledger.text.scanners.scan import scan
from nightledger.text.staging.calendar import (
    MAX_EVENTS,
    TITLE_CHARACTERS,
    Read,
    Reading,
    owner_addresses,
    read_events,
)
from nightledger.text.staging.handoff import MOST_ITEMS, OpenItem, handoff_day, read_open_items

# calendars

_HOW = Reading(
    name="work", zone=BERLIN, since=NOW, until=NOW + timedelta(hours=4),
    addresses=owner_addresses(["ann@example.org"]),
)  # fmt: skip
_SENTENCES = (
    "event(s) left out: broken", "event(s) left out: repeats too often", "is no iCalendar text",
    "event(s) in a time zone unknown here, taken for the home's", f"more than {MAX_EVENTS} events in these hours",
)  # fmt: skip


def _read_calendar(raw: bytes) -> Read:
    return read_events(raw, _HOW)


def _check_calendar(raw: bytes, read: Read) -> None:
    assert _read_calendar(raw) == read
    assert len(read.events) <= MAX_EVENTS
    places = [(one.starts_at, one.ends_at, one.title) for one in read.events]
    assert places == sorted(set(places))
    for one in read.events:
        assert one.starts_at <= one.ends_at
        assert one.starts_at < _HOW.until
        assert max(one.ends_at, one.starts_at + timedelta(microseconds=1)) > _HOW.since
        assert len(one.title) <= TITLE_CHARACTERS
        assert "\n" not in one.title
        assert one.calendar == "work"
    assert all(problem.lstrip("0123456789,").strip() in _SENTENCES for problem in read.problems)


def _calendar(*events: str) -> bytes:
    """Give a calendar of events, each the lines of one, parted by spaces."""
    told = "".join(f"BEGIN:VEVENT\n{one.replace(' ', chr(10))}\nEND:VEVENT\n" for one in events)
    return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n{told}END:VCALENDAR\n".encode()


_ZONE = b"BEGIN:VTIMEZONE\nTZID:Here\nBEGIN:STANDARD\nDTSTART:19701025T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nEND:STANDARD\nEND:VTIMEZONE\n"
_CALENDARS = (
    _calendar("UID:1 DTSTART:20260301T130000Z DTEND:20260301T140000Z SUMMARY:Berths"),
    _calendar("UID:2 DTSTART;VALUE=DATE:20260301 SUMMARY:Fair ATTENDEE;PARTSTAT=DECLINED:mailto:ann@example.org"),
    _calendar("UID:3 DTSTART;TZID=Europe/Berlin:20250101T140000 RRULE:FREQ=DAILY;INTERVAL=2 EXDATE:20260228T130000Z"),
    _calendar("UID:4 DTSTART:20260101T133000 DURATION:PT30M RRULE:FREQ=WEEKLY;BYDAY=SU;COUNT=40 RDATE:20260301T123000"),
    _calendar("UID:5 DTSTART:20250101T133000Z RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1;BYHOUR=13;UNTIL=20300101T000000Z"),
    _calendar(
        "UID:6 DTSTART:20260201T130000Z RRULE:FREQ=WEEKLY SUMMARY:Pump",
        "UID:6 RECURRENCE-ID:20260301T130000Z DTSTART:20260301T150000Z SUMMARY:Pump",
    ),
    _calendar("UID:7 DTSTART;TZID=Here:20260301T140000 SUMMARY:Tide").replace(b"BEGIN:VEVENT", _ZONE + b"BEGIN:VEVENT"),
    _calendar(*(f"UID:{n} DTSTART:20200101T120000Z RRULE:FREQ=HOURLY" for n in range(3))),
)  # fmt: skip
_EVENT = Event(title="x" * 200, starts_at=NOW, ends_at=NOW, all_day=False, calendar="", own=False)


# hand-offs, and the line that a compressed log has


def _read_handoff(raw: bytes) -> tuple[tuple[OpenItem, ...], date | None]:
    return read_open_items(decode(raw)), handoff_day(decode(raw))


def _check_handoff(raw: bytes, read: tuple[tuple[OpenItem, ...], date | None]) -> None:
    items, day = read
    text = decode(raw).removeprefix("\ufeff")
    lines = text.split("\n")
    assert len(items) <= MOST_ITEMS
    assert [item.urgency for item in items] == sorted((item.urgency for item in items), reverse=True)
    assert len({item.text.casefold() for item in items}) == len(items)
    for item in items:
        assert item.text in lines[item.line - 1]
        assert 0 < item.urgency <= 1
        assert not item.heading or any(item.heading in line for line in lines[: item.line])
    assert day is None or f"{day}" in text


_HANDOFFS = (
    b"# Handoff 2026-03-01\n\n## Next\n\n- Order two seals for the pump\n1. [ ] Ask the harbour about berths\n- [x] Rinsed it\n",
    "## Done \u2705\n- [ ] Empty box under done\n## Offen\n* Die Pumpe pr\u00fcfen lassen\n\n## \u5f85\u529e\n- \u8bf7\u68c0\u67e5\u6e2f\u53e3\u7684\u6c34\u6cf5\u548c\u5bc6\u5c01\u5708\n".encode(),
    b"\xef\xbb\xbf2026-13-45 2026-02-28\n\n### Blocked\n\n- waits for the key: ~~old~~\n- waits for the other key\n```\n- code here is none\n```\n",
)


def _read_marker(raw: bytes) -> Marker:
    marker = read_marker(decode(raw))
    if marker is None:
        raise NoMarkerError
    return marker


class NoMarkerError(Exception):
    """The reader's None, as an error of its own."""


def _check_marker(raw: bytes, marker: Marker) -> None:
    assert is_copy(marker.copy)
    assert str(marker.lines) in decode(raw)
    for log in ("memory/2026-03-01.md", "memory/archive/daily/x.md", "x.md"):
        line = marker_line(log, marker)
        assert read_marker(f"# A\n\n> {line}\n") == marker
        assert read_marker(f"{line}\n{line}\n") is None


_MARKER = marker_line(
    "memory/2026-03-01.md",
    Marker(copy="memory/archive/daily/2026-03-01.md", lines=212, sha256="0123456789abcdef" * 4),
)
_MARKED = (
    f"# 2026-03-01\n\n- The pump failed.\n\n> {_MARKER}\n".encode(),
    _MARKER.replace("212", "9" * 4400).encode(),
    _MARKER.replace("212", "0٣").encode(),
)


# code in notes, and files of code

_NAMES = ("", "x.py", "x.md", "x.ipynb", "x.sh")


def _check_snippets(raw: bytes, found: tuple[Snippet, ...]) -> None:
    text = decode(raw)
    lines = text.splitlines(keepends=True)
    assert [one.start for one in found] == sorted(one.start for one in found)
    for one in found:
        assert 0 <= one.start < one.end <= len(text)
        assert 1 <= one.line <= len(lines) + 1
        assert one.language
        assert sum(map(len, lines[: one.line - 1 - one.fenced])) <= one.start
        inside = text[one.start : one.end]
        blanked = len(one.text) == len(inside) and all(
            mine in (his, " ") for mine, his in zip(one.text, inside, strict=True)
        )  # of a paragraph, what was found in it already
        assert blanked or all(line.strip() in inside for line in one.text.splitlines())
    assert find_snippets(text) == found
    for finding in scan(text, snippets=True):
        assert finding.message.encode("utf-8")
        assert "\n" not in finding.message


def _read_document(raw: bytes) -> tuple[Part, ...]:
    return audit_document(decode(raw[1:]), _NAMES[raw[0] % len(_NAMES)] if raw else "")


def _check_document(raw: bytes, parts: tuple[Part, ...]) -> None:
    text, name = decode(raw[1:]), _NAMES[raw[0] % len(_NAMES)] if raw else ""
    size = len(text.splitlines()) + 1
    for part in parts:
        findings = part.audited.findings
        assert len(findings) <= MOST_FINDINGS
        assert list(findings) == sorted(set(findings))
        for one in (*findings, *part.audited.notes):
            assert one.rule in code_table().rows
            assert one.line >= 1
            assert part.where or part.line + one.line - 1 <= size + 1
        assert not part.audited.clean or (part.audited.language == "python" and not findings)
    assert _read_document(raw) == parts
    if name == "x.py" and parts and parts[0].audited.clean and _parses(text):  # a notebook may have no part
        worse = audit(f"{text}\nimport os\nos.system('reboot')\n", "python")
        assert not worse.clean


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


_PYTHON = b"import os\n\ndef run(words):\n    '''Say.'''\n    for word in words:\n        print(f'{word!r:>8}', getattr(os, 'sys' + 'tem')(word))\n"
_SCRIPTS = (
    b"\x01" + _PYTHON,
    b"\x01x = [n ** 2 for n in range(9)]\nprint(sum(x))\n",
    b"\x01>>> import subprocess\n>>> subprocess.run(['ls'])\n%matplotlib inline\n!pip install x\n",
    b"\x02# Notes\n\n```python\n"
    + _PYTHON
    + b"```\n\n- `eval(input())`\n\n    import socket\n    socket.socket()\n\n> ~~~py\n> x = 1\n",
    b"\x02Run `python3 -c 'import os; os.remove(\"a\")'` or\n\n```sh\ncat <<EOF | python\nprint('$HOME')\nEOF\necho 'x = 1' | python -\n```\n",
    b'\x03{"cells":[{"cell_type":"code","source":["import os\\n","os.system(\'x\')"]},{"cell_type":"markdown","source":"a"}]}',
    b"\x04#!/bin/sh\npython - <<'END'\nexec(compile('1', '', 'exec'))\nEND\nPYTHON -c \"print(1)\" $X\n",
    b"\x00print 'old' % x,\nexec 'y'\n",
    b"\x01import functools, sqlite3\nfunctools.reduce(getattr, ['a'], os)\nsqlite3.connect('x').execute('drop table t')\n",
)


def _repeated(raw: bytes, size: int = 8_192) -> str:
    """Give head, body and tail of the input, the body so often that quadratic time would show."""
    return decode(repeated(raw, size))


def _read_repeated_code(raw: bytes) -> int:
    text = _repeated(raw, _CODE_BYTES)
    find_snippets(text)
    for name in ("x.py", "x.md", "x.sh"):
        audit_document(text, name)
    return len(text)


def _read_repeated_notes(raw: bytes) -> int:
    text = _repeated(raw)
    read_open_items(text)
    handoff_day(text)
    read_marker(text)
    list(denials(read_claim(text)))
    Standing([("a", text[1:]), *enumerate_lines(text)]).contradicted_by(text)
    return len(text)


def enumerate_lines(text: str) -> Iterable[tuple[str, str]]:
    """Give a text's lines, each by its number."""
    return ((str(n), line) for n, line in enumerate(text.split("\n")))


def _read_repeated_calendar(raw: bytes) -> int:
    text = _repeated(raw)
    read_events(text.encode("utf-8", "surrogateescape"), _HOW)
    return len(text)


def _check_repeated(raw: bytes, size: int) -> None:
    assert size == len(_repeated(raw))


def _check_repeated_code(raw: bytes, size: int) -> None:
    assert size == len(_repeated(raw, _CODE_BYTES))


_CODE_BYTES = 4_096
"""Less than of prose: a line of code costs half a millisecond, and four times that with each of its branches counted."""
_REPEATED_CODE = (
    b"\x00\x06(((((((", b"\x00\x02x=", b"\x00\x05a.b()\n", b"\x00\x04```\nx", b"\x00\x03```~~~", b"\x01\x03`f(x)`",
    b"\x00\x0cpython -c 'x' | python <<E\n", b"\x00\x0aecho 'a' | python\n", b"\x00\x0bgetattr(a, b)\n",
    b"\x00\x0ax = x + x\n", b"\x00\x05f'{x}'", b"\x00\x08a, b = b, a\n", b"\x00\x04>>> a\n", b"\x00\x03    x\n",
    b"\x00\x07y=[x for x in ", b"\x00\x06os.a. <<", b"\x00\x05\\\n x=1", b"\x00\x06$( `a'\"", b"\x00\x04<<A\n<<B\n",
    b"\x00\x08lambda: ", b"\x00\x03-x'", b"\x06\x10import os\nif a:\n    os = 1\n", b"\x00\x08x = [x]\n", b"\x00\x10x = [y]\ny = [x]\n", b"\x00\x01|",
)  # fmt: skip
_REPEATED_NOTES = (
    b"\x00\x04- a: ", b"\x00\x05## x\n", b"\x00\x0fno longer at 7 ", b"\x00\x09from a to ", b"\x00\x04(not", b"\x00\x03a. b",
    b"\x00\x03a/b", b"\x00\x031.2", b"\x00\x08- [ ] ab cd\n", b"\x00\x0aFull text: [a](<b>), ", b"\x00\x05~~ab~~",
    "\x00\x06\u3002\u5f85\u529e".encode(), b"\x00\x05a@b.c", b"\x00\x08done -- ", b"\x00\x06: a: b",
    "\x00\x06\xc0\x06\u3002".encode(), b"\x08\x13no lo lo\x00\x03a. q o lo", b"\x00\x13no longer at x1, but ", "\x01\x02a/\u00e9".encode(), "\x03\x04a@@@/\u00e9".encode(),
    b"\x00\x01[", b"\x00\x04[a](",
)  # fmt: skip
_REPEATED_CALENDARS = tuple(
    bytes([len(head), len(head) + len(body)]) + head + body + tail
    for head, body, tail in (
        (b"BEGIN:VCALENDAR\n", b"BEGIN:VEVENT\nDTSTART:20200101T120000Z\nRRULE:FREQ=HOURLY\nEND:VEVENT\n", b""),
        (b"BEGIN:VCALENDAR\nBEGIN:VEVENT\n", b"DTSTART:20260301T130000Z\n", b"END:VEVENT\n"),
        (b"BEGIN:VCALENDAR\n", b"BEGIN:VTIMEZONE\n", b"END:VTIMEZONE\n"),
        (b"BEGIN:VCALENDAR\n", b"BEGIN:VEVENT\n ", b""),
    )
)  # fmt: skip


# claims


def _lines_of(raw: bytes) -> tuple[str, list[tuple[str, str]]]:
    """Give a statement and the entries that it is held against."""
    statement, *entries = decode(raw).split("\n")
    return statement, [(str(n), entry) for n, entry in enumerate(entries)]


def _read_claims(raw: bytes) -> tuple[Claim, tuple[Contradiction, ...]]:
    statement, entries = _lines_of(raw)
    return read_claim(statement), Standing(entries).contradicted_by(statement)


def _check_claims(raw: bytes, read: tuple[Claim, tuple[Contradiction, ...]]) -> None:
    claim, found = read
    statement, entries = _lines_of(raw)
    known = {name: read_claim(entry).text for name, entry in entries}
    values = frozenset[str]().union(*claim.values.values())
    assert claim.stems | values == claim.words
    assert not claim.stems & values
    for denial in denials(claim):
        assert denial.words
        assert isinstance(denial.changed, bool)
    for one in found:
        assert known[one.entry] == one.text
        assert 0 < one.likeness <= 1
        assert one.reason
    assert [one.sure for one in found] == sorted((one.sure for one in found), reverse=True)
    assert _read_claims(raw) == read
    assert Standing([*entries, ("same", statement)]).contradicted_by(statement) == () or not found
    assert Standing([("same", statement)]).contradicted_by(statement) == ()


_CLAIMS = (
    b"The backup runs no longer at 07:00, but at 08:30.\nThe backup runs at 07:00 every day.\nThe quay is wet.",
    b"- We moved the spare seals from the shed to the cellar.\n- The spare seals are in the shed.",
    b"Never restart the pump without a copy of the log.\nRestart the pump with a copy of the log.\nport 8080",
    "\u6e2f\u53e3\u7684\u6c34\u6cf5\u5728\u516d\u70b9\u542f\u52a8\u3002\n\u6e2f\u53e3\u7684\u6c34\u6cf5\u5728\u4e03\u70b9\u542f\u52a8\u3002".encode(),
    b"The gateway listens on port 8081 (before: 8080).\nThe gateway listens on port 8080.",
)
_NO_CONTRADICTION = Contradiction(entry="", text="", likeness=0.0, reason="", sure=True)


_CALENDAR_CPU_S = 20.0
"""The reader's own bound, 1,500,000 repetitions, is some 5 s here when nothing else is at work, and twice that with branches counted."""


def _of(seeds: tuple[bytes, ...]) -> Any:
    return lambda: list(seeds)


TARGETS = (
    Target(
        name="calendars",
        read=_read_calendar,
        errors=(),
        check=_check_calendar,
        damage=lambda read: Read(events=(*read.events, _EVENT), problems=read.problems),
        seeds=_of(_CALENDARS),
        cost=4,
        max_cpu_s=_CALENDAR_CPU_S,
    ),
    Target(
        name="hand-offs",
        read=_read_handoff,
        errors=(),
        check=_check_handoff,
        damage=lambda read: ((*read[0], *read[0]), date(1970, 1, 2)),
        seeds=_of(_HANDOFFS),
    ),
    Target(
        name="markers",
        read=_read_marker,
        errors=(NoMarkerError,),
        check=_check_marker,
        damage=lambda read: Marker(copy="x.md", lines=read.lines, sha256=read.sha256),
        seeds=_of(_MARKED),
    ),
    Target(
        name="snippets",
        read=lambda raw: find_snippets(decode(raw)),
        errors=(),
        check=_check_snippets,
        damage=lambda found: (
            *found,
            Snippet(text="x", language="", line=0, start=0, end=0, fenced=False),
        ),
        seeds=lambda: [*(seed[1:] for seed in _SCRIPTS), b"%%YC\xff x = open('f')\n"],
        cost=2,
    ),
    Target(
        name="code",
        read=_read_document,
        errors=(),
        check=_check_document,
        damage=lambda parts: (*parts, Part(where="x", line=0, audited=audit("1", "python"))),
        seeds=_of(_SCRIPTS),
        cost=4,
    ),
    Target(
        name="claims",
        read=_read_claims,
        errors=(),
        check=_check_claims,
        damage=lambda read: (read[0], (*read[1], _NO_CONTRADICTION)),
        seeds=_of(_CLAIMS),
    ),
    Target(
        name="repeated-code",
        read=_read_repeated_code,
        errors=(),
        check=_check_repeated_code,
        damage=lambda size: size + 1,
        seeds=_of(_REPEATED_CODE),
        max_bytes=128,
        cost=20,
    ),
    Target(
        name="repeated-notes",
        read=_read_repeated_notes,
        errors=(),
        check=_check_repeated,
        damage=lambda size: size + 1,
        seeds=_of(_REPEATED_NOTES),
        max_bytes=128,
        cost=20,
    ),
    Target(
        name="repeated-calendars",
        read=_read_repeated_calendar,
        errors=(),
        check=_check_repeated,
        damage=lambda size: size + 1,
        seeds=_of(_REPEATED_CALENDARS),
        max_bytes=256,
        cost=20,
        max_cpu_s=_CALENDAR_CPU_S,
    ),
)
