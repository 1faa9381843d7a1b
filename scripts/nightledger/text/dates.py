"""Dates in prose, in the ways and languages that people and agents write them.

Invariant: only what cannot be read otherwise is a date: ``3/4/2026`` is none, because
half of the world reads it the other way round.
"""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.timewords import TimeWords
from nightledger.domain.words import folded
from nightledger.files.home import shipped_config
from nightledger.text.patterns import words

SHORT_NAME = 4
"""Letters up to which a month's name is also a word of some language."""
_DIGIT = re.compile(r"\d")
"""What every date holds, in every way of writing one."""
_ISO = re.compile(r"(?<!\d)(?:19|20)\d\d-\d\d-\d\d(?!\d)")
NEAR_DAYS = 183
"""A date without a year is taken for the nearest one: half a year at most from today."""


class FoundDate(Struct, frozen=True, kw_only=True):
    """A date in a text.

    Attributes:
        day: The date.
        start: First character, from 0.
        end: One past the last character.
        exact: Whether the year was written.
    """

    day: date
    start: int
    end: int
    exact: bool


def find_dates(text: str, *, near: date | None = None) -> tuple[FoundDate, ...]:
    """Give the dates in ``text``, in order of place.

    Args:
        text: Prose, any language.
        near: What dates without a year are near to; without it they are left out.
    """
    if not _DIGIT.search(text):
        return ()
    found: dict[int, FoundDate] = {}
    for match in _pattern().finditer(text):
        year, month, day = _parts(match)
        resolved = _resolve(year, month, day, near) if year or not _is_word(match[0]) else None
        if resolved:
            found[match.start()] = FoundDate(
                day=resolved, start=match.start(), end=match.end(), exact=year is not None
            )
    return tuple(found.values())


def first_day(text: str) -> date | None:
    """Return the first date of the form 2026-02-28 in a text; None where none is one of the calendar."""
    for match in _ISO.finditer(text):
        try:
            return date.fromisoformat(match[0])
        except ValueError:
            continue
    return None


@cache
def time_words() -> TimeWords:
    """Give the words of queries that tell a time (``config/words/time-words.json``), with the names of months."""
    words = msgspec.json.decode(shipped_config("words/time-words.json"), type=TimeWords)
    return replace(words, months=_names())


@cache
def _names() -> dict[str, int]:
    return {folded(name): int(number) for number, names in words("month-names").items() for name in names}


@cache
def _pattern() -> re.Pattern[str]:
    """A number or a name is looked for only where a digit or the first letter of a month stands."""
    month = "|".join(sorted(_names(), key=len, reverse=True))
    firsts = "".join(sorted({name[0] for name in _names()}))
    numbered = (
        r"(?<![\d/.-])(?P<y1>20\d\d)(?P<sep>[-/])(?P<m1>\d\d?)(?P=sep)(?P<d1>\d\d?)(?!\d)",
        r"(?<![\d/.-])(?P<y8>20\d\d)\.(?P<m8>\d\d)\.(?P<d8>\d\d)(?!\d)",
        r"(?P<y2>20\d\d)\s?年\s?(?P<m2>\d\d?)\s?月\s?(?P<d2>\d\d?)\s?[日号號]",
        r"(?P<y3>20\d\d)\s?년\s?(?P<m3>\d\d?)\s?월\s?(?P<d3>\d\d?)\s?일",
        r"(?<![\d.])(?P<d4>\d\d?)\.(?P<m4>\d\d?)\.(?P<y4>20\d\d)(?!\d)",
        rf"(?<![\w.:])(?P<d6>\d\d?)(?:st|nd|rd|th|\.|º|er)?\s(?:de\s|of\s)?(?P<n6>{month})\b\.?(?:,?\s(?:de\s)?(?P<y6>20\d\d)\b)?",
        r"(?<!\d)(?P<m7>\d\d?)月(?P<d7>\d\d?)[日号號]",
    )
    named = rf"(?P<n5>{month})\b\.?\s(?P<d5>\d\d?)(?:st|nd|rd|th)?\b(?:,?\s(?P<y5>20\d\d)\b)?(?!:\d)"
    return re.compile(rf"(?=\d)(?:{'|'.join(numbered)})|(?<![\w.])(?=[{firsts}]){named}", re.IGNORECASE)


def _is_word(text: str) -> bool:
    """A short lower-case name of a month ("may", "set", "mar") without a year may be any word."""
    names = re.findall(r"[^\W\d_]+", text)
    short = (name.islower() and len(name) <= SHORT_NAME and folded(name) in _names() for name in names)
    return any(short) and "de" not in names


def _parts(match: re.Match[str]) -> tuple[int | None, int, int]:
    groups = {key[0]: value for key, value in match.groupdict().items() if value and key != "sep"}
    month = int(groups["m"]) if "m" in groups else _names()[folded(groups["n"])]
    return (int(groups["y"]) if "y" in groups else None), month, int(groups["d"])


def _resolve(year: int | None, month: int, day: int, near: date | None) -> date | None:
    if year is not None:
        return next(_days([year], month, day), None)
    if near is None:
        return None
    years = (near.year - 1, near.year, near.year + 1)
    return next((found for found in _days(years, month, day) if abs((found - near).days) <= NEAR_DAYS), None)


def _days(years: list[int] | tuple[int, ...], month: int, day: int) -> Iterator[date]:
    for year in years:
        try:
            yield date(year, month, day)
        except ValueError:
            continue
