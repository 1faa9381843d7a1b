"""Words of a query that tell a time, as days: ``last week``, ``in March``, ``seit Montag``, ``先週``.

What is read stands in ``config/words/time-words.json``: English, German, French, Spanish, some words of Italian,
Portuguese and Russian, and Chinese, Japanese and Korean. A query in any other language has its dates (of
``text/dates.py``) and otherwise no time. A named time is one that ended: ``in March``, asked in February, is last
year's.

Invariant: words that tell no time are left as they are, and days never lie after ``today``'s period
by guess: what the table does not hold is not a time.
"""

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from functools import cache

from msgspec import Struct, field

from nightledger.domain.words import folded

Days = tuple[date, date]
UNITS = {"day": 1, "week": 7, "month": 30, "year": 365}
"""Days of a unit; of a month and a year only how wide the guess is."""
TOLD_LATER = timedelta(days=14)
"""What happened is told of for so long. Measured: docs/decisions/0022-ranking.md."""
_SIDE_CHARACTERS = 40
"""How far before a time the word that bounds it may begin; blanks are not sought through a whole text."""
_POSSESSIVE = re.compile(r"\A['\u2019]s\b", re.IGNORECASE)


class TimeRule(Struct, frozen=True, kw_only=True):
    """One way of telling a time.

    Attributes:
        kind: How its days are counted: a key of ``_DAYS``.
        says: Regular expression; ``{numbers}`` and the like stand for the words of that table.
        sided: Whether it is a time only behind a word such as ``in``, or with a year.
        unit: Of a period, where the words do not name it.
        back: How many periods ago; this one is 0.
        wide: Whether it is written without blanks: Chinese, Japanese, Korean.
    """

    kind: str
    says: str
    sided: bool = False
    unit: str = ""
    back: int = 0
    wide: bool = False


class TimeWords(Struct, frozen=True, eq=False, kw_only=True):
    """The words that tell times; each list is of words with blanks between.

    Attributes:
        numbers: What each number's word counts.
        wide_numbers: The same, written without blanks around them.
        units: Words for day, week, month and year.
        wide_units: The same, written without blanks around them.
        weekdays: Names of each, from Monday on.
        seasons: First month of each on the northern half of the earth.
        parts: Which third of a month.
        last_year: Names of the year before this one.
        before: What bounds a time and stands before it: groups ``since``, ``after``, ``until``, ``before``, ``within``.
        behind: The same behind it.
        both: What stands before two dates.
        joined: What stands between two dates that belong together.
        rules: How times are told, in the order in which they are tried.
        months: Names of months, as ``words.folded`` writes them, with their numbers (``text/dates.py``).
    """

    numbers: Mapping[str, int]
    wide_numbers: Mapping[str, int]
    units: Mapping[str, str]
    wide_units: Mapping[str, str]
    weekdays: tuple[str, ...]
    seasons: Mapping[str, int]
    parts: Mapping[str, int]
    last_year: str
    before: str
    behind: str
    both: str
    joined: str
    rules: tuple[TimeRule, ...]
    months: Mapping[str, int] = field(default_factory=dict)


class Times(Struct, frozen=True, kw_only=True):
    """The time that a query tells.

    Attributes:
        since: First day; None is unbounded.
        until: Last day, included; None is unbounded.
        said: The words that told it, as they stand; "" where none did.
        rest: The query without them.
    """

    since: date | None = None
    until: date | None = None
    said: str = ""
    rest: str = ""

    @property
    def bounded(self) -> bool:
        """Whether days were told."""
        return self.since is not None or self.until is not None

    @property
    def told_until(self) -> date | None:
        """The last day on which it may be told of: what happened is told of later."""
        if self.until is None:
            return None
        return self.until + min(TOLD_LATER, date.max - self.until)

    def holds(self, day: date) -> bool:
        """Tell whether a log of that day may tell of it: it lies in it, or soon after."""
        until = self.told_until
        return (self.since is None or day >= self.since) and (until is None or day <= until)

    def is_later(self, day: date) -> bool:
        """Tell whether a day lies behind the time."""
        return self.until is not None and day > self.until


