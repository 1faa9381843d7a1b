"""Words of a query that tell a time, as days: ``last week``, ``in March``, ``seit Montag``, ``before the move``.

Read are English, German, French, Spanish, some words of Italian, Portuguese and Russian, and Chinese, Japanese and Korean
(``east_asian_times.py``); a query in any other language has its dates (of ``text/dates.py``) and otherwise
no time. A named time is one that ended: ``in March``, asked in February, is last year's.

Invariant: words that tell no time are left as they are, and days never lie after ``today``'s period
by guess: what a table does not hold is not a time.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from nightledger.domain.search.days import (
    DAY,
    MONTH,
    WEEK,
    YEAR,
    ago,
    month_of,
    period,
    weekday_before,
    year_of,
)
from nightledger.domain.search.east_asian_times import event_of, read_east_asian, side_after
from nightledger.domain.words import folded

_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "couple": 2,
    "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "un": 1, "une": 1, "deux": 2, "trois": 3,
    "una": 1, "dos": 2, "tres": 3,
}  # fmt: skip
_UNITS = {
    "day": 1, "days": 1, "tag": 1, "tage": 1, "tagen": 1, "jour": 1, "jours": 1, "día": 1, "días": 1,
    "week": 7, "weeks": 7, "woche": 7, "wochen": 7, "semaine": 7, "semaines": 7, "semana": 7, "semanas": 7,
    "month": 30, "months": 30, "monat": 30, "monate": 30, "monaten": 30, "mois": 30, "mes": 30, "meses": 30,
    "year": 365, "years": 365, "jahr": 365, "jahre": 365, "jahren": 365, "an": 365, "ans": 365, "année": 365,
    "año": 365, "años": 365,
}  # fmt: skip
"""Days of a unit; of a month and a year only how wide the guess is."""
_WEEKDAYS = (
    "monday montag lundi lunes",
    "tuesday dienstag mardi martes",
    "wednesday mittwoch mercredi miércoles",
    "thursday donnerstag jeudi jueves",
    "friday freitag vendredi viernes",
    "saturday samstag samedi sábado",
    "sunday sonntag dimanche domingo",
)
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""First month of each on the northern half of the earth."""
_PARTS = {"early": 1, "mid": 2, "late": 3}
TOLD_LATER = timedelta(days=14)
"""What happened is told of for so long. Measured: docs/decisions/0022-ranking.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """A time that only what happened tells: ``before the move``.

    Attributes:
        side: ``before`` or ``after``.
        event: The words that name it, to be searched for: its day is the best hit's.
    """

    side: str
    event: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The time that a query tells.

    Attributes:
        since: First day; None is unbounded.
        until: Last day, included; None is unbounded.
        said: The words that told it, as they stand; "" where none did.
        rest: The query without them.
        anchor: What bounds the time by an event.
    """

    since: date | None = None
    until: date | None = None
    said: str = ""
    rest: str = ""
    anchor: Anchor | None = None

    @property
    def bounded(self) -> bool:
        """Whether days were told."""
        return self.since is not None or self.until is not None

    @property
    def told_until(self) -> date | None:
        """The last day on which it may be told of: what happened is told of later, but an event's own day is a bound."""
        return self.until if self.until is None or self.anchor is not None else _later(self.until)

    def holds(self, day: date) -> bool:
        """Tell whether a log of that day may tell of it: it lies in it, or soon after."""
        until = self.told_until
        return (self.since is None or day >= self.since) and (until is None or day <= until)

    def is_later(self, day: date) -> bool:
        """Tell whether a day lies behind the time."""
        return self.until is not None and day > self.until


def read_times(
    text: str, *, today: date, months: Mapping[str, int], dates: Mapping[tuple[int, int], date] | None = None
) -> Times:
    """Read what time a query asks about.

    Args:
        text: The query.
        today: The day it is asked on, in the home's zone.
        months: Names of months, as ``words.folded`` writes them, with their numbers (``text/dates.py``).
        dates: Whole dates that were found in the text, by where each begins and ends.

    Returns:
        Bounds of the first time told; a second one is read only as the other end (``from … to …``).
    """
    for found in (
        _dated(text, dates or {}),
        _named(text, today, months),
        _relative(text, today),
        _east_asian(text, today),
    ):
        if found:
            return found
    return _anchored(text)


