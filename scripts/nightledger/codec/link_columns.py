"""Rows of outcomes as columns of whole numbers: what both folds of links work on.

Invariant: names are numbered in the order of their first sight, and every name that has
a number passed its rule once. Adding a chunk adds all of its rows or raises and adds none.
"""

from array import array
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from hashlib import blake2b
from itertools import chain
from operator import add
from typing import cast

from nightledger.codec.link_layout import FAILURE, PARTIAL, RESOLUTION_SHIFT, RESULT_SHIFT, SUCCESS
from nightledger.codec.link_rows import (
    LinkRow,
    RowReader,
    find_problem,
    read_ids,
    read_resolution,
    read_tag_name,
)
from nightledger.domain.links import was_shown

_RESULTS = {
    "success": SUCCESS << RESULT_SHIFT,
    "partial": PARTIAL << RESULT_SHIFT,
    "failure": FAILURE << RESULT_SHIFT,
}
_MIXED = -1
_HOURS = 24


class Names(dict[str, int]):
    """Numbers for names, given in the order of first sight; a new name must pass its rule.

    Looking a name up raises the ``ValueError`` of the rule.
    """

    __slots__ = ("_read", "_step")

    def __init__(self, read: Callable[[str], str], step: int = 1) -> None:
        super().__init__()
        self._read = read
        self._step = step

    def __missing__(self, name: str) -> int:
        number = self[self._read(name)] = len(self) * self._step
        return number


class _Sessions(dict[str | int, int]):
    """Numbers for sessions: their names, or the log day where no session is given."""

    __slots__ = ()

    def __missing__(self, session: str | int) -> int:
        number = self[session] = len(self)
        return number


class _Days(dict[int, int]):
    """The log day of each UTC hour; ``_MIXED`` for an hour in which a day begins."""

    __slots__ = ("_zone",)

    def __init__(self, zone: tzinfo) -> None:
        super().__init__()
        self._zone = zone

    def __missing__(self, hour: int) -> int:
        day, clock = divmod(hour, _HOURS)
        start = datetime.fromordinal(day).replace(hour=clock, tzinfo=UTC)
        first, last = self.exact(start), self.exact(start.replace(minute=59, second=59))
        found = self[hour] = first if first == last else _MIXED
        return found

    def exact(self, at: datetime) -> int:
        try:
            return at.astimezone(self._zone).toordinal()
        except OverflowError as error:
            raise ValueError(f"the time {at.isoformat()} has no log day in the home's zone") from error


class Columns:
    """Records, one number in each column; the tags of all of them in one flat column.

    Attributes:
        tags: Numbers of tags.
        resolutions: Numbers of resolutions, shifted to their place in ``facts``.
        tag_counts: How many tags each record has.
        tag_codes: The tags of the first record, of the second, and so on; each record's in the
            order of their names.
        facts: ``resolution << 3 | result << 1 | shown`` of each record.
        session_codes: Number of each record's session.
        days: Log day of each record, an ordinal.
        ids: Ids of the records, 28 bytes each.
    """

    __slots__ = (
        "_hashes",
        "_hours",
        "_sessions",
        "days",
        "facts",
        "ids",
        "resolutions",
        "session_codes",
        "tag_codes",
        "tag_counts",
        "tags",
    )

    def __init__(self, zone: tzinfo) -> None:
        """Begin with no record.

        Args:
            zone: The home's zone, in which log days begin.
        """
        self.tags = Names(read_tag_name)
        self.resolutions = Names(read_resolution, step=1 << RESOLUTION_SHIFT)
        self.tag_counts = array("B")
        self.tag_codes = array("I")
        self.facts = array("I")
        self.session_codes = array("I")
        self.days = array("I")
        self.ids = bytearray()
        self._sessions = _Sessions()
        self._hashes = array("Q")
        self._hours = _Days(zone)

    def __len__(self) -> int:
        return len(self.facts)

    def add(self, rows: Sequence[LinkRow]) -> None:
        """Take in rows, column by column, because that keeps the loops in C.

        Raises:
            ValueError: A name or an id among them breaks its rule; nothing was added.
        """
        ids = read_ids(rows)
        tags = [row.context_tags for row in rows]
        codes = list(map(self.tags.__getitem__, chain.from_iterable(tags)))
        facts = self._facts(rows)
        days = self._days_of([row.timestamp for row in rows])
        sessions = self._sessions_of(rows, days)
        self.session_codes.fromlist(sessions)
        self.tag_counts.frombytes(bytes(map(len, tags)))
        self.tag_codes.fromlist(codes)
        self.facts.fromlist(facts)
        self.days.fromlist(days)
        self.ids += ids

    def log_day(self, time: datetime) -> int:
        """Give the day of the log that a moment belongs to, as an ordinal.

        Raises:
            ValueError: When it is out of the range of dates.
        """
        return self._days_of([time])[0]

    def session_hashes(self) -> "array[int]":
        """Give 64 bits of BLAKE2b for each numbered session, the same in every run."""
        if len(self._hashes) < len(self._sessions):
            names = [
                f"day {session}" if isinstance(session, int) else f"session {session}"
                for session in self._sessions
            ]
            digests = [blake2b(name.encode(), digest_size=8).digest() for name in names]
            self._hashes = array("Q", b"".join(digests))
        return self._hashes

    def _sessions_of(self, rows: Sequence[LinkRow], days: list[int]) -> list[int]:
        names = [row.session for row in rows]
        if None not in names:
            return list(map(self._sessions.__getitem__, cast("list[str]", names)))
        keys = [day if name is None else name for name, day in zip(names, days, strict=True)]
        return list(map(self._sessions.__getitem__, keys))

    def _facts(self, rows: Sequence[LinkRow]) -> list[int]:
        resolutions = map(self.resolutions.__getitem__, [row.resolution for row in rows])
        results = map(_RESULTS.__getitem__, [row.outcome for row in rows])
        facts = list(map(add, resolutions, results))
        if any([row.shown for row in rows]):  # noqa: C419 - a list is built in half the time of a generator
            for n, row in enumerate(rows):
                facts[n] |= was_shown(row.resolution, row.context_tags, row.shown)
        return facts

    def _days_of(self, times: list[datetime]) -> list[int]:
        if [time.tzinfo for time in times].count(UTC) != len(times):
            times = [_in_utc(time) for time in times]
        hours = self._hours
        days = [hours[time.toordinal() * _HOURS + time.hour] for time in times]
        if _MIXED in days:
            days = [
                hours.exact(time) if day == _MIXED else day for day, time in zip(days, times, strict=True)
            ]
        return days


def sift(
    reader: RowReader, rows: Sequence[LinkRow], numbers: Sequence[int], columns: Columns
) -> list[LinkRow]:
    """Give the rows that keep every rule; the others are named in ``reader.bad``."""
    good = []
    for row, number in zip(rows, numbers, strict=True):
        problem = find_problem(row) or _name_problem(row, columns)
        if problem:
            reader.bad.append((number, problem))
        else:
            good.append(row)
    return good


def _name_problem(row: LinkRow, columns: Columns) -> str:
    try:
        for tag in row.context_tags:
            columns.tags[tag]
        columns.resolutions[row.resolution]
        columns.log_day(row.timestamp)
    except ValueError as error:
        return str(error)
    return ""


def _in_utc(time: datetime) -> datetime:
    try:
        return time.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"the time {time.isoformat()} is out of range") from error