def read_times(
    text: str, *, today: date, words: TimeWords, dates: Mapping[tuple[int, int], date] | None = None
) -> Times:
    """Read what time a query asks about.

    Args:
        text: The query.
        today: The day it is asked on, in the home's zone.
        words: The words that tell times.
        dates: Whole dates that were found in the text, by where each begins and ends.

    Returns:
        Bounds of the first time told; a second one is read only as the other end (``from … to …``).
    """
    return _dated(text, dates or {}, words) or _told(text, today, words) or Times(rest=text)


def _dated(text: str, dates: Mapping[tuple[int, int], date], words: TimeWords) -> Times | None:
    places = sorted(dates.items())[:2]
    if not places:
        return None
    (start, end), first = places[0]
    between = text[end : places[1][0][0]] if len(places) > 1 else ""
    if not between or not _pattern(words.joined).fullmatch(between):
        return _sided(text, start, end, (first, first), words)
    last = places[1][1]
    before = _pattern(words.both).search(text[:start], max(0, start - _SIDE_CHARACTERS))
    begin = before.start() if before else start
    return _times(text, begin, places[1][0][1], (min(first, last), max(first, last)))


def _told(text: str, today: date, words: TimeWords) -> Times | None:
    ascii_only = text.isascii()
    for rule, pattern in _rules(words):
        if rule.wide and ascii_only:
            continue
        for match in pattern.finditer(text):
            start = match.start("day") if "day" in pattern.groupindex else match.start()
            if rule.sided and not (rule.kind == "month" and match["year"]) and not _side(text, start, words):
                continue
            return _sided(text, start, match.end(), _DAYS[rule.kind](rule, match, today, words), words)
    return None


def _side(text: str, at: int, words: TimeWords) -> re.Match[str] | None:
    return _pattern(words.before).search(text, max(0, at - _SIDE_CHARACTERS), at)


def _sided(text: str, start: int, end: int, days: Days, words: TimeWords) -> Times:
    """Bound a time by the word that stands before it or behind it; without one it is the time itself."""
    behind = None if text.isascii() else _pattern(words.behind).match(text, end)
    if behind:
        end = behind.end()
        if behind.lastgroup != "within":
            return _times(text, start, end, _bounds(behind.lastgroup, days))
    before = _side(text, start, words)
    return _times(
        text, before.start() if before else start, end, _bounds(before.lastgroup if before else None, days)
    )


def _bounds(side: str | None, days: Days) -> tuple[date | None, date | None]:
    first, last = days
    match side:
        case "since":
            return first, None
        case "after":
            return last + timedelta(days=1), None
        case "until":
            return None, last
        case "before":
            return None, first - timedelta(days=1)
        case _:
            return days


def _times(text: str, start: int, end: int, days: tuple[date | None, date | None]) -> Times:
    rest = f"{text[:start]} {_POSSESSIVE.sub('', text[end:])}"
    return Times(since=days[0], until=days[1], said=" ".join(text[start:end].split()), rest=rest)


@cache
def _pattern(says: str) -> re.Pattern[str]:
    return re.compile(says, re.IGNORECASE)


@cache
def _rules(words: TimeWords) -> tuple[tuple[TimeRule, re.Pattern[str]], ...]:
    tables = {
        "{months}": (*words.months, *words.seasons),
        "{weekdays}": [name for names in words.weekdays for name in names.split()[:4]],
        "{numbers}": words.numbers,
        "{wide_numbers}": words.wide_numbers,
        "{units}": " ".join(words.units.values()).split(),
        "{wide_units}": " ".join(words.wide_units.values()).split(),
    }
    found = []
    for rule in words.rules:
        says = rule.says
        for name, table in tables.items():
            if name in says:
                longest = sorted(map(re.escape, table), key=len, reverse=True)
                says = says.replace(name, "|".join(longest))
        found.append((rule, _pattern(says)))
    return tuple(found)


# ------------------------------------------------------------ how the days of a time are counted
def _within(rule: TimeRule, match: re.Match[str], today: date, words: TimeWords) -> Days:
    return today - timedelta(days=_number(match, words) * UNITS[_unit(rule, match, words)]), today


