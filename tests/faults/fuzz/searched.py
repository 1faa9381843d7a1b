"""What a person or an agent asks in search, and the texts that answer: queries, options, chunks, withheld words."""

import re
import sqlite3
import unicodedata
from argparse import Namespace
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from typing import Any

from tests.faults.fuzz.target import Target, repeats, seeds

from nightledger.domain.errors import UsageError
from nightledger.domain.search import Found, Kind, Query
from nightledger.domain.timewords import Times, read_times
from nightledger.domain.words import canonical_tag
from nightledger.files.search_index import FileState, NewFile, SearchStore, build_in_memory
from nightledger.files.search_reader import make_tables
from nightledger.recall.searching import search_store
from nightledger.recall.sources import Cut, cut_archive, cut_handoff, cut_prose
from nightledger.surfaces import clock
from nightledger.surfaces.trust_change import read_key
from nightledger.surfaces.verbs.approve import parse_numbers
from nightledger.surfaces.verbs.recall import MAX_HITS, read_query
from nightledger.text.dates import find_dates, time_words
from nightledger.text.handoff import read_open_items
from nightledger.text.markdown.chunks import CHUNK_CHARACTERS, LEAD_CHARACTERS
from nightledger.text.phrases import phrases_of
from nightledger.text.tokens import index_text, match_any, match_phrase, query_terms, tag_terms
from nightledger.trust.sshsig import PublicKey, PublicKeyError

_FIRST_DAY = date(1971, 1, 1).toordinal()
_DAYS = date(2999, 12, 31).toordinal() - _FIRST_DAY


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


# times


def _asked(raw: bytes) -> tuple[date, str]:
    """Give the day that the first three bytes choose, and the rest as a query."""
    day = int.from_bytes(raw[:3], "big") % (_DAYS + 1)
    return date.fromordinal(_FIRST_DAY + day), _text(raw[3:])


def _times_of(text: str, today: date = date(2026, 3, 11)) -> Times:
    dates = {(one.start, one.end): one.day for one in find_dates(text, near=today)}
    return read_times(text, today=today, words=time_words(), dates=dates)


def _read_times(raw: bytes) -> Times:
    today, text = _asked(raw)
    return _times_of(text, today)


def _check_times(raw: bytes, times: Times) -> None:
    _, text = _asked(raw)
    assert times.since is None or times.until is None or times.since <= times.until
    assert bool(times.said) == times.bounded
    if times.bounded:
        assert times.said in " ".join(text.split())
        assert len(times.rest) <= len(text) + 1
    else:
        assert times.rest == text
    for day in (times.since, times.told_until):
        assert day is None or times.holds(day)
    assert _read_times(raw) == times


_TIMES = seeds("searched_times")


# queries


_LOG = (
    "# 2026-03-09\n\n- 09:15 The greenhouse pump failed: pressure fell.\n- Ada moved nightly_backup.sh to db01.example.org\n\n"
    "## Notes\n\n- We moved to the harbour office.\n- \u5317\u4eac\u7684\u6cf5\u574f\u4e86\n- caf\u00e9 invoices \U0001f680\n"
)


@cache
def _store() -> SearchStore:
    """Give an index of a few lines."""
    writer = build_in_memory(index_text)
    for n, text in enumerate((_LOG, _LOG.replace("03-09", "02-10").replace("pump", "sensor"))):
        state = FileState(len(text.encode()), 0, "0" * 64, settled=True)
        cut = cut_prose(text, date(2026, 3, 9))
        writer.put(NewFile(path=f"memory/{n}.md", kind=Kind.DAILY, state=state, text=text, chunks=cut.chunks))
    writer.commit()
    return writer.store


def _search(raw: bytes) -> Found:
    today, text = _asked(raw)
    return search_store(_store(), Query(text=text), today)


def _check_found(raw: bytes, found: Found) -> None:
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    for hit in found.hits:
        assert hit.chunk.first_line <= hit.lines[0] <= hit.lines[1] <= hit.chunk.last_line
        assert hit.why or found.only
    assert found.since is None or found.until is None or found.since <= found.until
    assert _search(raw) == found


@cache
def _words() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    make_tables(connection)
    return connection


_OLD = unicodedata.ucd_3_2_0
"""Characters that every SQLite knows: what is no letter to Python may be one to it where neither was told."""


def _found_by(expression: str) -> bool:
    if not expression:
        return True
    return bool(_words().execute("SELECT rowid FROM words WHERE words MATCH ?", (expression,)).fetchall())


def _read_words(raw: bytes) -> tuple[str, tuple[str, ...]]:
    text = _text(raw)
    return text, query_terms(text, stop_words=())


