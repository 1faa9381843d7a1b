"""Days of periods that are counted back from a day: yesterday, last week, three months ago.

Invariant: a period that is still running ends with the day it is counted from.
"""

from datetime import date, timedelta

DAY, WEEK, MONTH, YEAR = 1, 7, 30, 365
"""Days of a unit; of a month and a year only how wide a guess is."""


def period(today: date, unit: int, back: int) -> tuple[date, date]:
    """Give the first and the last day of the period that lies so many back; this one ends today.

    Args:
        today: What is counted from.
        unit: ``DAY``, ``WEEK`` (Monday to Sunday), ``MONTH`` or ``YEAR``.
        back: How many of them, 0 or more.
    """
    if unit == DAY:
        first = last = today - timedelta(days=back)
    elif unit == WEEK:
        first = today - timedelta(days=today.weekday() + 7 * back)
        last = first + timedelta(days=6)
    elif unit == MONTH:
        first = add_months(today, -back)
        last = add_months(first, 1) - timedelta(days=1)
    else:
        first, last = date(today.year - back, 1, 1), date(today.year - back, 12, 31)
    return first, min(last, today)


def ago(today: date, number: int, unit: int) -> tuple[date, date]:
    """Give the days that ``3 weeks ago`` may mean: the day, the week, the month, the year."""
    if unit in (DAY, WEEK):
        middle = today - timedelta(days=number * unit)
        return middle - timedelta(days=unit // 2), middle + timedelta(days=unit // 2)
    return period(today, unit, number)


def month_of(year: int, number: int, part: int, *, width: int = 1) -> tuple[date, date]:
    """Give the days of a month, or of so many from it on.

    Args:
        year: Of the first month.
        number: The first month, from 1.
        part: 1, 2, 3 for its first, second and last third; 0 for all of it.
        width: How many months.
    """
    first = date(year, number, 1)
    last = add_months(first, width) - timedelta(days=1)
    third = (last - first + timedelta(days=1)) // 3
    match part:
        case 1:
            return first, first + third
        case 2:
            return first + third, last - third
        case 3:
            return last - third, last
        case _:
            return first, last


def year_of(number: int, today: date) -> int:
    """Give the year of a month that is named without one: the one that has begun last."""
    return today.year - (number > today.month)


def weekday_before(today: date, number: int) -> date:
    """Give the last such day before today, Monday being 0."""
    return today - timedelta(days=(today.weekday() - number) % 7 or 7)


def add_months(day: date, months: int) -> date:
    """Give the first day of the month so many later than that of a day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(max(year, 1), month + 1, 1)