_SINCE = r"since|after|seit|nach|depuis|après|desde"
_UNTIL = r"before|until|till|by|vor|bis|avant|jusqu'en|antes\s+de|hasta"
_IN = r"in|during|im|en|on|am|le|el|of|last|early|mid|late|this|around|letzten|letzter|depuis"
_SIDE = re.compile(
    rf"\b(?:(?P<since>{_SINCE})|(?P<until>{_UNTIL})|(?P<within>{_IN}))\s+(?:the\s+)?$", re.IGNORECASE
)


_BOTH = re.compile(r"\b(?:between|from|zwischen|von|vom|entre|de|du|desde)\s+(?:the\s+)?$", re.IGNORECASE)
"""Stands before two dates, and is no word to be looked for."""


_SIDE_CHARACTERS = 40
"""How far before a time its side may stand, blanks included: all that is before would be read for each month."""


def _side(text: str, at: int) -> tuple[re.Match[str], int] | None:
    """Give the word before a place that says how it bounds, and where that begins."""
    start = max(0, at - _SIDE_CHARACTERS)
    match = _SIDE.search(text[start:at])
    return (match, start + match.start()) if match else None


def _dated(text: str, dates: Mapping[tuple[int, int], date]) -> Times | None:
    """Read whole dates: one is a day or a bound, two are both ends."""
    places = sorted(dates.items())[:2]
    if not places:
        return None
    (start, end), first = places[0]
    joined = len(places) > 1 and re.fullmatch(
        r"\s*(?:to|and|until|till|-|\u2013|bis|und|au|et|a|y|hasta|[\u5230\u81f3\u548c~\u301c]|\u304b\u3089|\ubd80\ud130)\s*",
        text[end : places[1][0][0]],
        re.IGNORECASE,
    )
    if joined:
        end, last = places[1][0][1], places[1][1]
        before = _BOTH.search(text[:start], max(0, start - _SIDE_CHARACTERS))
        begin = before.start() if before else start
        return _times(text, begin, end, (min(first, last), max(first, last)))
    return _sided(text, start, end, (first, first))


def _named(text: str, today: date, months: Mapping[str, int]) -> Times | None:
    """Read a month, a season or a year by its name."""
    names = "|".join(sorted(map(re.escape, months), key=len, reverse=True))
    seasons = "|".join(_SEASONS)
    month = re.compile(
        rf"\b(?:(?P<part>early|mid|late)[\s-]+)?(?P<month>{names}|{seasons})\b\.?"
        rf"(?:,?\s+(?:of\s+|de\s+|von\s+)?(?P<year>(?:19|20)\d\d)\b)?",
        re.IGNORECASE,
    )
    for match in month.finditer(text):
        if match["year"] or _side(text, match.start()):
            return _sided(text, match.start(), match.end(), _month(match, today, months))
    year = re.search(r"\b(?:19|20)\d\d\b(?![-/.:]\d)", text)
    if year and _side(text, year.start()):
        number = int(year[0])
        return _sided(text, year.start(), year.end(), (date(number, 1, 1), date(number, 12, 31)))
    return None


def _month(match: re.Match[str], today: date, months: Mapping[str, int]) -> tuple[date, date]:
    name = folded(match["month"])
    number, width = (_SEASONS[name], 3) if name in _SEASONS else (months[name], 1)
    year = int(match["year"]) if match["year"] else year_of(number, today)
    return month_of(year, number, _PARTS.get(folded(match["part"] or ""), 0), width=width)


def _east_asian(text: str, today: date) -> Times | None:
    told = read_east_asian(text, today)
    return None if told is None else _sided(text, told.start, told.end, told.days)


