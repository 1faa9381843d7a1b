from datetime import date

from tests.rows import each_row, from_corpus

from nightledger.text.dates import find_dates, time_words


@from_corpus("text-dates")
def test_dates_are_read_as_people_write_them_and_what_could_be_something_else_is_none(
    text: str, near: str | None, found: list[list[object]]
) -> None:
    """One without a year is the nearest."""
    dates = find_dates(text, near=date.fromisoformat(near) if near else None)
    assert [[f"{one.day}", one.exact] for one in dates] == found


@each_row("name", sorted(time_words().months))
def test_a_month_is_known_in_either_case_and_behind_blanks(name: str) -> None:
    number = time_words().months[name]
    for written in {name, name.capitalize(), name.upper()}:
        for text in (f"\t\t3 {written} 2026", f"\t\t{written} 3, 2026"):
            assert [found.day for found in find_dates(text)] == [date(2026, number, 3)], text
