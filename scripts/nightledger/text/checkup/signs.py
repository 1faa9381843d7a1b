"""The signs by which an item of memory shows that it no longer belongs (``config/words/checkup-signs.json``).

Invariant: a sign looks at one item and where it stands, and says nothing about its subject. That a date is past
says nothing by itself: a word of end, duty or last look must stand at it. Weights are log-odds;
``docs/decisions/0010-check-up.md`` says how they were found.
"""

import re
from collections.abc import Callable
from datetime import timedelta
from functools import cache

import msgspec
from msgspec import Struct

from nightledger.domain.finding import DoubtLabel
from nightledger.files.shipped import shipped_config
from nightledger.text.checkup import words
from nightledger.text.checkup.view import View
from nightledger.text.checkup.words import closes, has, pattern, rests, starts, states, tells
from nightledger.text.dates import FoundDate, find_dates

BIAS = -2.5
"""Log-odds that an item without any sign is doubtful: one in thirteen."""
FRESH_DAYS = 14
"""What waits is left alone for two weeks after the last date that it or its heading gives."""
_SENTENCE = 6
"""Words from which a cell tells more than a state."""
_WIDE_TABLE = 3
"""Columns beyond which a row tells more than the state of its subject."""
_VERBS: dict[str, Callable[[str, str], bool]] = {
    "has": words.has,
    "tells": words.tells,
    "reports": words.reports,
    "starts": words.starts,
    "rests": lambda _, text: rests(text),
    "closes": lambda _, text: closes(text),
    "states": lambda _, text: states(text),
    "finds": lambda name, text: pattern(name).search(text) is not None,
    "begins": lambda name, text: pattern(name).match(text) is not None,
    "repeats": lambda name, text: len(pattern(name).findall(text)) > 1,
    "within": lambda most, text: len(text) <= int(most),
}
"""What a row may ask of a field of `View`: of its words, of a named pattern, of its length."""


class Sign(Struct, frozen=True, kw_only=True):
    """One row.

    Attributes:
        name: Enumerated word.
        label: What an item that shows it is.
        weight: Log-odds that it adds; negative for what rules and wishes look like.
        reason: Clause for the operator; empty for a shield.
        when: Ways to show it, each of conditions that hold together: "plain finds tick", "not label", "is_ticked".
        catches: Documents whose last item shows it; tests run them.
        spares: Documents whose last item does not.
    """

    name: str
    label: DoubtLabel
    weight: float
    reason: str
    when: tuple[tuple[str, ...], ...]
    catches: tuple[str, ...] = ()
    spares: tuple[str, ...] = ()

    def test(self, view: View) -> bool:
        """Return whether an item shows it."""
        return any(all(_condition(one)(view) for one in way) for way in self.when)


@cache
def signs() -> tuple[Sign, ...]:
    """Return the rows; order is free: what an item shows is added up."""
    return _shipped()["signs"]


@cache
def decision_signs() -> tuple[Sign, ...]:
    """Return what a decision block shows: as long as its status does not close it, it is meant to last."""
    return _shipped()["decisions"]


@cache
def _shipped() -> dict[str, tuple[Sign, ...]]:
    return msgspec.json.decode(shipped_config("words/checkup-signs.json"), type=dict[str, tuple[Sign, ...]])


@cache
def _condition(told: str) -> Callable[[View], bool]:
    """Return what a row asks for."""
    if told.startswith("not "):
        denied = _condition(told.removeprefix("not "))
        return lambda view: not denied(view)
    field, verb, what = (*told.split(), "", "")[:3]
    if field in _TESTS:
        return _TESTS[field]
    if field in ("day", "exact_day"):
        found = pattern(what)
        return lambda view: any(
            (day.exact or field == "day") and found.search(view.before(day)) for day in view.past
        )
    if field == "columns":
        return lambda view: any(has(what, column) for column in view.unit.columns)
    if not verb:
        return lambda view: bool(getattr(view, field))
    holds = _VERBS[verb]
    return lambda view: holds(what, getattr(view, field))


def _has_state_in_a_cell(view: View) -> bool:
    return any(states(cell) or closes(cell) for cell in view.unit.cells[1:])


def _is_task(view: View) -> bool:
    return sum(has("task", column) for column in view.unit.columns) > 1


def _is_wide(view: View) -> bool:
    columns = view.unit.columns
    return len(columns) > _WIDE_TABLE and not _is_task(view) and not any(has("timer", one) for one in columns)


def _tells_more(view: View) -> bool:
    """Return whether a cell besides the name of the row and its state points somewhere or tells a sentence."""
    tick, points = pattern("tick"), pattern("points")
    cells = (cell for cell in view.unit.cells[1:] if not (states(cell) or closes(cell) or tick.search(cell)))
    return any(points.search(cell) or len(cell.split()) >= _SENTENCE for cell in cells)


