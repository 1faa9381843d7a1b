"""From a query to what answers it: read it, find, weigh, withhold.

Invariant: an agent is given nothing that ``visibility.py`` withholds, and no reason that only such a line gave: the index
is asked for what the asker may see.
Searching changes nothing but the index, which is disposable.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.moment import Moment
from nightledger.domain.periods import log_day
from nightledger.domain.search import Chunk, Found, Hit, Kind, Query, Showing, with_what_follows
from nightledger.domain.search.ranking import (
    ANSWERED_IN_TIME,
    CANDIDATES,
    Group,
    Ranked,
    fuse,
    groups,
    is_answered,
    nearest,
    telling_words,
    words_of,
)
from nightledger.domain.search.timewords import Times, bound_by, read_times
from nightledger.files.configuration import home_zone
from nightledger.files.search_reader import DamagedIndexError
from nightledger.files.search_store import WITHHELD, Filter, SearchStore
from nightledger.gate.opening import Gate, Ledger
from nightledger.recall.indexing import Refreshed, refresh
from nightledger.recall.meaning import Encoder, EncoderError, learn_new, near
from nightledger.recall.weighing import Asked, Chosen, as_told, choose, weigh
from nightledger.text.dates import find_dates, time_words
from nightledger.text.search import tokens
from nightledger.text.search.stop_words import NOTHING_SAID

Answer = TypeVar("Answer")
MAX_WORDS = 64
"""Words of one query that are looked for: the rarest. More say no more, and each costs a list to walk."""


def search(
    gate: Gate,
    ledger: Ledger,
    query: Query,
    moment: Moment,
    *,
    may_write: bool = True,
    encoder: Encoder | None = None,
) -> Found:
    """Search a home; its index is brought up to date first.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        query: What for, and who asks.
        moment: The clocks; days such as yesterday are counted from it, in the home's zone.
        may_write: Whether this machine writes the home; else the index is left as it is.
        encoder: What gives embeddings, where meaning counts; it learns what is new first.

    Raises:
        UnreadableError: A gated file cannot be read.
        IntegrityError: The constitution in force cannot be told.
    """
    learn = encoder if may_write else None
    return _asking(
        partial(refresh, gate, ledger, moment, may_write=may_write),
        lambda index: search_in(_learned(index, gate, learn), query, _today(gate, moment), encoder=encoder),
    )


def _asking(opened: Callable[..., Refreshed], ask: Callable[[Refreshed], Answer]) -> Answer:
    """Return what an index answers; one that is found damaged only then is made anew."""
    try:
        refreshed = opened()
        with closing(refreshed.store):
            return ask(refreshed)
    except DamagedIndexError as error:
        fresh = opened(anew=True)
        with closing(fresh.store):
            return ask(replace(fresh, notes=(f"{error}: it was made anew", *fresh.notes)))


def _learned(index: Refreshed, gate: Gate, encoder: Encoder | None) -> Refreshed:
    notes = learn_new(gate.home, index.store, encoder) if encoder else ()
    return replace(index, notes=(*notes, *index.notes))


def _today(gate: Gate, moment: Moment) -> date:
    return log_day(moment.at, home_zone(gate.home, gate.settings))


def search_in(refreshed: Refreshed, query: Query, today: date, *, encoder: Encoder | None = None) -> Found:
    """Search an index that is up to date and open; whoever asks often brings it up to date once.

    Args:
        refreshed: The index, which stays open.
        query: What for, and who asks.
        today: The day it is asked on, in the home's zone.
        encoder: What gives embeddings, where meaning counts.

    Raises:
        DamagedIndexError: The index is damaged.
    """
    found = search_store(refreshed.store, query, today, encoder=encoder)
    told = refreshed.notes
    if query.showing is Showing.AGENT:
        told = tuple(filter(refreshed.judge.may_say, told))  # a note names files
    return replace(found, notes=(*told, *found.notes))


def search_store(store: SearchStore, query: Query, today: date, *, encoder: Encoder | None = None) -> Found:
    """Search an index that is open.

    Args:
        store: The index.
        query: What for, and who asks.
        today: The day it is asked on.
        encoder: What gives embeddings, where meaning counts.
    """
    asked = read_query(store, query, today)
    seen = _Looking(store=store, query=query, encoder=encoder)
    if asked.times.bounded and not (query.since or query.until or query.any_time):
        narrow = replace(asked, only=True)
        narrow = replace(narrow, groups=()) if asked.bare else narrow
        chunks, ranked, notes = _look(seen, narrow)
        chosen = choose(ranked, chunks, query, narrow)
        if _answers(store, chosen, asked):
            notes = (*notes, *_only_that_time(chosen, chunks, query, narrow))
            return _found(seen, narrow, chunks, chosen, notes)
    chunks, ranked, notes = _look(seen, asked)
    chosen = choose(ranked, chunks, query, asked)
    return _found(seen, asked, chunks, chosen, (*notes, *_beside_time(chosen.hits, query, asked)))


class _Looking(Struct, frozen=True, kw_only=True):
    """What stays the same while a query is answered."""

    store: SearchStore
    query: Query
    encoder: Encoder | None


def _look(seen: _Looking, asked: Asked) -> tuple[dict[int, Chunk], list[Ranked], tuple[str, ...]]:
    """Find and weigh."""
    chunks = find_chunks(seen.store, seen.query, asked)
    cosines, notes = _near(seen, asked)
    chunks.update(seen.store.chunks(nearest(cosines)) if not seen.query.tags else {})
    return chunks, fuse(weigh(seen.store, chunks, asked), cosines), notes


def _answers(store: SearchStore, chosen: Chosen, asked: Asked) -> bool:
    """Tell whether something of the told time that the asker may see holds most of what was asked for."""
    if asked.bare:
        return bool(chosen.hits)
    anchor = tokens.query_terms(asked.times.said) if asked.times.anchor else ()
    sought = [group for group in asked.groups if group.word not in anchor] or asked.groups
    frequency = store.frequencies([group.word for group in sought])
    share, among = ANSWERED_IN_TIME, len(chosen.ranked)
    return is_answered(chosen.ranked, sought, frequency, store.count(), share=share, among=among)


def _found(
    seen: _Looking, asked: Asked, chunks: Mapping[int, Chunk], chosen: Chosen, notes: Iterable[str]
) -> Found:
    store, query = seen.store, seen.query
    return Found(
        hits=tuple(map(_led_on, chosen.hits)),
        terms=tuple(tokens.shown_as(group.word) for group in asked.groups),
        expanded=tuple((word, group.word) for group in asked.groups for word in sorted(group.linked)),
        since=query.since or asked.times.since,
        until=query.until or asked.times.until,
        said=asked.times.said,
        only=asked.only,
        withheld=_count_withheld(store, query, asked, chunks) if query.showing is Showing.AGENT else {},
        notes=tuple(notes),
    )


def _count_withheld(
    store: SearchStore, query: Query, asked: Asked, chunks: Mapping[int, Chunk]
) -> Mapping[str, int]:
    """Return how many chunks the operator would have been given beside those that were weighed, by why not."""
    wanted = _wanted(query, asked, seen_by=WITHHELD)
    found = store.chunks(
        find_candidates(store, words_of(asked.groups), Reach(wanted=wanted, tags=query.tags))
    )
    told = {_place(chunk) for chunk in chunks.values()}
    left_out = (chunk.held for chunk in found.values() if _place(chunk) not in told)
    return dict(
        sorted(Counter((why.partition(": ")[2] or why).partition("; ")[0] for why in left_out).items())
    )


def _place(chunk: Chunk) -> tuple[str, str, int, int]:
    return chunk.path, chunk.entry, chunk.first_line, chunk.last_line


def _only_that_time(chosen: Chosen, chunks: Mapping[int, Chunk], query: Query, asked: Asked) -> Iterator[str]:
    """Say which time alone was searched, and how to search all."""
    times = asked.times
    days = f"{times.since or '...'} to {times.until or '...'}"
    if asked.bare:
        more = f", the first {len(chosen.hits)} places that tell of it" if len(chunks) > query.limit else ""
        yield f"shown is what lies in {times.said!r} ({days}){more}"
        return
    later = "" if times.told_until == times.until else f" and what was told up to {times.told_until}"
    yield f"only {times.said!r} was searched: {days}{later}; all times: --any-time"


def _beside_time(hits: Sequence[Hit], query: Query, asked: Asked) -> Iterator[str]:
    """Say that all times were searched, though a query tells one."""
    told = asked.times
    if query.since or query.until:
        return
    if asked.bare and not query.any_time:
        yield f"nothing lies in {told.said!r} ({told.since or '...'} to {told.until or '...'})"
        return
    if not hits:
        return
    if told.anchor is not None and not told.bounded:
        yield f"when {told.said!r} was is not known; all times were searched"
    elif told.bounded and not any(_is_of(hit.chunk.day, told) for hit in hits):
        yield f"nothing was found for {told.said!r}; what is shown is of other times"
    elif told.bounded and not query.any_time:
        yield f"nothing told of {told.said!r} answers all of it; all times were searched"


def _is_of(day: date | None, told: Times) -> bool:
    return day is not None and told.holds(day)


def _near(seen: _Looking, asked: Asked) -> tuple[dict[int, float], tuple[str, ...]]:
    """Give how near chunks are in meaning; nothing, and why, where the encoder fails."""
    query = seen.query
    if seen.encoder is None or (asked.only and asked.bare):
        return {}, ()
    try:
        text = query.text[: tokens.MAX_QUERY_CHARACTERS]
        return near(seen.store, seen.encoder, text, _wanted(query, asked)), ()
    except EncoderError as error:
        return {}, (f"{error}: words alone were searched",)


def read_query(store: SearchStore, query: Query, today: date) -> Asked:
    """Read what a query asks for: its words with what stands for them, the time it tells.

    Args:
        store: The index, which knows the day of an event.
        query: As it was asked.
        today: The day it is asked on.
    """
    text = query.text[: tokens.MAX_QUERY_CHARACTERS]
    told = {(one.start, one.end): one.day for one in find_dates(text, near=today)}
    times = read_times(text, today=today, words=time_words(), dates=told)
    if times.anchor is not None:
        times = bound_by(times, _day_of(store, query, times.anchor.event))
    words = tokens.query_terms(times.rest)
    bare = times.bounded and NOTHING_SAID.issuperset(words)
    if bare or not words:
        words = tokens.query_terms(text)
    return _asked(store, words, times, bare=bare)


def _asked(store: SearchStore, words: Sequence[str], times: Times, *, bare: bool = False) -> Asked:
    if len(words) > MAX_WORDS:
        counts = store.frequencies(words)
        rarest = set(sorted(words, key=lambda word: (counts[word] or store.count(), word))[:MAX_WORDS])
        words = tuple(word for word in words if word in rarest)
    return Asked(groups=groups(words, links=_linked(store, words)), times=times, bare=bare)


def _wanted(query: Query, asked: Asked, *, seen_by: str = "") -> Filter:
    """Return which chunks count: of the days that options state, or of the told time alone."""
    since, until = (asked.times.since, asked.times.told_until) if asked.only else (query.since, query.until)
    return Filter(kinds=query.scope, since=since, until=until, seen_by=seen_by or query.showing.value)


def find_chunks(store: SearchStore, query: Query, asked: Asked) -> dict[int, Chunk]:
    """Find what may answer: in the time that the words tell, or at any time and in the told one besides."""
    words = words_of(asked.groups)
    reach, told = Reach(wanted=_wanted(query, asked), tags=query.tags), asked.times
    of_told = Filter(kinds=query.scope, since=told.since, until=told.until, seen_by=query.showing.value)
    if asked.only and asked.bare:
        said = reach.match("")
        return store.chunks(store.of_days(of_told) if not said else store.find(said, CANDIDATES, of_told))
    found = find_candidates(store, words, reach)
    if len(found) == CANDIDATES and not query.scope:  # logs are many: what was signed is weighed with them
        signed = _wanted(replace(query, scope=frozenset({Kind.MEMORY})), asked)
        found += find_candidates(store, words, replace(reach, wanted=signed))
    if told.bounded and not asked.only and query.since is None and query.until is None:
        found += find_candidates(store, words, replace(reach, wanted=of_told))
    return store.chunks(dict.fromkeys(found))


def _day_of(store: SearchStore, query: Query, event: str) -> date | None:
    """Return the day of what tells most of an event and may be seen; None where nothing dated tells most of it."""
    asked = _asked(store, tokens.query_terms(event), Times())
    about = Query(text=event, since=date.min, limit=1, showing=query.showing)
    chunks, ranked, _ = _look(_Looking(store=store, query=about, encoder=None), asked)
    chosen = choose(ranked, chunks, about, asked)
    frequency = store.frequencies([group.word for group in asked.groups])
    known = is_answered(chosen.ranked, asked.groups, frequency, store.count())
    return chosen.hits[0].chunk.day if known else None


def _linked(store: SearchStore, words: Sequence[str]) -> dict[str, dict[str, float]]:
    """Give for each word the words of the tags that associations tie to it."""
    found: dict[str, dict[str, float]] = {}
    for first, second, _, confidence in store.links(words):
        for word, other in ((first, second), (second, first)):
            if word in words:
                linked = found.setdefault(word, {})
                for part in tokens.query_terms(other.replace("_", " ")):
                    linked.setdefault(part, confidence)
    return found


def _led_on(hit: Hit) -> Hit:
    """Give a hit whose best lines only introduce others with these."""
    return replace(hit, lines=with_what_follows(hit.chunk.text, hit.chunk.first_line, hit.lines))


class Reach(Struct, frozen=True, kw_only=True):
    """What of an index a query may find.

    Attributes:
        wanted: Kinds and days.
        tags: Canonical tags, of which one at least is said; empty asks for none.
    """

    wanted: Filter
    tags: tuple[str, ...]

    def match(self, expression: str) -> str:
        """Narrow an FTS5 expression to what says one of the tags."""
        said = " OR ".join(tokens.match_phrase(tokens.tag_terms(tag)) for tag in self.tags)
        return f"({expression}) AND ({said})" if said and expression else expression or said


def find_candidates(store: SearchStore, words: Sequence[str], reach: Reach) -> list[int]:
    """Give the numbers of the chunks that match best, at most ``CANDIDATES``.

    FTS5 walks the whole list of each word, so in a large home the rarest of a query are looked for.

    Args:
        store: The index.
        words: Of which one at least is said.
        reach: What else is asked for.
    """
    match = tokens.match_any(telling_words(words, store.frequencies(words)))
    return store.find(reach.match(match), CANDIDATES, reach.wanted)


class Explained(Struct, frozen=True, kw_only=True):
    """A search with what led to it.

    Attributes:
        found: What was found.
        groups: Words that were looked for, with what may stand for each.
        frequencies: In how many chunks each of these words stands.
        said: The words that told a time; empty where none did.
        since: First day of that time.
        until: Last day of it.
        candidates: Chunks that were weighed.
        chunks: Chunks in the index.
        files: Files in the index.
        indexed: Files that were indexed for this query, because they were new or had changed.
    """

    found: Found
    groups: tuple[Group, ...]
    frequencies: Mapping[str, int]
    said: str
    since: date | None
    until: date | None
    candidates: int
    chunks: int
    files: int
    indexed: int


def explain(
    gate: Gate,
    ledger: Ledger,
    query: Query,
    moment: Moment,
    *,
    may_write: bool = True,
    encoder: Encoder | None = None,
) -> Explained:
    """Search, and tell how.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        query: What for, and who asks.
        moment: The clocks.
        may_write: Whether this machine writes the home.
        encoder: What gives embeddings, where meaning counts.

    Raises:
        UnreadableError: A gated file cannot be read.
        IntegrityError: The constitution in force cannot be told.
    """
    return _asking(
        partial(refresh, gate, ledger, moment, may_write=may_write),
        lambda index: _explain(index, query, _today(gate, moment), encoder),
    )


def _explain(refreshed: Refreshed, query: Query, today: date, encoder: Encoder | None) -> Explained:
    store = refreshed.store
    found = as_told(search_in(refreshed, query, today, encoder=encoder), query)
    asked = replace(read_query(store, query, today), only=found.only)
    words = [word for group in asked.groups for word in group.weights]
    return Explained(
        found=found,
        groups=asked.groups,
        frequencies=store.frequencies(words),
        said=asked.times.said,
        since=asked.times.since,
        until=asked.times.until,
        candidates=len(find_chunks(store, query, asked)),
        chunks=store.count(),
        files=len(store.files()),
        indexed=refreshed.changed,
    )