def _ago(rule: TimeRule, match: re.Match[str], today: date, words: TimeWords) -> Days:
    """Give the days that ``3 weeks ago`` may mean: the day, the week, the month, the year."""
    number, unit = _number(match, words), _unit(rule, match, words)
    if unit in ("month", "year"):
        return _back(today, unit, number)
    middle, beside = today - timedelta(days=number * UNITS[unit]), timedelta(days=UNITS[unit] // 2)
    return middle - beside, middle + beside


def _period(rule: TimeRule, match: re.Match[str], today: date, words: TimeWords) -> Days:
    first, last = _back(today, rule.unit, rule.back)
    inner = match.groupdict()
    if inner.get("end"):
        return first + timedelta(days=5), first + timedelta(days=6)
    if inner.get("letter"):
        return (first + timedelta(days=_weekday_of(inner["letter"][0], words)),) * 2
    return first, last


def _month(_rule: TimeRule, match: re.Match[str], today: date, words: TimeWords) -> Days:
    name, named = folded(match["month"]), match.groupdict()
    number = words.seasons.get(name) or words.months.get(name) or words.wide_numbers.get(name) or int(name)
    year = today.year - (number > today.month)  # named without one: the one that has begun last
    if named["year"]:
        year = int(named["year"])
    elif named.get("named"):
        year = today.year - (named["named"] in words.last_year.split())
    first = date(year, number, 1)
    last = _add_months(first, 3 if name in words.seasons else 1) - timedelta(days=1)
    third = (last - first + timedelta(days=1)) // 3
    whole = (first, last)
    parts = {1: (first, first + third), 2: (first + third, last - third), 3: (last - third, last)}
    return parts.get(words.parts.get(folded(named["part"] or ""), 0), whole)


def _year(_rule: TimeRule, match: re.Match[str], _today: date, _words: TimeWords) -> Days:
    return date(int(match["year"]), 1, 1), date(int(match["year"]), 12, 31)


def _weekend(_rule: TimeRule, _match: re.Match[str], today: date, _words: TimeWords) -> Days:
    saturday = today - timedelta(days=(today.weekday() - 5) % 7)
    return saturday, saturday + timedelta(days=1)


def _weekday(_rule: TimeRule, match: re.Match[str], today: date, words: TimeWords) -> Days:
    """Give the last such day before today."""
    number = _weekday_of(match.groupdict().get("day") or match["letter"], words)
    return (today - timedelta(days=(today.weekday() - number) % 7 or 7),) * 2


_DAYS: Mapping[str, Callable[[TimeRule, re.Match[str], date, TimeWords], Days]] = {
    "within": _within,
    "ago": _ago,
    "period": _period,
    "month": _month,
    "year": _year,
    "weekend": _weekend,
    "weekday": _weekday,
}


def _back(today: date, unit: str, back: int) -> Days:
    """Give the first and the last day of the period that lies so many back; one that is still running ends today."""
    if unit == "day":
        first = last = today - timedelta(days=back)
    elif unit == "week":  # Monday to Sunday
        first = today - timedelta(days=today.weekday() + 7 * back)
        last = first + timedelta(days=6)
    elif unit == "month":
        first = _add_months(today, -back)
        last = _add_months(first, 1) - timedelta(days=1)
    else:
        first, last = date(today.year - back, 1, 1), date(today.year - back, 12, 31)
    return first, min(last, today)


def _add_months(day: date, months: int) -> date:
    """Give the first day of the month so many later than that of a day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(max(year, 1), month + 1, 1)


def _number(match: re.Match[str], words: TimeWords) -> int:
    word = folded(match["n"])
    return int(word) if word.isdigit() else {**words.wide_numbers, **words.numbers}[word]


def _unit(rule: TimeRule, match: re.Match[str], words: TimeWords) -> str:
    word = folded(match.groupdict().get("unit") or "")
    named = (
        unit for units in (words.units, words.wide_units) for unit in UNITS if word in units[unit].split()
    )
    return next(named) if word else rule.unit


def _weekday_of(name: str, words: TimeWords) -> int:
    return next(n for n, names in enumerate(words.weekdays) if folded(name) in names.split())
