from datetime import date

import pytest
from tests.rows import each_row

from nightledger.text.dates import find_dates, time_words

NEAR = date(2026, 5, 1)


@each_row(
    ("text", "day"),
    [
        ("on 2026-03-09 at noon", date(2026, 3, 9)),
        ("2026.03.09", date(2026, 3, 9)),
        ("March 9th, 2026", date(2026, 3, 9)),
        ("9 March 2026", date(2026, 3, 9)),
        ("9.3.2026", date(2026, 3, 9)),
        ("9 de marzo de 2026", date(2026, 3, 9)),
        ("9 марта 2026", date(2026, 3, 9)),
        ("2026年3月9日", date(2026, 3, 9)),
    ],
)
def test_dates_are_read_as_people_write_them(text: str, day: date) -> None:
    (found,) = find_dates(text)
    assert found.day == day
    assert found.exact


@pytest.mark.parametrize(
    "text", ["version 2026.3.13", "3/4/2026", "2026-13-01", "30 February 2026", "you may 5 times"]
)
def test_what_could_be_something_else_is_no_date(text: str) -> None:
    assert find_dates(text, near=NEAR) == ()


def test_a_date_without_a_year_is_the_nearest_one() -> None:
    assert [found.day for found in find_dates("Feb 25, 3月5日 and Dec 30", near=date(2026, 1, 10))] == [
        date(2026, 2, 25),
        date(2026, 3, 5),
        date(2025, 12, 30),
    ]


@each_row("name", sorted(time_words().months))
def test_a_month_is_known_in_either_case_and_behind_blanks(name: str) -> None:
    number = time_words().months[name]
    for written in {name, name.capitalize(), name.upper()}:
        for text in (f"\t\t3 {written} 2026", f"\t\t{written} 3, 2026"):
            assert [found.day for found in find_dates(text)] == [date(2026, number, 3)], text
