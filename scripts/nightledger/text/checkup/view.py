"""An item of memory as the signs look at it: its text without markup, and where it stands.

Invariant: everything here is read off the item, its place and the given date; nothing
is looked up and no clock is read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from nightledger.text.checkup.units import Unit
from nightledger.text.checkup.words import has, is_heading, tells
from nightledger.text.dates import FoundDate, find_dates
from nightledger.text.titles import carried

_MARKUP = re.compile(r"[*_`~]")
_LABEL = re.compile(r"^(?P<label>[^:：|]{1,48}?)\s?[:：](?!//)\s*(?P<value>.*)$", re.DOTALL)  # noqa: RUF001 - a colon of CJK text
_QUOTED = re.compile(
    r"`[^`\n]*`|\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|「[^」\n]{1,80}」|'[^'\n ][^'\n]{0,40}'(?!\w)"
)
_PATH = re.compile(r"(?<![\w/])(?:[~.]{0,2}/)?(?:[\w.-]{1,255}/){0,64}[\w-]{1,255}\.[a-z]\w{0,4}(?![\w.])")
"""A file, whose name says nothing about the item: ``notes/pending.md``. No name is longer (POSIX, NAME_MAX)."""
LAST_ITEMS = 6
"""Items at the end of a file among which a footer is looked for."""


class Heading:
    """A heading as the items below it look at it: what it says is read once, however many there are.

    Args:
        text: The heading, as it is carried.
        today: What dates without a year are near to.
    """

    def __init__(self, text: str, today: date) -> None:
        self.text = text
        self._today = today

    @cached_property
    def dates(self) -> tuple[FoundDate, ...]:
        """The dates in it."""
        return find_dates(self.text, near=self._today)

    @cached_property
    def reports(self) -> bool:
        """Whether it announces a report of one time."""
        return is_heading("report", self.text)

    @cached_property
    def lasts(self) -> bool:
        """Whether it announces something lasting."""
        return is_heading("lasting", self.text)

    @cached_property
    def is_of_now(self) -> bool:
        """Whether it speaks of its own day."""
        return has("now", self.text)

    @cached_property
    def waits(self) -> bool:
        """Whether it says that what stands under it waits."""
        return tells("waiting", self.text)

    @cached_property
    def is_date_alone(self) -> bool:
        """Whether it is a date, with a day's name at most."""
        rest = self.text
        for day in self.dates:
            rest = rest.replace(self.text[day.start : day.end], "")
        return bool(self.dates) and sum(map(str.isalnum, rest)) <= 3  # noqa: PLR2004 - a day's name at most


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One item and its surroundings.

    Attributes:
        unit: The item.
        plain: Its text without emphasis and backticks.
        prose: Its text without code, quotations and names of files, which say nothing about the item itself.
        label: What stands before the first colon; empty where there is none.
        value: What stands after it; the whole text where there is no label.
        dates: The dates in the text.
        headings: The headings above, without the title of the file.
        heading_dates: The dates in them.
        reports: Whether a heading announces a report of one time and none something lasting.
        lasts: Whether a heading announces something lasting.
        is_last: Whether it is among the last items of the file.
        today: The date of the check-up.
    """

    unit: Unit
    plain: str
    prose: str
    label: str
    value: str
    dates: tuple[FoundDate, ...]
    headings: tuple[Heading, ...]
    heading_dates: tuple[FoundDate, ...]
    reports: bool
    lasts: bool
    is_last: bool
    today: date


def look(units: Sequence[Unit], today: date) -> Iterator[View]:
    """Give the view of each unit, in order.

    Args:
        units: All items of one file.
        today: What dates without a year are near to, and what is past is before.
    """
    told: dict[str, Heading] = {}
    for index, unit in enumerate(units):
        headings = tuple(
            told.get(heading) or told.setdefault(heading, Heading(carried(heading), today))
            for heading in unit.headings[1:] or unit.headings
        )
        plain = _MARKUP.sub("", unit.text).strip()
        found = _LABEL.match(plain)
        lasts = any(heading.lasts for heading in headings)
        yield View(
            unit=unit,
            plain=plain,
            prose=_MARKUP.sub("", _PATH.sub("…", _QUOTED.sub(" ", unit.text))).strip(),
            label=found["label"].strip() if found else "",
            value=found["value"].strip() if found else plain,
            dates=find_dates(plain, near=today),
            headings=headings,
            heading_dates=tuple(day for heading in headings for day in heading.dates),
            reports=not lasts and any(heading.reports for heading in headings),
            lasts=lasts,
            is_last=index >= len(units) - LAST_ITEMS,
            today=today,
        )