def _is_struck(view: View) -> bool:
    """Return whether all is struck out but a word about the end; what is struck for something new was corrected."""
    rest = pattern("struck").sub(" ", view.unit.text)
    if rest == view.unit.text:
        return False
    left = re.sub(r"[\W\d_]+", " ", rest).strip()
    over = not left or rests(rest) or starts("gone", rest)
    dated = len(left.split()) <= 3 and any(day.day < view.today for day in find_dates(rest))  # noqa: PLR2004 - "booked on", "paid by Anna"
    return over or dated


def _is_under_open_work(view: View) -> bool:
    """Return whether a heading says that what stands under it waits, and the item says neither that nor that it is over."""
    if not any(heading.waits for heading in view.headings):
        return False
    over = view.is_ticked or pattern("tick").search(view.plain) or any(map(rests, view.unit.cells))
    return not over and not _is_struck(view) and not tells("waiting", view.prose)


def _is_over_on(view: View) -> bool:
    """Return whether a word of end has its past date right behind it, and no story of how it was ended."""
    return any(
        pattern("over_on").search(view.plain[max(0, day.start - 32) : day.start])
        and not pattern("story").match(view.plain, day.end)
        for day in view.past
    )


def _is_footer(view: View) -> bool:
    about = bool(view.dates) or pattern("about_file").search(view.plain) is not None
    return view.is_last and about and pattern("italic").match(view.text.strip()) is not None


def _only_points(view: View) -> bool:
    file = pattern("day_file")
    return file.search(view.plain) is not None and len(file.sub("", view.plain)) <= 24  # noqa: PLR2004 - a name for the file


def _missed_deadline(view: View) -> bool:
    """Return whether a past date stands behind a word of deadline."""
    deadline = pattern("deadline")
    return any(deadline.search(view.plain[max(0, day.start - 28) : day.start + 1]) for day in view.past)


def _has_ended(view: View) -> bool:
    """Return whether the item names its own end, and the end has passed and is its last date."""
    return view.all_past and any(day.exact and _is_end(view, day) for day in view.past)


def _is_end(view: View, day: FoundDate) -> bool:
    """Return whether a date is an end; the end of a span between two dates is history."""
    before = view.before(day)
    found = pattern("end").search(before) or pattern("end_of_clause").search(before)
    if not found:
        return pattern("end_behind").match(view.plain, day.end) is not None
    start = day.start - len(before) + found.start()
    return not any(start - 2 <= other.end <= start for other in view.dates)


def _duty_passed(view: View) -> bool:
    """Return whether something had to be done by or on a day that has passed, once."""
    if not view.dates or not view.all_past or pattern("ever").search(view.plain):
        return False
    days = [day for day in view.past if day.exact and pattern("on").search(view.before(day))]
    task = pattern("task").match(view.plain)
    own = any(task and not pattern("break").search(view.plain, task.end(), day.start) for day in days)
    return own or (bool(days) and pattern("duty").search(view.plain) is not None)


def _stands(view: View, before: str, behind: str) -> bool:
    """Return whether a past day with its year stands between two patterns."""
    return any(
        day.exact and pattern(before).search(view.before(day)) and pattern(behind).match(view.plain, day.end)
        for day in view.past
    )


def _opens_with_last(view: View) -> bool:
    """Return whether a last look or run and its day are what the item is about."""
    for day in view.past:
        before = view.before(day)
        found = pattern("last").search(before)
        if found and day.exact and day.start == len(before) and found.start() == 0:
            return pattern("clock").match(view.plain, day.end) is not None
    return False


def _is_fresh(view: View) -> bool:
    """Return whether the newest date of the item, or of its headings, is of these two weeks."""
    days = [found.day for found in view.dates or view.heading_dates]
    return bool(days) and timedelta() <= view.today - max(days) <= timedelta(days=FRESH_DAYS)


_TESTS: dict[str, Callable[[View], bool]] = {
    "has_state_in_a_cell": _has_state_in_a_cell,
    "is_task": _is_task,
    "is_wide": _is_wide,
    "tells_more": _tells_more,
    "is_struck": _is_struck,
    "is_under_open_work": _is_under_open_work,
    "stands_under_a_date": lambda view: bool(view.headings) and view.headings[-1].is_date_alone,
    "stands_under_now": lambda view: any(heading.is_of_now for heading in view.headings),
    "is_over_on": _is_over_on,
    "ends_over_on": lambda view: _is_over_on(view) and view.dates[-1].end >= len(view.plain.rstrip(" .)")),
    "is_footer": _is_footer,
    "only_points": _only_points,
    "is_ahead": lambda view: any(day.exact and day.day > view.today for day in view.dates),
    "missed_deadline": _missed_deadline,
    "has_ended": _has_ended,
    "duty_passed": _duty_passed,
    "had_a_deadline": lambda view: _stands(view, "by", "close"),
    "was_appointed": lambda view: len(view.plain) <= 60 and view.all_past and _stands(view, "on", "at_hour"),  # noqa: PLR2004 - a day with its hour is what it is about
    "opens_with_last": _opens_with_last,
    "is_fresh": _is_fresh,
}
"""What a row may ask that no field, word or pattern can say."""