_AGO = re.compile(
    r"\b(?P<n>\d{1,3}|NUMBERS)(?:\s+of)?\s+(?P<unit>UNITS)\s+ago\b"
    r"|\b(?:vor|il y a|hace)\s+(?P<n2>\d{1,3}|NUMBERS)\s+(?P<unit2>UNITS)\b".replace(
        "NUMBERS", "|".join(_NUMBERS)
    ).replace("UNITS", "|".join(_UNITS)),
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:in|over|during|within)?\s*(?:the\s+)?(?:last|past|letzten|derniers|dernières|últimos|últimas)\s+"
    r"(?P<n>\d{1,3}|NUMBERS)(?:\s+of)?\s+(?P<unit>UNITS)\b".replace("NUMBERS", "|".join(_NUMBERS)).replace(
        "UNITS", "|".join(_UNITS)
    ),
    re.IGNORECASE,
)
_WORDS: tuple[tuple[str, int, int], ...] = (
    (
        r"(?:the\s+)?day before yesterday|vorgestern|avant-hier|anteayer|позавчера|anteontem|l'altro ieri",
        DAY,
        2,
    ),
    (r"yesterday|last night|gestern|hier|ayer|ieri|ontem|вчера", DAY, 1),
    (r"today|tonight|this (?:morning|afternoon|evening)|heute|aujourd'hui|hoy|сегодня", DAY, 0),
    (
        (
            r"(?:the\s+)?(?:last|previous) week|(?:letzte|vorige|vergangene)[nr]? woche|"
            r"(?:на )?прошлой неделе|(?:la )?settimana scorsa|semana passada|(?:la )?semaine (?:dernière|passée)|(?:la )?semana pasada"
        ),
        WEEK,
        1,
    ),
    (r"this week|diese[r]? woche|cette semaine|esta semana", WEEK, 0),
    (
        (
            r"(?:the\s+)?(?:last|previous) month|(?:letzte|vorige|vergangene)[nr]? monat|"
            r"(?:в )?прошлом месяце|(?:il )?mese scorso|(?:o )?mês passado|(?:le )?mois (?:dernier|passé)|(?:el )?mes pasado"
        ),
        MONTH,
        1,
    ),
    (r"this month|diese[nr]? monat|ce mois-ci|este mes", MONTH, 0),
    (
        (
            r"(?:the\s+)?(?:last|previous) year|(?:letzte|vorige|vergangene)[sn]? jahr|"
            r"(?:в )?прошлом году|(?:l')?anno scorso|(?:o )?ano passado|(?:l')?an dernier|(?:l')?année dernière|(?:el )?año pasado"
        ),
        YEAR,
        1,
    ),
    (r"this year|dieses jahr|cette année|este año", YEAR, 0),
)
"""What says it, the period, and how many of them back."""
_NAMED_DAY = re.compile(
    rf"\b(?:(?:on|last|am|letzten)\s+)(?P<day>{'|'.join(_WEEKDAYS).replace(' ', '|')})\b"
    rf"|\b(?P<day2>{'|'.join(names.split()[2] for names in _WEEKDAYS)}) dernier\b"
    rf"|\bel (?P<day3>{'|'.join(names.split()[3] for names in _WEEKDAYS)})(?: pasado)?\b"
    rf"|\b(?:{_SINCE}|{_UNTIL})\s+(?P<day4>{'|'.join(_WEEKDAYS).replace(' ', '|')})\b",
    re.IGNORECASE,
)
_WEEKEND = re.compile(r"\b(?:last|this|the) weekend\b|\bletztes wochenende\b", re.IGNORECASE)


def _relative(text: str, today: date) -> Times | None:
    """Read a time that is counted from today."""
    if match := _WITHIN.search(text):
        wide = timedelta(days=_number(match["n"]) * _UNITS[folded(match["unit"])])
        return _times(text, match.start(), match.end(), (today - wide, today))
    if match := _AGO.search(text):
        unit = _UNITS[folded(match["unit"] or match["unit2"])]
        days = ago(today, _number(match["n"] or match["n2"]), unit)
        return _sided(text, match.start(), match.end(), days)
    for words, unit, back in _WORDS:
        if match := re.search(rf"(?<!\w)(?:{words})(?!\w)", text, re.IGNORECASE):
            return _sided(text, match.start(), match.end(), period(today, unit, back))
    if match := _WEEKEND.search(text):
        saturday = today - timedelta(days=(today.weekday() - 5) % 7)
        return _times(text, match.start(), match.end(), (saturday, saturday + timedelta(days=1)))
    return _weekday(text, today)


