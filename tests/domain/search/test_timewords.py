"""Times in queries: what they bound, in four languages, and what is no time."""

import time
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.domain.search.timewords import TOLD_LATER, Anchor, Times, bound_by, read_times
from nightledger.text.dates import find_dates, time_words

TODAY = date(2026, 3, 11)
"""A Wednesday."""


def read(text: str, today: date = TODAY) -> Times:
    dates = {(found.start, found.end): found.day for found in find_dates(text, near=today)}
    return read_times(text, today=today, words=time_words(), dates=dates)


def days(text: str) -> tuple[str, str]:
    times = read(text)
    return str(times.since or ""), str(times.until or "")


@each_row(
    ("text", "since", "until"),
    [
        ("what broke yesterday?", "2026-03-10", "2026-03-10"),
        ("what broke today", "2026-03-11", "2026-03-11"),
        ("the day before yesterday the disk was full", "2026-03-09", "2026-03-09"),
        ("what did we decide last week", "2026-03-02", "2026-03-08"),
        ("what did we decide this week", "2026-03-09", "2026-03-11"),
        ("deploys last month", "2026-02-01", "2026-02-28"),
        ("deploys this month", "2026-03-01", "2026-03-11"),
        ("who joined last year", "2025-01-01", "2025-12-31"),
        ("who joined this year", "2026-01-01", "2026-03-11"),
        ("outages in the last 3 days", "2026-03-08", "2026-03-11"),
        ("outages over the past two weeks", "2026-02-25", "2026-03-11"),
        ("the outage 3 days ago", "2026-03-08", "2026-03-08"),
        ("the outage two weeks ago", "2026-02-22", "2026-02-28"),
        ("the outage a month ago", "2026-02-01", "2026-02-28"),
        ("the outage three years ago", "2023-01-01", "2023-12-31"),
        ("what happened in February", "2026-02-01", "2026-02-28"),
        ("what happened in May", "2025-05-01", "2025-05-31"),
        ("what happened in March", "2026-03-01", "2026-03-31"),
        ("January 2025 invoices", "2025-01-01", "2025-01-31"),
        ("invoices of early January 2025", "2025-01-01", "2025-01-11"),
        ("invoices of mid-January 2025", "2025-01-11", "2025-01-21"),
        ("invoices of late January 2025", "2025-01-21", "2025-01-31"),
        ("travel during summer 2025", "2025-06-01", "2025-08-31"),
        ("travel in winter 2024", "2024-12-01", "2025-02-28"),
        ("what did we learn in 2024?", "2024-01-01", "2024-12-31"),
        ("changes since February", "2026-02-01", ""),
        ("changes since Monday", "2026-03-09", ""),
        ("changes after February", "2026-03-01", ""),
        ("changes before February", "", "2026-01-31"),
        ("changes until February", "", "2026-02-28"),
        ("changes since 2026-02-03", "2026-02-03", ""),
        ("changes before 2026-02-03", "", "2026-02-02"),
        ("changes on 2026-02-03", "2026-02-03", "2026-02-03"),
        ("changes from 2026-02-03 to 2026-02-09", "2026-02-03", "2026-02-09"),
        ("between 9 February 2026 and 3 February 2026", "2026-02-03", "2026-02-09"),
        ("meeting on 3 March", "2026-03-03", "2026-03-03"),
        ("the call on Wednesday", "2026-03-04", "2026-03-04"),
        ("the call last Tuesday", "2026-03-10", "2026-03-10"),
        ("last weekend", "2026-03-07", "2026-03-08"),
    ],
)
def test_english_times(text: str, since: str, until: str) -> None:
    assert days(text) == (since, until)


@pytest.mark.parametrize(
    ("text", "as_if"),
    [
        ("faturalar in KASIM 2025", "faturalar in November 2025"),
        ("s\u0131x days ago", "six days ago"),
        ("LAST SİX DAYS", "last six days"),
        ("on FRİDAY", "on friday"),
        ("m\u0131d-January 2025", "mid-January 2025"),
        ("UNTİL March", "until March"),
    ],
)
def test_an_i_is_one_with_its_dot_and_without(text: str, as_if: str) -> None:
    assert days(text) == days(as_if) != ("", "")


@pytest.mark.parametrize(
    "words",
    [
        "between 2026-02-03 and 2026-02-09",
        "from 2026-02-03 to 2026-02-09",
        "zwischen 2026-02-03 und 2026-02-09",
        "vom 2026-02-03 bis 2026-02-09",
        "entre 2026-02-03 et 2026-02-09",
    ],
)
def test_what_stands_before_two_dates_is_no_word_to_look_for(words: str) -> None:
    assert read(f"crane {words}").rest.split() == ["crane"]
    assert read(f"crane {words}").said == words


