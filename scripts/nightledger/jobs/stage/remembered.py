"""Signed entries, and what daily logs said that mattered: landmarks, and the most important of earlier times."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from nightledger.domain.moment import Moment
from nightledger.domain.periods import log_day
from nightledger.domain.retention import DURABLE, EPHEMERAL, lean
from nightledger.domain.search.values import Chunk, Kind
from nightledger.domain.staging import Candidate, Past, Source, importance_of, most_important
from nightledger.files.configuration import home_zone
from nightledger.gate.memory.naming import signed_entries
from nightledger.gate.memory.remembering import Remembered, read_facts, stated_confidence
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_stored
from nightledger.jobs.stage.logs import candidate_of, is_removed, place_of
from nightledger.text.forgetting.status import find_status
from nightledger.text.similar import fold
from nightledger.text.statements.additions import Known as Wordings

if TYPE_CHECKING:
    from nightledger.jobs.stage.inquiry import Inquiry


class Known(Struct, frozen=True, kw_only=True):
    """A signed entry with how important it is.

    Attributes:
        one: The entry.
        importance: 0..1.
    """

    one: Remembered
    importance: float

    @property
    def chunk(self) -> Chunk:
        """The entry as search knows it, to be judged."""
        entry = self.one.placed.entry
        return Chunk(
            path=self.one.placed.path,
            first_line=entry.first_line,
            last_line=entry.last_line,
            kind=Kind.MEMORY,
            heading=" > ".join(entry.section),
            day=self.one.day,
            text=entry.text.rstrip("\n"),
            entry=entry.id,
        )

    def candidate(self, source: Source, why: str, score: float) -> Candidate:
        """Return the entry as a candidate."""
        return candidate_of(source, self.chunk, why, score)


def read_known(gate: Gate, ledger: Ledger, moment: Moment) -> tuple[dict[str, Known], int]:
    """Return the entries that stand as they were signed, by id, and how many are but removed secrets and left out.

    Those that say of themselves that they are over are left out, too. Whether each may be shown is asked of
    those that are chosen.
    """
    stored = read_stored(gate, ledger.book)
    accepted = signed_entries(gate.home, ledger.book)
    facts = read_facts(gate, ledger, moment, stored=stored)
    signed = [one for one in facts.memories if one.placed in accepted]
    told = [one for one in signed if not is_removed(one.placed.entry.text)]
    stated = stated_confidence(ledger.book, stored)
    today = log_day(moment.at, home_zone(gate.home, gate.settings))
    known = {
        one.placed.entry.id: Known(one=one, importance=_importance(one, stated))
        for one in told
        if one.memory.pinned or find_status(one.placed.entry, today) is None
    }
    return known, len(signed) - len(told)


def _importance(one: Remembered, stated: Mapping[str, float]) -> float:
    memory = one.memory
    return importance_of(
        pinned=memory.pinned,
        durable=memory.tier.rate <= DURABLE.rate,
        observation=memory.tier is EPHEMERAL,
        lean=lean(memory.useful, memory.harmful, memory.expected),
        stated=stated.get(fold(one.placed.entry.text)),
    )


def landmarks(inquiry: "Inquiry") -> Iterator[Candidate]:
    """Give what matters at every start: the most important entries first, however old."""
    rules = inquiry.rules
    ordered = most_important(_entries(inquiry, Source.LANDMARK), rules.landmark_percent)
    by_place = {place_of(one.chunk.path, _lines(one)): one for one in inquiry.known.values()}
    found = filter(None, (past.candidate(_why(by_place[past.place])) for past in ordered))
    return islice(found, rules.sources[Source.LANDMARK].most)


def long_range(inquiry: "Inquiry") -> Iterator[Candidate]:
    """Give the most important of each stretch of the past; what memory says, a log does not tell again."""
    rules, today = inquiry.rules, inquiry.today
    past = most_important(
        [*_entries(inquiry, Source.LONG_RANGE), *_statements(inquiry)], rules.window_percent
    )
    for window in rules.windows:
        inside = ((one, (today - one.day).days) for one in past if one.day is not None)
        ends, begins = window.until_days, window.from_days
        stretch = f"over {begins} days" if ends is None else f"{begins} to {ends} days"
        told = f"among the most important of {stretch} back"
        found = (one.candidate(f"{_ago(days)}, {told}") for one, days in inside if window.holds(days))
        yield from islice(filter(None, found), window.most)


def _entries(inquiry: "Inquiry", source: Source) -> Iterator[Past]:
    def candidate(known: Known, why: str) -> Candidate | None:
        return (
            known.candidate(source, why, known.importance) if inquiry.library.may_show(known.chunk) else None
        )

    for one in inquiry.known.values():
        place = place_of(one.chunk.path, _lines(one))
        yield Past(day=one.one.day, importance=one.importance, place=place, candidate=partial(candidate, one))


def _statements(inquiry: "Inquiry") -> Iterator[Past]:
    wordings = Wordings([one.one.placed.entry.text for one in inquiry.known.values()])

    def candidate(path: str, lines: tuple[int, int], importance: float, why: str) -> Candidate | None:
        chunk = inquiry.library.lines_of(path, lines)
        if chunk is None or wordings.holds(chunk.text):
            return None
        return candidate_of(Source.LONG_RANGE, chunk, why, importance)

    for log in inquiry.logs.contents:
        for first, last, importance in inquiry.logs.worth[log.path].said:
            lines = (first, last)
            found = partial(candidate, log.path, lines, importance)
            yield Past(day=log.day, importance=importance, place=place_of(log.path, lines), candidate=found)


def _lines(known: Known) -> tuple[int, int]:
    return known.one.placed.entry.first_line, known.one.placed.entry.last_line


def _why(known: Known) -> str:
    one = known.one
    if one.memory.pinned:
        return "landmark: pinned by the operator"
    if one.memory.tier.rate <= DURABLE.rate:
        return f"landmark: tagged {', '.join(one.mark.tags)} by the operator"
    return f"landmark: useful in {one.memory.useful} sessions, harmful in {one.memory.harmful}"


def _ago(days: int) -> str:
    return {0: "today", 1: "yesterday"}.get(days, f"{days} days ago")
