"""Times in queries: what they bound, in four languages, and what is no time."""

from datetime import date, timedelta

from tests.rows import each_row, from_corpus

from nightledger.domain.timewords import TOLD_LATER, Times, read_times
from nightledger.text.dates import find_dates, time_words

TODAY = date(2026, 3, 11)
"""A Wednesday."""


def read(text: str, today: date = TODAY) -> Times:
    dates = {(found.start, found.end): found.day for found in find_dates(text, near=today)}
    return read_times(text, today=today, words=time_words(), dates=dates)


def days(text: str) -> tuple[str, str]:
    times = read(text)
    return str(times.since or ""), str(times.until or "")


@from_corpus("domain-timewords")
def test_an_i_is_one_with_its_dot_and_without(text: str, as_if: str) -> None:
    assert days(text) == days(as_if) != ("", "")


@from_corpus("domain-timewords")
def test_what_stands_before_two_dates_is_no_word_to_look_for(words: str) -> None:
    assert read(f"crane {words}").rest.split() == ["crane"]
    assert read(f"crane {words}").said == words


@from_corpus("domain-timewords")
def test_times_of_many_languages(text: str, since: str, until: str) -> None:
    assert days(text) == (since, until)


@from_corpus("domain-timewords")
def test_words_that_tell_no_time_are_left_alone(text: str) -> None:
    assert read(text) == Times(rest=text)


def test_what_told_the_time_is_no_word_of_the_query_any_more() -> None:
    times = read("what broke in the proxy since last week?")
    assert times.said == "since last week"
    assert times.rest.split() == ["what", "broke", "in", "the", "proxy", "?"]


@each_row("text", ["yesterday's backup", "backup, last week\u2019s", "March's backup of 2026-03-02's"])
def test_what_belongs_to_a_time_leaves_no_letter_behind(text: str) -> None:
    assert "s" not in read(text).rest.split()


def test_what_happened_is_told_of_for_a_fortnight() -> None:
    times, last = read("what happened in February"), date(2026, 2, 28) + TOLD_LATER
    days = (date(2026, 1, 31), date(2026, 2, 1), last, last + timedelta(days=1))
    assert [times.holds(day) for day in days] == [False, True, True, False]


# ---------------------------------------------------------------- Chinese, Japanese, Korean


@from_corpus("domain-timewords")
def test_times_of_east_asia(text: str, since: str, until: str, rest: str) -> None:
    assert (*days(text), read(text).rest.strip()) == (since, until, rest)