def _check_words(_: bytes, read: tuple[str, tuple[str, ...]]) -> None:
    """A text that is indexed is found by every word of itself, and no expression is a syntax error."""
    text, terms = read
    spelt = index_text(text)
    _words().execute("BEGIN")
    try:
        _words().execute("INSERT INTO words(rowid, head, before, body) VALUES (1, '', '', ?)", (spelt,))
        known = [term for term in terms if any(_OLD.category(letter)[0] in "LN" for letter in term)]
        known = [] if any(_OLD.category(letter) == "Cn" for letter in spelt) else known
        assert all(_found_by(match_any((term,))) for term in known), known
        assert _found_by(match_any(known))
        _found_by(match_any(terms))
        _found_by(match_phrase(tag_terms(canonical_tag(text))))
        _found_by("{head body}: " + match_any(terms) if terms else "")
    finally:
        _words().execute("ROLLBACK")
    # by letters: where the other letter of a pair only asks, one stands alone
    assert set("".join(query_terms(text))) <= set("".join(terms))


_QUERIES = seeds("searched_queries")


_SEARCHES = (*_TIMES, *(b"\0\x4e\x20" + _bytes(text) for text in _QUERIES))

# options


_OPTIONS = ("since", "until", "tags", "scope")


def _read_options(raw: bytes) -> Any:
    """Read an argument of each kind, as the first byte chooses."""
    kind, text = (raw[:1] or b"\0")[0] % 5, _text(raw[1:])
    if kind == 0:
        return parse_numbers(text)
    if kind == 1:
        return clock.parse_now(text)
    if kind == 2:
        return read_key(f" {text}")
    given = dict(zip(_OPTIONS, text.split("\0"), strict=False))
    fields = {name: given.get(name) or None for name in _OPTIONS}
    return read_query(Namespace(**fields, limit=len(raw), agent=kind == 3), text)


def _check_options(raw: bytes, read: Any) -> None:
    if isinstance(read, tuple):
        assert parse_numbers(",".join(map(str, read))) == read
        assert list(read) == sorted({*read})
        assert min(read) > 0
    elif isinstance(read, PublicKey):
        assert read_key(read.line) == read
    elif isinstance(read, Query):
        assert 1 <= read.limit <= MAX_HITS
        assert read.tags == tuple(sorted({*map(canonical_tag, read.tags)}))
        given = _text(raw[1:]).split("\0")
        for text, day in zip(given, (read.since, read.until), strict=False):
            assert (day.isoformat() if day else "") == text
    else:
        assert read.utcoffset() == timedelta(0)
        assert clock.parse_now(read.isoformat()) == read
        assert read_times("last 999 years", today=read.date(), words=time_words()).since is not None


_GIVEN = seeds("searched_given")


# chunks


_CUTS: tuple[Callable[[str], Cut], ...] = (lambda text: cut_prose(text, None), cut_archive, cut_handoff)


def _read_chunks(raw: bytes) -> tuple[Cut, str]:
    text = _text(raw[1:])
    read_open_items(text)
    return _CUTS[(raw[:1] or b"\0")[0] % len(_CUTS)](text), text


def _check_chunks(_: bytes, read: tuple[Cut, str]) -> None:
    cut, given = read
    lines = cut.text.split("\n")
    assert len(cut.text) == len(given)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    covered: set[int] = set()
    letters: set[int] = set()
    for one in cut.chunks:
        assert 0 <= one.start < one.end <= len(cut.text)
        assert starts[one.first_line - 1] <= one.start < starts[one.first_line]
        assert starts[one.last_line - 1] < one.end <= starts[one.last_line]
        assert one.end - one.start <= CHUNK_CHARACTERS
        assert 0 <= one.lead <= one.start
        gap = re.split(r"\S", cut.text[one.start - one.lead : one.start][::-1], maxsplit=1)[0]
        assert one.lead - len(gap) <= LEAD_CHARACTERS + CHUNK_CHARACTERS
        assert letters.isdisjoint(range(one.start, one.end))
        letters.update(range(one.start, one.end))
        covered.update(range(one.first_line, one.last_line + 1))
    assert {n for n, line in enumerate(lines, 1) if line.strip()} <= covered
    assert all(n in letters for n, letter in enumerate(cut.text) if not letter.isspace())
    assert [one.start for one in cut.chunks] == sorted(one.start for one in cut.chunks)


_LOGS = seeds("searched_logs")


# what repeats itself


_BODIES = seeds("searched_bodies")


_AGAIN: tuple[Callable[[str], object], ...] = (*_CUTS, _times_of, read_open_items, phrases_of, query_terms)
TARGETS = (
    Target("query-times", _read_times, _check_times, _TIMES, max_bytes=512),
    Target("query-words", _read_words, _check_words, [_bytes(text) for text in _QUERIES]),
    Target("searches", _search, _check_found, _SEARCHES, max_bytes=512, cost=10),
    Target("options", _read_options, _check_options, _GIVEN, (UsageError, PublicKeyError)),
    Target("chunks", _read_chunks, _check_chunks, _LOGS),
    repeats(
        "repeated-queries",
        10_000,
        _AGAIN,
        [bytes([1, 1 + len(body)]) + b" " + body + b"x" for body in _BODIES],
        max_bytes=64,
    ),
)
