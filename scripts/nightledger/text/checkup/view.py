"""An item of memory as the signs look at it: its text without markup, and where it stands.

Invariant: everything here is read off the item, its place and the given date; nothing
is looked up and no clock is read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from nightledger.text.checkup.units import Unit, UnitKind
from nightledger.text.checkup.words import has, tells
from nightledger.text.dates import FoundDate, find_dates
from nightledger.text.titles import carried

_MARKUP = re.compile(r"[*_`~]")
_LABEL = re.compile(r"^(?P<label>[^:：|]{1,48}?)\s?[:：](?!//)\s*(?P<value>.*)$", re.DOTALL)  # noqa: RUF001 - a colon of CJK text
_QUOTED = re.compile(
    r"`[^`\n]*`|\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|「[^」\n]{1,80}」|'[^'\n ][^'\n]{0,40}'(?!\w)"
)
_PATH = re.compile(r"(?<![\w/])(?:[~.]{0,2}/)?(?:[\w.-]{1,255}/){0,64}[\w-]{1,255}\.[a-z]\w{0,4}(?![\w.])")
"""A file, whose name says nothing about the item: ``notes/pending.md``. No name is longer (POSIX, NAME_MAX)."""
_LAST_ITEMS = 6
"""Items at the end of a file among which a footer is looked for."""
_REACH = 48
"""Characters before a date in which the word that it belongs to is looked for."""


class Heading:
    """A heading as the items below it look at it: what it says is read once, however many there are.

    Args:
        text: The heading, as it is carried.
        today: What dates without a year are near to.
    """

    def __init__(self, text: str, today: date) -> None:
        self.dates = find_dates(text, near=today)
        self.reports = has("report", text)
        self.lasts = has("lasting", text)
        self.is_of_now = has("now", text)
        self.waits = tells("waiting", text)
        rest = text
        for day in self.dates:
            rest = rest.replace(text[day.start : day.end], "")
        self.is_date_alone = bool(self.dates) and sum(map(str.isalnum, rest)) <= 3  # noqa: PLR2004 - a day's name at most


@dataclass(frozen=True, kw_only=True)
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
    is_last: bool
    today: date

    @property
    def text(self) -> str:
        """The item as it is written."""
        return self.unit.text

    @property
    def head(self) -> str:
        """The label; the text where there is none."""
        return self.label or self.plain

    @property
    def status(self) -> str:
        """What the last field of a decision block says became of it."""
        return self.unit.status

    @property
    def is_row(self) -> bool:
        """Whether it is a row of a table."""
        return self.unit.kind is UnitKind.ROW

    @property
    def is_ticked(self) -> bool:
        """Whether its box is ticked."""
        return self.unit.box == "x"

    @property
    def is_open(self) -> bool:
        """Whether its box is empty."""
        return self.unit.box == " "

    @cached_property
    def heading_dates(self) -> tuple[FoundDate, ...]:
        """The dates in the headings."""
        return tuple(day for heading in self.headings for day in heading.dates)

    @cached_property
    def lasts(self) -> bool:
        """Whether a heading announces something lasting."""
        return any(heading.lasts for heading in self.headings)

    @cached_property
    def reports(self) -> bool:
        """Whether a heading announces a report of one time and none something lasting."""
        return not self.lasts and any(heading.reports for heading in self.headings)

    @cached_property
    def past(self) -> tuple[FoundDate, ...]:
        """The dates before the check-up."""
        return tuple(day for day in self.dates if day.day < self.today)

    @property
    def all_past(self) -> bool:
        """Whether no date is to come."""
        return len(self.past) == len(self.dates)

    def before(self, day: FoundDate) -> str:
        """Return what stands before a date."""
        return self.plain[max(0, day.start - _REACH) : day.start]


def look(units: Sequence[Unit], today: date) -> Iterator[View]:
    """Yield the view of each unit, in order.

    Args:
        units: All items of one file.
        today: What dates without a year are near to, and what is past is before.
    """
    told: dict[str, Heading] = {}
    for index, unit in enumerate(units):
        above = unit.headings[1:] or unit.headings
        for heading in above:
            if heading not in told:
                told[heading] = Heading(carried(heading), today)
        plain = _MARKUP.sub("", unit.text).strip()
        found = _LABEL.match(plain)
        yield View(
            unit=unit,
            plain=plain,
            prose=_MARKUP.sub("", _PATH.sub("…", _QUOTED.sub(" ", unit.text))).strip(),
            label=found["label"].strip() if found else "",
            value=found["value"].strip() if found else plain,
            dates=find_dates(plain, near=today),
            headings=tuple(told[heading] for heading in above),
            is_last=index >= len(units) - _LAST_ITEMS,
            today=today,
        )
