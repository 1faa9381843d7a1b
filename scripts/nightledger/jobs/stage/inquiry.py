"""What every source of a page is asked with: the home as it was read for this run, and search.

Invariant: every line of a file comes through ``shelves.py``, which knows what an agent may see.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from functools import cached_property
from itertools import islice

from nightledger.domain.periods import log_day
from nightledger.domain.search.lines import says
from nightledger.domain.search.values import Hit, Why
from nightledger.domain.staging.values import Candidate, Event, Source, StagingRules
from nightledger.files.home import Home
from nightledger.jobs.stage.handing import Handed
from nightledger.jobs.stage.lines import place_of, plain
from nightledger.jobs.stage.logs import Logs
from nightledger.jobs.stage.remembered import Known
from nightledger.jobs.stage.shelves import Shelves
from nightledger.recall.associations import Association
from nightledger.text.search.tokens import query_terms

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
    chunk = hit.chunk
    return Candidate(
        source=source,
        text=plain(hit.best_text),
        place=place_of(chunk.path, hit.lines),
        why=why,
        score=round(hit.score * share, 4),
        until=until,
        shown=(chunk.entry,) if chunk.entry else (),
        path=chunk.path,
        signed=bool(chunk.entry),
    )


def stamp(at: datetime) -> str:
    """Return a time as a page has it: ``2026-03-03T11:00:00Z``."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
