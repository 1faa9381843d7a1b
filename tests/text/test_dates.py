from datetime import date

import pytest
from tests.rows import each_row

from nightledger.text.dates import find_dates, first_day, month_names

NEAR = date(2026, 5, 1)


@each_row(
    ("text", "day"),
    [
        ("on 2026-03-09 at noon", date(2026, 3, 9)),
        ("2026/3/9", date(2026, 3, 9)),
        ("2026.03.09", date(2026, 3, 9)),
        ("March 9th, 2026", date(2026, 3, 9)),
        ("Mar. 9, 2026", date(2026, 3, 9)),
        ("9 March 2026", date(2026, 3, 9)),
        ("9. März 2026", date(2026, 3, 9)),
        ("9.3.2026", date(2026, 3, 9)),
        ("le 1er mai 2026", date(2026, 5, 1)),
        ("9 de marzo de 2026", date(2026, 3, 9)),
        ("9 de março de 2026", date(2026, 3, 9)),
        ("9 марта 2026", date(2026, 3, 9)),
        ("2026年3月9日", date(2026, 3, 9)),
        ("2026년 3월 9일", date(2026, 3, 9)),
    ],
)
def test_dates_are_read_as_people_write_them(text: str, day: date) -> None:
    (found,) = find_dates(text)
    assert found.day == day
    assert found.exact


@pytest.mark.parametrize(
    "text",
    [
        "version 2026.3.13",
        "3/4/2026",
        "2026-13-01",
        "30 February 2026",
        "you may 5 times",
        "12:30",
        "10.3.10.66",
        "1.2.3",
    ],
)
def test_what_could_be_something_else_is_no_date(text: str) -> None:
    assert find_dates(text, near=NEAR) == ()


def test_a_date_without_a_year_is_the_nearest_one() -> None:
    assert [found.day for found in find_dates("Feb 25, 3月5日 and Dec 30", near=date(2026, 1, 10))] == [
        date(2026, 2, 25),
        date(2026, 3, 5),
        date(2025, 12, 30),
    ]


def test_a_date_without_a_year_is_left_out_where_nothing_is_near() -> None:
    assert find_dates("March 5") == ()


def test_a_leap_day_is_found_in_a_leap_year_only() -> None:
    assert [found.day for found in find_dates("Feb 29", near=date(2028, 1, 1))] == [date(2028, 2, 29)]
    assert find_dates("Feb 29", near=date(2026, 1, 1)) == ()


def test_a_lower_case_month_counts_with_its_article() -> None:
    assert [found.day for found in find_dates("el 5 de mayo", near=NEAR)] == [date(2026, 5, 5)]


@pytest.mark.parametrize("text", ["5 MAYIS 2026", "5 May\u0131s 2026", "5 Mayis 2026", "5 MAYİS 2026"])
def test_an_i_is_one_with_its_dot_and_without(text: str) -> None:
    assert [found.day for found in find_dates(text)] == [date(2026, 5, 5)]


def test_the_place_of_a_date_is_given() -> None:
    text = "due 2026-03-09, done"
    (found,) = find_dates(text)
    assert text[found.start : found.end] == "2026-03-09"


@each_row("name", sorted(month_names()))
def test_a_month_is_known_in_either_case_and_behind_blanks(name: str) -> None:
    number = month_names()[name]
    for written in {name, name.capitalize(), name.upper()}:
        for text in (f"\t\t3 {written} 2026", f"\t\t{written} 3, 2026"):
            assert [found.day for found in find_dates(text)] == [date(2026, number, 3)], text


def test_a_long_run_of_tabs_holds_no_date_but_the_one_behind_it() -> None:
    assert find_dates("\t" * 1_000_000) == ()
    (found,) = find_dates("\t" * 100_000 + "March 5, 2026")
    assert found.start == 100_000


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on 2026-02-29 and 2026-02-28", date(2026, 2, 28)),
        ("no 2026-13-01", None),
        ("12026-02-03", None),
        ("", None),
    ],
)
def test_the_first_day_of_the_calendar_counts(text: str, day: date | None) -> None:
    assert first_day(text) == day
