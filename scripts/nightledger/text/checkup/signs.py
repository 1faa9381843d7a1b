"""The signs by which an item of memory shows that it no longer belongs (``config/words/checkup-signs.json``), and what they listen for.

Words of state, end, plan and rule in a dozen languages, and the patterns around them: function words of status reports and
rules only (``checkup-words.json``, ``checkup-patterns.json``), no name of a product, person or place.
Invariant: a word alone never decides. A sign looks at one item and where it stands, and says nothing about its subject. That
a date is past says nothing by itself: a word of end, duty or last look must stand at it. Weights are log-odds;
``docs/decisions/0010-check-up.md`` says how they were found.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date, timedelta
from functools import cache

import msgspec
from msgspec import Struct

from nightledger.domain.finding import DoubtLabel
from nightledger.files.home import shipped_config
from nightledger.text import patterns
from nightledger.text.checkup.units import Unit, UnitKind
from nightledger.text.dates import FoundDate, find_dates
from nightledger.text.similar import UNSPACED
from nightledger.text.visible import carried

_CLOSING = frozenset({"state", "done", "gone", "over", "waiting"})
_SAID_OF_NOUNS = frozenset({"gone"})
_MARKS = " *_`~([\"'✅☑✔✓⚠️❌🔄⏳🚧🟢🔴🟡🆕-—:"
"""What may stand before the first word of an item."""


def has(kind: str, text: str) -> bool:
    """Return whether ``text`` holds a word of a kind (a key of the tables), whole where words have spaces."""
    return _word_of(kind).search(text) is not None


def tells(kind: str, text: str) -> bool:
    """Return whether ``text`` holds a word of a kind that is told as so, not as what to do when it is so."""
    return any(
        not pattern("condition").search(text[max(0, found.start() - 40) : found.start()])
        and not (kind in _SAID_OF_NOUNS and _names_one(text, found))
        for found in _word_of(kind).finditer(text)
    )


def _names_one(text: str, found: re.Match[str]) -> bool:
    """Return whether a word stands before its noun, at the beginning or behind an article: it says which one is meant."""
    before = text[max(0, found.start() - 12) : found.start()]
    opens = not text[: found.start()].strip(_MARKS) or pattern("article").search(before) is not None
    return opens and pattern("noun").match(text, found.end()) is not None


def reports(kind: str, text: str) -> bool:
    """Return whether ``text`` holds a word of a kind that is neither denied nor a case to be met."""
    return any(_is_told(text, found.start()) for found in _word_of(kind).finditer(text))


def _is_told(text: str, at: int) -> bool:
    before = text[max(0, at - 40) : at]
    return not pattern("denied").search(before) and not pattern("condition").search(before)


def starts(kind: str, text: str, before: str = "") -> bool:
    """Return whether ``text`` begins with a word of a kind, marks and emphasis aside, and with a pattern behind it."""
    bare = text.lstrip(_MARKS)
    found = _word_of(kind).match(bare)
    return found is not None and (not before or pattern(before).match(bare[found.end() :]) is not None)


def states(text: str) -> bool:
    """Return whether ``text`` begins with a word of state that stands for itself, as in a status report."""
    return starts("state", text, "state_end")


def closes(text: str) -> bool:
    """Return whether a clause of ``text`` ends in a word of work that is over."""
    return any(
        pattern("clause_end").match(text, found.end()) and _is_told(text, found.start())
        for found in _word_of("done").finditer(text)
    )


@cache
def listed() -> dict[str, tuple[str, ...]]:
    """Return the words of each kind: of sentences, then of headings, then of a table's columns.

    ``state`` is true on the day it was written, ``done`` work that is over, ``gone`` what is not there any more, ``over`` a matter
    that is over as the one who closes it says, ``waiting`` what still waits, ``did`` work reported in the past tense, ``now`` what holds
    for a while, ``rule`` what a memory is for, ``empty`` what stands in brackets where nothing stands yet, ``run`` notes of a run
    about itself. Headings: ``report`` of one time, ``lasting``. Columns: ``status`` that somebody must keep up to date, ``timer``
    that a timer keeps, ``task`` of a list of work, ``decision`` of a record of decisions. What closes an entry by its status
    (``closing-words.json``) is over and done here too, but for what was rejected.
    """
    tables = patterns.grouped("checkup-words")
    closing = patterns.grouped("closing-words")["closed"]
    over = [form for closure, forms in closing.items() if closure != "rejected" for form in forms]
    return {
        kind: (*listed, *over) if kind in ("over", "done") else listed
        for table in tables.values()
        for kind, listed in table.items()
    }


def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of ``config/words/checkup-patterns.json``."""
    return patterns.pattern("checkup-patterns", name)


