import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.links import (
    HALF_LIFE_ACTIVE_DAYS,
    SHOWN_FROM,
    confidence,
    confidence_of,
    decayed,
    evidence,
    least_evidence,
)

counts = st.integers(0, 10_000)


def test_three_successes_alone_are_the_published_example_to_four_decimals() -> None:
    assert confidence(3, 0) == 0.85


def test_confidence_has_no_overflow_at_either_end() -> None:
    assert confidence_of(-(10**9)) == 0.0
    assert confidence_of(10**9) == 0.98


@given(counts, counts)
def test_a_failure_takes_back_more_than_a_success_gives(successes: int, failures: int) -> None:
    assert evidence(successes + 1, failures + 1) < evidence(successes, failures)
    assert evidence(successes + 2, failures + 1) == evidence(successes, failures)


@given(counts, counts)
def test_all_that_was_shown_confirms_once_at_most(successes: int, shown: int) -> None:
    found = evidence(successes + shown, 0, shown_successes=shown)
    assert found == successes + min(1, shown)


def test_what_was_shown_and_failed_counts_in_full_against_it() -> None:
    assert evidence(3, 2, shown_failures=2) == 3 - 4
    assert evidence(12, 1, shown_successes=9, shown_failures=1) == 3 + 1  # nine to one still stands for it


def test_the_least_evidence_that_is_shown_is_three() -> None:
    assert least_evidence(SHOWN_FROM) == 3
    assert least_evidence(0.85) == 3
    assert confidence_of(least_evidence(0.9)) >= 0.9 > confidence_of(least_evidence(0.9) - 1)


@pytest.mark.parametrize(
    ("idle_days", "left"), [(0, 0.85), (25, 0.7011), (26, 0.6958), (HALF_LIFE_ACTIVE_DAYS, 0.425)]
)
def test_confidence_fades_by_active_days(idle_days: int, left: float) -> None:
    assert decayed(0.85, idle_days) == left
