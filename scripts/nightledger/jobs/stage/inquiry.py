"""What every source of a page is asked with: the home as it was read for this run, search, and what memory holds.

Invariant: every line of a file comes through :class:`Shelves`, which knows what an agent may see; an entry only where
it stands as it was signed. Of a log the page names places, and quotes nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from functools import partial
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import Moment
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import place_of
from nightledger.domain.retention import DURABLE, EPHEMERAL, lean
from nightledger.domain.search import Chunk, Hit, Kind, Query, Showing, Why, says
from nightledger.domain.staging import PERCENT, Candidate, Event, Source, StagingRules, importance_of
from nightledger.files.configuration import home_zone
from nightledger.files.durable import is_there
from nightledger.files.home import Home
from nightledger.files.search_reader import DamagedIndexError
from nightledger.gate.naming import signed_entries
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.remembering import Remembered, read_facts, stated_confidence
from nightledger.gate.stored import read_stored
from nightledger.recall.associations import Association
from nightledger.recall.indexing import read_blocks, refresh
from nightledger.recall.searching import search_in
from nightledger.recall.sources import read_source
from nightledger.text.forgetting import find_status
from nightledger.text.handoff import OpenItem, handoff_day, read_open_items
from nightledger.text.similar import fold
from nightledger.text.statements.block import is_long
from nightledger.text.statements.daylog import ENVELOPE
from nightledger.text.visible import CUT

_EMPHASIS = re.compile(r"\*\*|(?<!\w)__(?=\S)|(?<=\S)__(?!\w)|`")
_MARK = re.compile(r"^(?:[-*+\u2022]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX~-]\]\s+)?")


def plain(text: str) -> str:
    """Return lines as one, without list marks, heading signs and emphasis: quoted, these would be noise."""
    pieces = [_EMPHASIS.sub("", line).strip().lstrip("#").strip() for line in text.split("\n")]
    told = [ENVELOPE.sub("", _MARK.sub("", piece)) for piece in pieces]
    return " / ".join(piece for piece in told if piece)


def candidate_of(
    source: Source, chunk: Chunk, why: str, score: float, *, lines: tuple[int, int] = (0, 0), told: str = ""
) -> Candidate:
    """Return lines as a candidate: of an entry as it was signed, of a log by their place.

    Args:
        source: Why they were looked for.
        chunk: The lines.
        why: Why they are there.
        score: How much they matter among those of their source, 0..1.
        lines: Of the chunk the first and last that count; all of it where none are named.
        told: What these say.
    """
    whole = told or chunk.text
    # an association is told by the words that name its resolution
    summed_up = bool(chunk.summary) and source is not Source.ASSOCIATION and is_long(whole)
    return Candidate(
        source=source,
        text=f"{plain(chunk.summary)} {CUT}" if summed_up else plain(whole),
        place=place_of(chunk.path, lines if told else (chunk.first_line, chunk.last_line)),
        why=why,
        score=round(score, 4),
        shown=(chunk.entry,) if chunk.entry else (),
        path=chunk.path,
        signed=bool(chunk.entry),
    )


class Known(Struct, frozen=True, kw_only=True):
    """A signed entry with how important it is.

    Attributes:
        one: The entry.
        importance: 0..1.
        summary: Of a long one, as search knows it; else empty.
    """

    one: Remembered
    importance: float
    summary: str = ""

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
            summary=self.summary,
        )

    def candidate(self, source: Source, why: str, score: float) -> Candidate:
        """Return the entry as a candidate."""
        return candidate_of(source, self.chunk, why, score)


def read_known(gate: Gate, ledger: Ledger, moment: Moment) -> dict[str, Known]:
    """Return the entries that stand as they were signed, by id, without those that say of themselves that they are over.

    Whether each may be shown is asked of those that are chosen.
    """
    stored = read_stored(gate, ledger.book)
    accepted = signed_entries(gate.home, ledger.book)
    facts = read_facts(gate, ledger, moment, stored=stored)
    signed = [one for one in facts.memories if one.placed in accepted]
    stated, blocks = stated_confidence(ledger.book, stored), read_blocks(gate)
    today = log_day(moment.at, home_zone(gate.home, gate.settings))
    return {
        one.placed.entry.id: Known(
            one=one,
            importance=_importance(one, stated),
            summary=blocks.summary(one.placed.entry.text.strip()),
        )
        for one in signed
        if one.memory.pinned or find_status(one.placed.entry, today) is None
    }


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
    found = (
        one.candidate(Source.LANDMARK, _why(one), one.importance)
        for one in most_important(inquiry, rules.landmark_percent)
    )
    return islice(found, rules.sources[Source.LANDMARK].most)


def long_range(inquiry: "Inquiry") -> Iterator[Candidate]:
    """Give the most important entries of each stretch of the past."""
    rules, today = inquiry.rules, inquiry.today
    for window in rules.windows:
        ends, begins = window.until_days, window.from_days
        stretch = f"over {begins} days" if ends is None else f"{begins} to {ends} days"
        found = (
            one.candidate(
                Source.LONG_RANGE,
                f"{(today - day).days} days ago, among the most important of {stretch} back",
                one.importance,
            )
            for one in most_important(inquiry, rules.window_percent)
            if (day := one.one.day) is not None and window.holds((today - day).days)
        )
        yield from islice(found, window.most)


def most_important(inquiry: "Inquiry", percent: int) -> Iterator[Known]:
    """Give the entries that an agent may see and that are as important as asked for: the most important first, then the newest."""
    enough = (one for one in inquiry.known.values() if one.importance * PERCENT >= percent)
    ordered = sorted(
        enough,
        key=lambda one: (
            -one.importance,
            -(one.one.day or date.min).toordinal(),
            place_of(one.chunk.path, (one.chunk.first_line, one.chunk.last_line)),
        ),
    )
    return (one for one in ordered if inquiry.library.may_show(one.chunk))


def _why(known: Known) -> str:
    one = known.one
    if one.memory.pinned:
        return "landmark: pinned by the operator"
    if one.memory.tier.rate <= DURABLE.rate:
        return f"landmark: tagged {', '.join(one.mark.tags)} by the operator"
    return f"landmark: useful in {one.memory.useful} sessions, harmful in {one.memory.harmful}"


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
        self._today = log_day(moment.at, home_zone(gate.home, gate.settings))
        self._refresh = partial(refresh, gate, ledger, moment, may_write=may_write)
        self._index = self._refresh()
        self._damage: tuple[str, ...] = ()

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

    def close(self) -> None:
        """Close the index."""
        self._index.store.close()


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
"""Hits looked at for each document that an event gets."""
LEAST_OF_BEST = 0.5
"""Score of a document, of that of the best one, from which it is about the same thing."""
LEAST_WORDS = 2
"""Words of a query that a hit must hold beside each other or a name among them: one common word is met by chance."""


class Inquiry(Struct, frozen=True, kw_only=True):
    """What the sources are asked with.

    Attributes:
        home: Whose.
        rules: What is staged.
        library: Search.
        known: Signed entries that stand, by their id.
        handed: What the handoff leaves open.
        associations: Those that may be shown.
        events: Of the next hours, from all calendars.
        problems: By calendar, what of it could not be read.
        now: Aware, UTC.
        zone: The home's.
        today: The log day.
    """

    home: Home
    rules: StagingRules
    library: Shelves
    known: Mapping[str, Known]
    handed: Handed
    associations: tuple[Association, ...]
    events: tuple[Event, ...]
    problems: tuple[tuple[str, str], ...]
    now: datetime
    zone: tzinfo
    today: date

    def find(self, query: str) -> Iterator[Hit]:
        """Give what is about a query, the best first, as many as an event gets."""
        found = self.library.find(query, self.rules.documents_each * LOOKED_AT)
        hits = [hit for hit in found if is_about(hit)]
        least = LEAST_OF_BEST * max((hit.score for hit in hits), default=0.0)
        return islice((hit for hit in hits if hit.score >= least), self.rules.documents_each)


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
