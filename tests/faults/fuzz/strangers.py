"""What strangers and agents write and we look into: calendars, hand-offs, code in notes, what a line claims."""

import ast
import re
from datetime import date, timedelta

from tests.faults.fuzz.records import NOW
from tests.faults.fuzz.target import NothingError, Target, given, repeats, seeds
from tests.linking import BERLIN

from nightledger.domain.kept import is_copy
from nightledger.text import calendar
from nightledger.text.code_audit import MOST_FINDINGS, Part, Snippet, audit, audit_document, find_snippets
from nightledger.text.code_source import code_table
from nightledger.text.contradictions import Claim, Contradiction, Standing, denials, read_claim
from nightledger.text.forgetting import Marker, marker_line, read_marker
from nightledger.text.handoff import MOST_ITEMS, OpenItem, handoff_day, read_open_items
from nightledger.text.markdown.document import decode
from nightledger.text.scanners.scan import scan

# calendars

_HOW = calendar.Reading(
    name="work", zone=BERLIN, since=NOW, until=NOW + timedelta(hours=4),
    addresses=calendar.owner_addresses(["ann@example.org"]),
)  # fmt: skip
_SENTENCES = (
    "events left out: broken", "events left out: repeats too often", "is no iCalendar text",
    "events in a time zone unknown here, taken for the home's", f"more than {calendar.MAX_EVENTS} events in these hours",
)  # fmt: skip


def _check_calendar(raw: bytes, read: calendar.Read) -> None:
    assert calendar.read_events(raw, _HOW) == read
    assert len(read.events) <= calendar.MAX_EVENTS
    places = [(one.starts_at, one.ends_at, one.title) for one in read.events]
    assert places == sorted(set(places))
    for one in read.events:
        assert one.starts_at <= one.ends_at
        assert one.starts_at < _HOW.until
        assert max(one.ends_at, one.starts_at + timedelta(microseconds=1)) > _HOW.since
        assert len(one.title) <= calendar.TITLE_CHARACTERS
        assert "\n" not in one.title
        assert one.calendar == "work"
    told = (
        problem.lstrip("0123456789,").strip().replace("event ", "events ", 1) for problem in read.problems
    )
    assert set(told) <= set(_SENTENCES)


_CALENDARS = seeds("strangers_calendars")


# hand-offs, and the line that a compressed log has
_WIDE = re.compile(r"\s{16,}")
"""Blanks that a log line has as one."""


def _check_handoff(raw: bytes, read: tuple[tuple[OpenItem, ...], date | None]) -> None:
    items, day = read
    text = decode(raw).removeprefix("\ufeff")
    lines = text.split("\n")
    assert len(items) <= MOST_ITEMS
    assert [item.urgency for item in items] == sorted((item.urgency for item in items), reverse=True)
    assert len({item.text.casefold() for item in items}) == len(items)
    for item in items:
        assert item.text in _WIDE.sub(" ", lines[item.line - 1])
        assert 0 < item.urgency <= 1
        assert not item.heading or any(item.heading in line for line in lines[: item.line])
    assert day is None or f"{day}" in text


_HANDOFFS = seeds("strangers_handoffs")


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
            assert part.line + one.line - 1 <= size + 1
        assert not part.audited.clean or (part.audited.language == "python" and not findings)
    assert _read_document(raw) == parts
    if name == "x.py" and parts and parts[0].audited.clean and _parses(text):
        worse = audit(f"{text}\nimport os\nos.system('reboot')\n", "python")
        assert not worse.clean


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


_SCRIPTS = seeds("strangers_scripts")


_SNIPPETS = (*(seed[1:] for seed in _SCRIPTS), b"%%YC\xff x = open('f')\n")


def _audit_all(text: str) -> None:
    for name in ("x.py", "x.md", "x.sh"):
        audit_document(text, name)


def _deny_all(text: str) -> None:
    list(denials(read_claim(text)))
    lines = [(str(n), line) for n, line in enumerate(text.split("\n"))]
    Standing([("a", text[1:]), *lines]).contradicted_by(text)


_CODE_BYTES = 4_096
"""Less than of prose: a line of code costs half a millisecond, and four times that with each of its branches counted."""
_REPEATED_CODE = seeds("strangers_repeated_code")
_REPEATED_NOTES = seeds("strangers_repeated_notes")
_REPEATED_CALENDARS = seeds("strangers_repeated_calendars")


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
    assert all(denial.words for denial in denials(claim))
    assert all(known[one.entry] == one.text and 0 < one.likeness <= 1 and one.reason for one in found)
    assert [one.sure for one in found] == sorted((one.sure for one in found), reverse=True)
    assert Standing([("same", statement)]).contradicted_by(statement) == ()
    assert _read_claims(raw) == read


_CLAIMS = seeds("strangers_claims")


_CALENDAR_CPU_S = 20.0
"""The reader's own bound, 1,500,000 repetitions, is some 5 s here when nothing else is at work, and twice that with branches counted."""


TARGETS = (
    Target(
        "calendars",
        lambda raw: calendar.read_events(raw, _HOW),
        _check_calendar,
        _CALENDARS,
        cost=4,
        max_cpu_s=_CALENDAR_CPU_S,
    ),
    Target(
        "hand-offs",
        lambda raw: (read_open_items(decode(raw)), handoff_day(decode(raw))),
        _check_handoff,
        _HANDOFFS,
    ),
    Target("markers", lambda raw: given(read_marker(decode(raw))), _check_marker, _MARKED, NothingError),
    Target("snippets", lambda raw: find_snippets(decode(raw)), _check_snippets, _SNIPPETS, cost=2),
    Target("code", _read_document, _check_document, _SCRIPTS, cost=4),
    Target("claims", _read_claims, _check_claims, _CLAIMS),
    repeats("repeated-code", _CODE_BYTES, (find_snippets, _audit_all), _REPEATED_CODE),
    repeats("repeated-notes", 8_192, (read_open_items, handoff_day, read_marker, _deny_all), _REPEATED_NOTES),
    repeats(
        "repeated-calendars",
        8_192,
        (lambda text: calendar.read_events(text.encode("utf-8", "surrogateescape"), _HOW),),
        _REPEATED_CALENDARS,
        max_bytes=256,
        max_cpu_s=_CALENDAR_CPU_S,
    ),
)
