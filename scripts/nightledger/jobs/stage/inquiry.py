"""What every source of a page is asked with: the home as it was read for this run, search, and what memory holds.

Invariant: every line of a file comes through :class:`Shelves`, which knows what an agent may see; an entry only where
it stands as it was signed.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from functools import cached_property, partial
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.errors import NightledgerError
from nightledger.domain.moment import Moment
from nightledger.domain.periods import log_day
from nightledger.domain.retention import DURABLE, EPHEMERAL, lean
from nightledger.domain.search import Chunk, Hit, Kind, Query, Showing, Why, says
from nightledger.domain.staging import (
    Candidate,
    Event,
    Past,
    Source,
    StagingRules,
    importance_of,
    most_important,
)
from nightledger.files.configuration import home_zone
from nightledger.files.durable import is_there
from nightledger.files.home import Home
from nightledger.files.search_reader import DamagedIndexError
from nightledger.gate.memory.naming import signed_entries
from nightledger.gate.memory.remembering import Remembered, read_facts, stated_confidence
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_stored
from nightledger.jobs.stage.logs import Logs, candidate_of, is_removed, place_of
from nightledger.recall.associations import Association
from nightledger.recall.indexing import refresh
from nightledger.recall.searching import search_in
from nightledger.recall.sources import find_sources, read_source
from nightledger.text.forgetting.status import find_status
from nightledger.text.handoff import OpenItem, handoff_day, read_open_items
from nightledger.text.search.tokens import query_terms
from nightledger.text.similar import fold
from nightledger.text.statements.additions import Known as Wordings


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


SCOPE = frozenset({Kind.MEMORY, Kind.DAILY, Kind.ARCHIVE})
"""What documents are looked for in: outcomes are told as associations, the handoff by its open items."""


class Shelves:
    """Search of one home; a context manager, because the index is open."""

    def __init__(self, gate: Gate, ledger: Ledger, moment: Moment, *, may_write: bool = True) -> None:
        """Bring the index up to date.

        Args:
            gate: The home.
            ledger: Its log, as checked.
            moment: The clocks.
            may_write: Whether the index may be written; else what is there is searched, or a copy in memory.
        """
        self._home = gate.home
        self._today = log_day(moment.at, home_zone(gate.home, gate.settings))
        self._refresh = partial(refresh, gate, ledger, moment, may_write=may_write)
        self._index = self._refresh()
        self._damage: tuple[str, ...] = ()
        self._kinds = {source.path: source for source in find_sources(gate.home)}
        self._texts: dict[str, list[str]] = {}

    @property
    def notes(self) -> Sequence[str]:
        """What the operator should know of the search."""
        return tuple(filter(self.may_say, (*self._damage, *self._index.notes)))  # a note names files

    def find(self, query: str, limit: int) -> Sequence[Hit]:
        """Give what may be shown to an agent for a query, the best first."""
        asked = Query(text=query, scope=SCOPE, limit=limit, showing=Showing.AGENT)
        try:
            return search_in(self._index, asked, self._today).hits
        except DamagedIndexError as error:  # which only a query met
            self._damage = (f"{error}: it was made anew",)
            self.close()
            self._index = self._refresh(anew=True)
            return search_in(self._index, asked, self._today).hits

    def may_show(self, chunk: Chunk) -> bool:
        """Tell whether an agent may see all lines of a chunk."""
        return not self._index.held(chunk)

    def may_say(self, text: str) -> bool:
        """Tell whether an agent may be told some words, wherever they come from."""
        return self._index.judge.may_say(text)

    def shown_lines(self, path: str) -> frozenset[int]:
        """Give the numbers of the lines of a searched log or archive that an agent may see."""
        chunk = self._chunk(path, (1, len(self._lines(path))))
        if chunk is None:
            return frozenset()
        return frozenset(range(1, chunk.last_line + 1)).difference(self._index.held(chunk))

    def lines_of(self, path: str, lines: tuple[int, int]) -> Chunk | None:
        """Give lines of a searched log or archive; None where there are none such, or an agent may not see them."""
        chunk = self._chunk(path, lines)
        return chunk if chunk is not None and self.may_show(chunk) else None

    def _chunk(self, path: str, lines: tuple[int, int]) -> Chunk | None:
        source = self._kinds.get(path)
        first, last = lines
        if source is None or source.kind not in (Kind.DAILY, Kind.ARCHIVE) or not 1 <= first <= last:
            return None
        text = self._lines(path)[first - 1 : last]
        if len(text) != last - first + 1:
            return None
        return Chunk(
            path=path,
            first_line=first,
            last_line=last,
            kind=source.kind,
            heading="",
            day=source.day,
            text="\n".join(text),
        )

    def close(self) -> None:
        """Close the index."""
        self._index.store.close()

    def _lines(self, path: str) -> list[str]:
        if path not in self._texts:
            source, raw = self._kinds.get(path), b""
            with suppress(NightledgerError):  # the index says so in its notes
                raw = read_source(self._home, path, source.kind)[0] if source else raw
            self._texts[path] = raw.decode("utf-8", "replace").split("\n")
        return self._texts[path]


class Handed(Struct, frozen=True, kw_only=True):
    """A handoff, read.

    Attributes:
        path: Where it lies, relative to the home.
        items: Its open items that an agent may see, the most urgent first.
        held: How many may not be shown to an agent.
        day: When it was written; None where it does not tell.
        is_cut: Whether more of it was not read.
    """

    path: str
    items: tuple[OpenItem, ...] = ()
    held: int = 0
    day: date | None = None
    is_cut: bool = False


def read_handoff(home: Home, library: Shelves) -> Handed:
    """Read what the handoff leaves open; nothing where there is none.

    Raises:
        UnreadableError: The handoff is no regular file.
    """
    path = home.relative(home.handoff)
    if not is_there(home.handoff):
        return Handed(path=path)
    raw, size_bytes = read_source(home, path, Kind.HANDOFF)
    text = raw.decode("utf-8", "replace")
    items, day = read_open_items(text), handoff_day(text)
    shown = tuple(item for item in items if library.may_show(_chunk(item, path, day)))
    held = len(items) - len(shown)
    return Handed(path=path, items=shown, held=held, day=day, is_cut=len(raw) < size_bytes)


def _chunk(item: OpenItem, path: str, day: date | None) -> Chunk:
    return Chunk(
        path=path,
        first_line=item.line,
        last_line=item.line,
        kind=Kind.HANDOFF,
        heading=item.heading,
        day=day,
        text=item.text,
    )


LOOKED_AT = 4
"""Hits looked at for each document that an event or a routine gets."""
LEAST_OF_BEST = 0.5
"""Score of a document, of that of the best one, from which it is about the same thing."""
LEAST_WORDS = 2
"""Words of a query that a hit must hold beside each other or a name among them: one common word is met by chance."""


@dataclass(frozen=True, kw_only=True)
class Inquiry:
    """What the sources are asked with.

    Attributes:
        home: Whose.
        rules: What is staged.
        library: Search.
        logs: Daily logs.
        known: Signed entries that stand, by their id.
        handed: What the handoff leaves open.
        associations: Those that may be shown.
        events: Of the next hours, from all calendars.
        problems: By calendar, what of it could not be read.
        now: Aware, UTC.
        zone: The home's.
    """

    home: Home
    rules: StagingRules
    library: Shelves
    logs: Logs
    known: Mapping[str, Known]
    handed: Handed
    associations: tuple[Association, ...]
    events: tuple[Event, ...]
    problems: tuple[tuple[str, str], ...]
    now: datetime
    zone: tzinfo

    @cached_property
    def today(self) -> date:
        """The log day."""
        return log_day(self.now, self.zone)

    def find(self, query: str) -> Iterator[Hit]:
        """Give what is about a query and tells something, the best first, as many as an event gets.

        A line of a log that tells nothing later on comes only where it names all that the query names.
        """
        found = self.library.find(query, self.rules.documents_each * LOOKED_AT)
        hits = [
            hit
            for hit in found
            if is_about(hit) and (hit.chunk.entry or self.logs.is_fit(hit.chunk, hit.lines))
        ]
        least = LEAST_OF_BEST * max((hit.score for hit in hits), default=0.0)
        telling = (hit for hit in hits if hit.score >= least and self._tells(hit, query))
        return islice(telling, self.rules.documents_each)

    def _tells(self, hit: Hit, query: str) -> bool:
        if hit.chunk.entry or self.logs.tells(hit.chunk, hit.lines):
            return True
        asked = {word for word in query_terms(query) if any(map(str.isalpha, word))}
        return 0 < len(asked) <= len(words_met(hit))


def words_met(hit: Hit) -> frozenset[str]:
    """Return the words by which a hit was found; numbers are no words."""
    kinds = (Why.TERM, Why.EXPANSION)
    return frozenset(one.what for one in hit.why if one.why in kinds and any(map(str.isalpha, one.what)))


def is_about(hit: Hit) -> bool:
    """Tell whether a hit is about its query at all: search always gives the best there is."""
    if not any(map(says, hit.best_text.split("\n"))):
        return False  # a heading, and nothing below it
    return len(words_met(hit)) >= LEAST_WORDS


def document(hit: Hit, source: Source, why: str, share: float, until: datetime | None = None) -> Candidate:
    """Return a hit as a candidate: its best lines, and where they stand.

    Args:
        hit: As search gave it to an agent: an entry that is given stands as it was signed.
        source: Why it was looked for.
        why: In our words.
        share: What its score counts, 0..1.
        until: When it is of no use any more.
    """
    score = hit.score * share
    found = candidate_of(source, hit.chunk, why, score, lines=hit.lines, told=hit.best_text)
    return replace(found, until=until)


def stamp(at: datetime) -> str:
    """Return a time as a page has it: ``2026-03-03T11:00:00Z``."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