@cache
def _word_of(kind: str) -> re.Pattern[str]:
    """In scripts without spaces a word of state or end must end its clause: inside one it may be any part of it."""
    words = sorted(listed()[kind], key=len, reverse=True)
    spaced = _any_of([word for word in words if not UNSPACED.search(word)])
    unspaced = _any_of([word for word in words if UNSPACED.search(word)])
    closed = r"(?=[\W\d]|[了的]?$)" if kind in _CLOSING else ""
    return re.compile(rf"(?<![\w-]){spaced}(?![\w-])|{unspaced}{closed}", re.IGNORECASE)


def _any_of(words: Sequence[str]) -> str:
    """Return the pattern of any of the words; where no word begins, none is tried: a run of tabs costs a look each."""
    firsts = "".join(sorted({re.escape(word[0]) for word in words}))
    return f"(?=[{firsts}])(?:{'|'.join(map(re.escape, words))})"


_MARKUP = re.compile(r"[*_`~]")
_LABEL = re.compile(r"^(?P<label>[^:：|]{1,48}?)\s?[:：](?!//)\s*(?P<value>.*)$", re.DOTALL)  # noqa: RUF001 - a colon of CJK text
_QUOTED = re.compile(
    r"`[^`\n]*`|\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|「[^」\n]{1,80}」|'[^'\n ][^'\n]{0,40}'(?!\w)"
)
_PATH = re.compile(r"(?<![\w/])(?:[~.]{0,2}/)?(?:[\w.-]{1,255}/){0,64}[\w-]{1,255}\.[a-z]\w{0,4}(?![\w.])")
"""A file, whose name says nothing about the item: ``notes/pending.md``. No name is longer (POSIX, NAME_MAX)."""
_OPENING = "([ "
"""What may stand before the day with which a line of a log begins."""
_POINTER = re.compile(
    r"[*_]{0,2}(?:\[[^\]\n]{1,80}\]\((?P<link>[\w./-]{3,255}\.\w{1,5})\)|`(?P<code>[\w./-]{3,255}\.\w{1,5})`[*_]{0,2}\s*(?:$|[-:(\u2013\u2014\uff1a])"
    r"|[^`:\n]{1,48}:[*_]{0,2}\s*`?(?P<value>[\w./-]{3,255}\.\w{1,5})`?[.*_]*$)"
)
_TEMPLATE = re.compile("yyyy|mm-dd|xxx|slug", re.IGNORECASE)
"""A name that stands for many files: ``memory/YYYY-MM-DD.md``."""
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
        rest = text
        for day in self.dates:
            rest = rest.replace(text[day.start : day.end], "")
        self.is_date_alone = bool(self.dates) and sum(map(str.isalnum, rest)) <= 3  # noqa: PLR2004 - a day's name at most


class View:
    """One item and its surroundings.

    Attributes:
        unit: The item.
        text: It, as it is written.
        plain: Its text without emphasis and backticks.
        prose: Its text without code, quotations and names of files, which say nothing about the item itself.
        label: What stands before the first colon; empty where there is none.
        value: What stands after it; the whole text where there is no label.
        head: The label; the text where there is none.
        status: What the last field of a decision block says became of it.
        dates: The dates in the text.
        past: Those before the check-up.
        all_past: Whether no date is to come.
        headings: The headings above, without the title of the file.
        heading_dates: The dates in them.
        lasts: Whether one announces something lasting.
        reports: Whether one announces a report of one time, and none something lasting.
        told: What stands behind the day of a line of a log; empty in any other item.
        is_entered: Whether it begins with a past day, as a line of a log does.
        is_row: Whether it is a row of a table.
        is_ticked: Whether its box is ticked.
        is_open: Whether its box is empty.
        is_last: Whether it is among the last items of the file.
        is_pointer_to_nothing: Whether it points to a file that is not there.
        today: The date of the check-up.
    """

    def __init__(self, unit: Unit, headings: Sequence[Heading], today: date) -> None:
        self.unit, self.text, self.status, self.today = unit, unit.text, unit.status, today
        self.plain = _MARKUP.sub("", unit.text).strip()
        self.prose = _MARKUP.sub("", _PATH.sub("…", _QUOTED.sub(" ", unit.text))).strip()
        found = _LABEL.match(self.plain)
        self.label, self.value = (
            (found["label"].strip(), found["value"].strip()) if found else ("", self.plain)
        )
        self.head = self.label or self.plain
        self.dates = find_dates(self.plain, near=today)
        self.past = [day for day in self.dates if day.day < today]
        self.all_past = len(self.past) == len(self.dates)
        self.headings = headings
        self.heading_dates = [day for heading in headings for day in heading.dates]
        self.lasts = any(heading.lasts for heading in headings)
        self.reports = not self.lasts and any(heading.reports for heading in headings)
        self.is_row, self.is_ticked, self.is_open = (
            unit.kind is UnitKind.ROW,
            unit.box == "x",
            unit.box == " ",
        )
        self.is_last = self.is_pointer_to_nothing = False
        first = next((day for day in self.past if day is self.dates[0]), None)
        opens = first is not None and not self.plain[: first.start].strip(_OPENING)
        entered = pattern("entered").match(self.plain, first.end) if first and opens else None
        self.told = self.plain[entered.end() :] if entered else ""
        self.is_entered = not self.is_row and entered is not None and not _is_fresh(self)

    def before(self, day: FoundDate) -> str:
        """Return what stands before a date."""
        return self.plain[max(0, day.start - _REACH) : day.start]


