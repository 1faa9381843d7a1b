"""What links say of outcomes: how sure, for how long, which resolution is best, and by which name."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row, from_corpus

from nightledger.domain import outcome
from nightledger.domain.outcome import Link, Tally, confidence, evidence

counts = st.integers(0, 10_000)


def test_confidence_is_the_published_example_never_certainty_and_overflows_at_neither_end() -> None:
    assert [confidence(n, 0) for n in (1, 2, 3, 6, 10_000)] == [0.4, 0.6603, 0.85, outcome.CAP, 0.98]
    assert confidence(2, 0) < outcome.SHOWN_FROM < confidence(3, 0)
    assert (outcome.confidence_of(-(10**9)), outcome.confidence_of(10**9)) == (0.0, 0.98)
    for successes, belief in ((1, 0.40), (3, 0.85)):
        odds = math.exp(-(outcome.PRIOR_LOG_ODDS + successes * outcome.SUCCESS_LOG_ODDS))
        assert math.isclose(1 / (1 + odds), belief)


@given(counts, counts)
def test_a_failure_takes_back_more_than_a_success_gives(successes: int, failures: int) -> None:
    assert evidence(successes + 2, failures + 1) == evidence(successes, failures)
    less, more = confidence(successes, failures + 1), confidence(successes + 1, failures)
    assert less <= confidence(successes, failures) <= more


def test_what_was_shown_confirms_once_at_most_and_counts_in_full_against_it_where_it_failed() -> None:
    assert [evidence(5 + shown, 0, shown_successes=shown) for shown in (0, 1, 900)] == [5, 6, 6]
    assert evidence(3, 2, shown_failures=2) == 3 - 4
    assert evidence(12, 1, shown_successes=9, shown_failures=1) == 3 + 1  # nine to one still stands for it


@each_row(
    "idle_days, left",
    [(0, 0.85), (25, 0.7011), (26, 0.6958), (outcome.HALF_LIFE_ACTIVE_DAYS, 0.425), (5000, 0.0)],
)
def test_confidence_fades_by_active_days(idle_days: int, left: float) -> None:
    assert outcome.decayed(0.85, idle_days) == left


def tally(resolution: str, successes: int = 0, failures: int = 0, last_day: int = 1) -> Tally:
    return Tally(resolution, successes=successes, failures=failures, last_day=last_day)


def link(*tallies: Tally, sessions: int = 1) -> Link:
    last = max(one.last_day for one in tallies)
    pair = ("cron", "time_zone")
    return Link(pair, co_occurrences=sessions, tallies=tallies, resolutions=len(tallies), last_day=last)


def test_stretches_of_a_log_add_up_and_the_newest_sources_are_named() -> None:
    older = Tally("set_zone", 1, 2, 3, 1, 2, 30, ("c", "b", "a"))
    newer = Tally("set_zone", 10, 20, 30, 10, 20, 20, ("f", "e", "d"))
    assert newer.after(older) == Tally("set_zone", 11, 22, 33, 11, 22, 30, ("f", "e", "d", "c", "b"))


@each_row("sessions, sure", [(1, 0.4), (2, 0.6603), (3, 0.85), (10_000, 0.98)])
def test_a_session_counts_for_one_success_at_most(sessions: int, sure: float) -> None:
    found = link(tally("again", 10_000), sessions=sessions)
    assert (found.counted(found.best), found.confidence(found.best)) == (sessions, sure)
    bad = link(tally("bad", 1, 5), sessions=sessions)
    assert bad.counted(bad.best) == -9


@from_corpus("domain-outcome")
def test_the_best_has_most_evidence_then_successes_then_the_newer_day_then_the_name(
    best: list[Any], other: list[Any]
) -> None:
    first, second = tally(*best), tally(*other)
    for given_order in ((first, second), (second, first)):
        made = link(*given_order, *(tally(f"r{n}", failures=n) for n in range(1, 8)))
        assert (made.best, made.rivals[0], len(made.rivals), made.resolutions) == (first, second, 5, 9)


@given(st.lists(st.text("abc_+", min_size=1), min_size=2, max_size=2, unique=True))
def test_a_name_gives_its_tags_back(tags: list[str]) -> None:
    assert (
        outcome.split_key(outcome.link_key(*tags))
        == outcome.split_key(outcome.link_key(*reversed(tags)))
        == tuple(sorted(tags))
    )


@each_row("key", ["", "cron", "cron+disk", "disk + cron", "cron + cron", " + cron", "a + b + c"])
def test_what_is_no_name_of_a_link_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="is not the name of a link"):
        outcome.split_key(key)


@from_corpus("domain-outcome")
def test_a_resolution_was_shown_by_its_name_or_by_a_link_of_the_outcomes_tags(
    shown: str, *, so: bool
) -> None:
    assert outcome.was_shown("set_zone", ("cron", "mail", "time_zone"), ["restart", shown]) is so
