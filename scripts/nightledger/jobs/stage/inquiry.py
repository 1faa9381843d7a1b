"""What every source of a page is asked with: the home as it was read for this run, and search.

Invariant: every line of a file comes through :class:`Shelves`, which knows what an agent may see.
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
from nightledger.domain.search.lines import says
from nightledger.domain.search.values import Chunk, Hit, Kind, Query, Showing, Why
from nightledger.domain.staging.values import Candidate, Event, Source, StagingRules
from nightledger.files.configuration import home_zone
from nightledger.files.durable import is_there
from nightledger.files.home import Home
from nightledger.files.search_reader import DamagedIndexError
from nightledger.gate.opening import Gate, Ledger
from nightledger.jobs.stage.logs import Logs, candidate_of
from nightledger.jobs.stage.remembered import Known
from nightledger.recall.associations import Association
from nightledger.recall.indexing import refresh
from nightledger.recall.searching import search_in
from nightledger.recall.sources import find_sources, read_source
from nightledger.text.search.tokens import query_terms
from nightledger.text.staging.handoff import OpenItem, handoff_day, read_open_items

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
    kinds = (Why.TERM, Why.EXPANSION, Why.ALIKE)
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