def file_of(text: str) -> str:
    """Return the file of the workspace that an item points to with its first or its only words; empty where it is about something else.

    A file that a sentence names in passing says nothing about the sentence.
    """
    found = _POINTER.match(text)
    name = (found["link"] or found["code"] or found["value"]) if found else ""
    plain = "/" in name and ".." not in name and name[0] not in "/~"
    return name if plain and not _TEMPLATE.search(name) else ""


def look(units: Sequence[Unit], today: date, gone: Collection[str] = ()) -> Iterator[View]:
    """Yield the view of each unit, in order.

    Args:
        units: All items of one file.
        today: What dates without a year are near to, and what is past is before.
        gone: Files of the workspace that are not there.
    """
    told: dict[str, Heading] = {}
    for index, unit in enumerate(units):
        above = unit.headings[1:] or unit.headings
        for heading in above:
            if heading not in told:
                told[heading] = Heading(carried(heading), today)
        view = View(unit, [told[heading] for heading in above], today)
        view.is_last = index >= len(units) - _LAST_ITEMS
        view.is_pointer_to_nothing = bool(gone) and file_of(unit.text) in gone
        yield view


BIAS = -2.5
"""Log-odds that an item without any sign is doubtful: one in thirteen."""
FRESH_DAYS = 14
"""What waits is left alone for two weeks after the last date that it or its heading gives."""
_WIDE_TABLE = 3
"""Columns beyond which a row tells more than the state of its subject."""
_VERBS: dict[str, Callable[[str, str], bool]] = {
    "has": has,
    "tells": tells,
    "reports": reports,
    "starts": starts,
    "rests": lambda _, text: starts("over", text, "rest_end"),
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


def _is_footer(view: View) -> bool:
    about = bool(view.dates) or pattern("about_file").search(view.plain) is not None
    return view.is_last and about and pattern("italic").match(view.text.strip()) is not None


def _only_points(view: View) -> bool:
    file = pattern("day_file")
    return file.search(view.plain) is not None and len(file.sub("", view.plain)) <= 24  # noqa: PLR2004 - a name for the file


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


def _is_fresh(view: View) -> bool:
    """Return whether the newest date of the item, or of its headings, is of these two weeks."""
    days = [found.day for found in view.dates or view.heading_dates]
    return bool(days) and timedelta() <= view.today - max(days) <= timedelta(days=FRESH_DAYS)


def _was_reported(view: View) -> bool:
    """Return whether the innermost heading is a part of a report whose day, told above it, is two weeks past."""
    days = [found.day for found in view.heading_dates]
    part = bool(view.headings) and view.headings[-1].reports and not view.headings[-1].dates
    return part and bool(days) and view.today - max(days) > timedelta(days=FRESH_DAYS) and not view.lasts


_TESTS: dict[str, Callable[[View], bool]] = {
    "has_state_in_a_cell": _has_state_in_a_cell,
    "is_task": _is_task,
    "is_wide": _is_wide,
    "stands_under_a_date": lambda view: bool(view.headings) and view.headings[-1].is_date_alone,
    "stands_under_now": lambda view: any(heading.is_of_now for heading in view.headings),
    "is_footer": _is_footer,
    "only_points": _only_points,
    "is_ahead": lambda view: any(day.exact and day.day > view.today for day in view.dates),
    "has_ended": _has_ended,
    "duty_passed": _duty_passed,
    "is_fresh": _is_fresh,
    "was_reported": _was_reported,
}
"""What a row may ask that no field, word or pattern can say."""