@each_row(
    ("text", "since", "until"),
    [
        ("was war gestern kaputt", "2026-03-10", "2026-03-10"),
        ("was war letzte Woche", "2026-03-02", "2026-03-08"),
        ("Rechnungen im Februar", "2026-02-01", "2026-02-28"),
        ("was geschah vor 3 Tagen", "2026-03-08", "2026-03-08"),
        ("Änderungen seit Montag", "2026-03-09", ""),
        ("Änderungen seit Februar", "2026-02-01", ""),
        ("que s'est-il passé hier", "2026-03-10", "2026-03-10"),
        ("la semaine dernière", "2026-03-02", "2026-03-08"),
        ("les pannes en février", "2026-02-01", "2026-02-28"),
        ("il y a 3 jours", "2026-03-08", "2026-03-08"),
        ("la réunion lundi dernier", "2026-03-09", "2026-03-09"),
        ("qué pasó ayer", "2026-03-10", "2026-03-10"),
        ("el mes pasado", "2026-02-01", "2026-02-28"),
        ("hace dos semanas", "2026-02-22", "2026-02-28"),
        ("la reunión del equipo el lunes", "2026-03-09", "2026-03-09"),
        ("cambios desde febrero", "2026-02-01", ""),
        ("vorige Woche", "2026-03-02", "2026-03-08"),
        ("im vergangenen Monat", "2026-02-01", "2026-02-28"),
        ("la settimana scorsa", "2026-03-02", "2026-03-08"),
        ("ontem", "2026-03-10", "2026-03-10"),
        ("\u0432\u0447\u0435\u0440\u0430", "2026-03-10", "2026-03-10"),
    ],
)
def test_times_of_other_languages(text: str, since: str, until: str) -> None:
    assert days(text) == (since, until)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "how do we march through the list",
        "she may come",
        "port 2024 is taken",
        "the last resort",
        "week numbers",
        "what fell down",
    ],
)
def test_words_that_tell_no_time_are_left_alone(text: str) -> None:
    times = read(text)
    assert not times.bounded
    assert times.anchor is None
    assert times.rest == text
    assert times.said == ""


def test_what_told_the_time_is_no_word_of_the_query_any_more() -> None:
    times = read("what broke in the proxy since last week?")
    assert times.said == "since last week"
    assert times.rest.split() == ["what", "broke", "in", "the", "proxy", "?"]


@pytest.mark.parametrize(
    "text", ["yesterday's backup", "backup, last week\u2019s", "March's backup of 2026-03-02's"]
)
def test_what_belongs_to_a_time_leaves_no_letter_behind(text: str) -> None:
    assert "s" not in read(text).rest.split()


def test_an_event_bounds_the_time_once_its_day_is_known() -> None:
    times = read("which backups ran before the move to the new host?")
    assert times.anchor == Anchor(side="before", event="the move to the new host")
    assert times.rest == "which backups ran before the move to the new host?"
    assert bound_by(times, date(2026, 2, 3)).until == date(2026, 2, 3)
    assert bound_by(times, date(2026, 2, 3)).since is None
    assert bound_by(times, None) == times


def test_what_happened_is_told_of_for_a_fortnight() -> None:
    times = read("what happened in February")
    assert times.holds(date(2026, 2, 1))
    assert not times.holds(date(2026, 1, 31))
    assert times.holds(date(2026, 2, 28) + TOLD_LATER)
    assert not times.holds(date(2026, 2, 28) + TOLD_LATER + timedelta(days=1))


@pytest.mark.parametrize(
    ("text", "side", "event"),
    [
        ("where did backups go after Bruno left?", "after", "Bruno left"),
        ("backups before Ada's wedding", "before", "Ada's wedding"),
        ("backups before ada's wedding", "before", "ada's wedding"),
        ("the printer since moving to Lisbon", "after", "moving to Lisbon"),
        ("until Kubernetes", "before", "Kubernetes"),
        ("Drucker vor Brunos Abschied", "before", "Brunos Abschied"),
    ],
)
def test_an_event_may_begin_with_a_name_or_a_verb(text: str, side: str, event: str) -> None:
    assert read(text).anchor == Anchor(side=side, event=event)


@pytest.mark.parametrize("text", ["what came before", "before noon", "after 5 tries", "one after another"])
def test_other_words_after_before_are_no_event(text: str) -> None:
    assert read(text).anchor is None


@given(st.text(max_size=60), st.dates(min_value=date(2000, 1, 1), max_value=date(2100, 1, 1)))
def test_any_text_is_read_and_bounds_are_in_order(text: str, today: date) -> None:
    times = read(text, today)
    if times.since and times.until:
        assert times.since <= times.until


@pytest.mark.parametrize("word", ["may ", "before the ", "on ", "2024 ", "2024-01-01 ", "last "])
def test_ten_thousand_characters_of_times_are_read_at_once(word: str) -> None:
    before = time.process_time()
    read((word * 5_000)[:10_000])
    assert time.process_time() - before < 1.0
