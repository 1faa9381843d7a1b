from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.checkup.timing import FRESH_DAYS, duty_passed, has_ended, is_fresh, missed_deadline
from nightledger.text.checkup.units import read_units
from nightledger.text.checkup.view import View, look
from nightledger.text.markdown.document import parse_markdown

TODAY = date(2026, 5, 1)


def view(document: str) -> View:
    return list(look(read_units(parse_markdown(document)), TODAY))[-1]


@given(days=st.integers(min_value=-400, max_value=400))
def test_an_end_counts_from_the_day_after_it(days: int) -> None:
    day = TODAY - timedelta(days=days)
    assert has_ended(view(f"- Offer of the mill holds until {day}\n")) == (days > 0)
    assert duty_passed(view(f"- Plates must be ordered by {day}\n")) == (days > 0)


@given(days=st.integers(min_value=-40, max_value=40))
def test_what_waits_is_fresh_for_two_weeks(days: int) -> None:
    day = TODAY - timedelta(days=days)
    assert is_fresh(view(f"- lease pending ({day})\n")) == (0 <= days <= FRESH_DAYS)


def test_the_date_of_an_item_goes_before_that_of_its_heading() -> None:
    assert not is_fresh(view("## Plans (2026-04-28)\n- lease pending since 2026-01-04\n"))


def test_the_newest_of_several_dates_counts() -> None:
    assert is_fresh(view("- asked 2026-01-04, asked again 2026-04-28\n"))


def test_a_date_without_a_year_is_a_missed_deadline_and_no_end() -> None:
    item = view("- hall shut until 4 April\n")
    assert missed_deadline(item)
    assert not has_ended(item)


def test_a_later_date_in_the_same_item_speaks_for_it() -> None:
    assert not has_ended(view("- small press until 2026-04-01, red press until 2026-06-01\n"))


def test_a_past_span_between_two_dates_is_history() -> None:
    assert not has_ended(view("- hall shut 2026-03-01 until 2026-04-01\n"))
    assert has_ended(view("- asked 2026-03-01; hall shut until 2026-04-01\n"))