def _weekday(text: str, today: date) -> Times | None:
    match = _NAMED_DAY.search(text)
    if match is None:
        return None
    name, place = next((value, match.start(key)) for key, value in match.groupdict().items() if value)
    number = next(n for n, names in enumerate(_WEEKDAYS) if folded(name) in names.split())
    day = weekday_before(today, number)
    return _sided(text, place, match.end(), (day, day))


def _sided(text: str, start: int, end: int, days: tuple[date, date]) -> Times:
    """Bound a time by the word before it: ``since``, ``before``, or the days themselves."""
    if not text.isascii():
        said, end = side_after(text, end)
        if said:
            return _times(text, start, end, _bounds(said, days))
    found = _side(text, start)
    if found is None:
        return _times(text, start, end, days)
    match, begin = found
    said = ""
    if match["since"]:
        said = "after" if folded(match["since"]) in ("after", "nach", "après") else "since"
    elif match["until"]:
        whole = folded(match["until"]) in ("until", "till", "by", "bis", "hasta", "jusqu'en")
        said = "until" if whole else "before"
    return _times(text, begin, end, _bounds(said, days))


def _bounds(side: str, days: tuple[date, date]) -> tuple[date | None, date | None]:
    """Give what a side makes of days: ``since``, ``after``, ``until``, ``before``, or "" for the days themselves."""
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


_POSSESSIVE = re.compile("\\A['\u2019]s\\b", re.IGNORECASE)


def _times(text: str, start: int, end: int, days: tuple[date | None, date | None]) -> Times:
    rest = f"{text[:start]} {_POSSESSIVE.sub('', text[end:])}"
    return Times(since=days[0], until=days[1], said=" ".join(text[start:end].split()), rest=rest)


_EVENT = re.compile(
    r"\b(?P<side>before|after|since|until|vor|nach|seit|avant|après|antes de|después de)\s+"
    r"(?P<event>(?:the|our|my|her|his|their|its|we|they|he|she|i|der|dem|die|das|den|unser\w*|le|la|les|l'|el|los|las)\b"
    r"[^?.!,;:]{2,60}|(?:(?-i:[A-Z\u00c0-\u00de])\w*|\w+['\u2019]s|\w{2,}ing)\b[^?.!,;:]{0,60})",
    re.IGNORECASE,
)
"""An article, a pronoun, a name or a verb begins it: ``before the move``, ``after Ada left``, ``since moving``."""


def _anchored(text: str) -> Times:
    """Read a time that an event bounds; the event's words stay words of the query."""
    match = _EVENT.search(text)
    if match is None:
        told = None if text.isascii() else event_of(text)
        anchor = Anchor(side=told[0], event=told[1]) if told else None
        return Times(rest=text, anchor=anchor, said=told[2] if told else "")
    early = folded(match["side"]) in ("before", "until", "vor", "avant", "antes de")
    event = " ".join(match["event"].split())
    anchor = Anchor(side="before" if early else "after", event=event)
    return Times(said=" ".join(match[0].split()), rest=text, anchor=anchor)


def bound_by(times: Times, day: date | None) -> Times:
    """Give the times with an anchor's day as the bound; unchanged where nobody knows the day.

    The day itself counts on both sides: what is told of the day of a move may be of before it or after.
    """
    if times.anchor is None or day is None:
        return times
    since, until = (None, day) if times.anchor.side == "before" else (day, None)
    return Times(since=since, until=until, said=times.said, rest=times.rest, anchor=times.anchor)


def _later(day: date) -> date:
    return day + TOLD_LATER if day < date.max - TOLD_LATER else date.max


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[folded(word)]
