"""From a query to what answers it: read it, find, weigh, withhold.

Invariant: an agent is given nothing that ``withheld.py`` names, and no reason that only such a line gave.
Searching changes nothing but the index, which is disposable.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date

from nightledger.domain.moment import Moment
from nightledger.domain.periods import log_day
from nightledger.domain.search.expansion import groups, words_of
from nightledger.domain.search.fusion import fuse, nearest
from nightledger.domain.search.lines import best_lines
from nightledger.domain.search.names import names_in
from nightledger.domain.search.ranking import CANDIDATES, Ranked
from nightledger.domain.search.rarity import telling_words
from nightledger.domain.search.timewords import Times, bound_by, read_times
from nightledger.domain.search.values import Chunk, Found, Hit, Query, Reason, Showing, Why
from nightledger.files.configuration import home_zone
from nightledger.files.search_schema import DamagedIndexError
from nightledger.files.search_store import Filter, SearchStore
from nightledger.gate.opening import Gate, Ledger
from nightledger.recall.agent_view import AgentView, words_told
from nightledger.recall.hopping import follow
from nightledger.recall.indexing import Refreshed, refresh
from nightledger.recall.meaning import Encoder, EncoderError, learn_new, near
from nightledger.recall.weighing import Asked, weigh
from nightledger.recall.withheld import Held, Judge
from nightledger.text.dates import find_dates, month_names
from nightledger.text.search import tokens

MAX_WORDS = 64
"""Words of one query that are looked for: the rarest. More say no more, and each costs a list to walk."""
ANCHORS = 10
"""Chunks among which one is looked for that an agent may see all of, and that tells the day of an event. Our choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
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
    today = log_day(moment.at, home_zone(gate.home, gate.settings))
    try:
        refreshed = refresh(gate, ledger, moment, may_write=may_write)
        with closing(refreshed.store):
            learned = learn_new(gate.home, refreshed.store, encoder) if encoder and may_write else ()
            return search_in(_noted(refreshed, *learned), query, today, encoder=encoder)
    except DamagedIndexError as error:
        fresh = refresh(gate, ledger, moment, may_write=may_write, anew=True)
        with closing(fresh.store):
            return search_in(_noted(fresh, f"{error}: it was made anew"), query, today)


def _noted(refreshed: Refreshed, *notes: str) -> Refreshed:
    return replace(refreshed, notes=(*notes, *refreshed.notes))


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
    found = search_store(refreshed.store, refreshed.judge, query, today, encoder=encoder)
    told = refreshed.notes
    if query.showing is Showing.AGENT:
        told = tuple(filter(refreshed.judge.may_say, told))  # a note names files
    return replace(found, notes=(*told, *found.notes))


def search_store(
    store: SearchStore, judge: Judge | None, query: Query, today: date, *, encoder: Encoder | None = None
) -> Found:
    """Search an index that is open.

    Args:
        store: The index.
        judge: Says what an agent may not see; None: nothing is withheld, for measuring alone.
        query: What for, and who asks.
        today: The day it is asked on.
        encoder: What gives embeddings, where meaning counts.
    """
    view = AgentView(store, judge, query) if judge and query.showing is Showing.AGENT else None
    asked = read_query(store, query, today, judge if view else None)
    cosines, notes = _near(store, query, encoder)
    chunks: dict[int, Chunk] = {}

    def ranked_for(what: Asked, meant: Mapping[int, float]) -> list[Ranked]:
        found = find_chunks(store, query, what) | store.chunks(() if query.tags else nearest(meant))
        ranked = fuse(weigh(store, found, what), meant)
        ranked = view.rank(ranked, found, what, meant) if view else ranked
        chunks.update(found)
        return ranked

    ranked = ranked_for(asked, cosines)
    hits = _choose(ranked, chunks, judge, view, query, asked)
    if query.hops:
        # One hop: a second one found nothing more (docs/decisions/0046-ranking.md).
        ranked, led = follow(store, asked, ranked, hits, lambda what: ranked_for(what, {}))
        if led:
            hits = _choose(ranked, chunks, judge, view, query, replace(asked, led=led))
    return Found(
        hits=tuple(hits),
        terms=tuple(group.word for group in asked.groups),
        expanded=tuple((word, group.word) for group in asked.groups for word in sorted(group.linked)),
        since=query.since or asked.times.since,
        until=query.until or asked.times.until,
        withheld=dict(sorted(view.withheld.items())) if view else {},
        notes=(*notes, *_beside_time(hits, query, asked)),
    )


def _beside_time(hits: Sequence[Hit], query: Query, asked: Asked) -> Iterator[str]:
    """Say that nothing was found of the time that a query tells, where all hits are of other times."""
    told = asked.times
    stated = query.since is not None or query.until is not None
    if hits and told.bounded and not stated and not any(_is_of(hit.chunk.day, told) for hit in hits):
        yield f"nothing was found for {told.said!r}; what is shown is of other times"


def _is_of(day: date | None, told: Times) -> bool:
    return day is not None and told.holds(day)


def _near(
    store: SearchStore, query: Query, encoder: Encoder | None
) -> tuple[dict[int, float], tuple[str, ...]]:
    """Give how near chunks are in meaning; nothing, and why, where the encoder fails."""
    if encoder is None:
        return {}, ()
    wanted = Filter(kinds=query.scope, since=query.since, until=query.until)
    try:
        return near(store, encoder, query.text[: tokens.MAX_QUERY_CHARACTERS], wanted), ()
    except EncoderError as error:
        return {}, (f"{error}: words alone were searched",)


def read_query(store: SearchStore, query: Query, today: date, judge: Judge | None = None) -> Asked:
    """Read what a query asks for: its words with what stands for them, its names, the time it tells.

    Args:
        store: The index.
        query: What for.
        today: The day it is asked on.
        judge: Says what the asker may not see: a time is not told by that; None where all may be seen.
    """
    text = query.text[: tokens.MAX_QUERY_CHARACTERS]
    told = {(one.start, one.end): one.day for one in find_dates(text, near=today)}
    times = read_times(text, today=today, months=month_names(), dates=told)
    if times.anchor is not None:
        times = bound_by(times, _day_of(store, times.anchor.event, judge))
    words = tokens.query_terms(times.rest or text)
    if len(words) > MAX_WORDS:
        counts = store.frequencies(words)
        rarest = sorted(words, key=lambda word: (counts[word] or store.count(), word))[:MAX_WORDS]
        words = tuple(word for word in words if word in set(rarest))
    return Asked(groups=groups(words, links=_linked(store, words)), names=names_in(text), times=times)


def find_chunks(store: SearchStore, query: Query, asked: Asked) -> dict[int, Chunk]:
    """Find what may answer: in the time that the words tell first, then at any time."""
    words = words_of(asked.groups)
    match = tokens.match_any(telling_words(words, store.frequencies(words)))
    kinds = query.scope
    stated = Reach(wanted=Filter(kinds=kinds, since=query.since, until=query.until), tags=query.tags)
    found = [one.id for one in store.find(stated.match(match), CANDIDATES, stated.wanted)]
    if asked.times.bounded and query.since is None and query.until is None:
        told = Filter(kinds=kinds, since=asked.times.since, until=asked.times.until)
        found += [one.id for one in store.find(stated.match(match), CANDIDATES, told)]
    return store.chunks(dict.fromkeys(found))


def _day_of(store: SearchStore, event: str, judge: Judge | None) -> date | None:
    """Give the day of what tells most of an event; None where nothing dated does."""
    words = tokens.match_any(tokens.query_terms(event))
    found = store.find(words, ANCHORS if judge else 1, Filter(since=date.min))
    chunks = store.chunks(one.id for one in found)
    seen = (chunks[one.id] for one in found if one.id in chunks)
    return next((chunk.day for chunk in seen if judge is None or judge.is_whole(chunk)), None)


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


def _choose(
    ranked: Iterable[Ranked],
    chunks: dict[int, Chunk],
    judge: Judge | None,
    view: AgentView | None,
    query: Query,
    asked: Asked,
) -> list[Hit]:
    """Give the hits, the best first."""
    hits: list[Hit] = []
    said = set[str]()
    for one in ranked:
        if len(hits) == query.limit:
            break
        told = one if view is None else view.last_look(one, chunks, asked)
        chunk = chunks[one.id]
        words = " ".join(chunk.text.split())
        if told is None or words in said:
            continue  # a log and its copy in the archive, or words that stand in two places
        said.add(words)
        held = judge.held(chunk) if judge and view is None else {}
        hits.append(_hit(chunk, told, held, asked))
    return hits


def _hit(chunk: Chunk, ranked: Ranked, held: Held, asked: Asked) -> Hit:
    weights = {found: ranked.parts.get(word, 0.0) for word, found in ranked.words.items()}
    lines = best_lines(chunk.text, chunk.first_line, words_told(weights), weights)
    return Hit(
        chunk=chunk,
        score=ranked.score,
        lines=lines,
        why=_reasons(ranked, asked),
        held=_why_held(held) if held else None,
    )


def _why_held(held: Held) -> str:
    """Say which lines are withheld, and why: ``line 4: forgotten``."""
    by_reason: dict[str, list[int]] = {}
    for number, why in held.items():
        by_reason.setdefault(why, []).append(number)
    return "; ".join(
        f"{'line' if len(lines) == 1 else 'lines'} {_span(lines)}: {why}" for why, lines in by_reason.items()
    )


def _span(lines: Sequence[int]) -> str:
    if len(lines) > 1 and lines[-1] - lines[0] == len(lines) - 1:
        return f"{lines[0]}-{lines[-1]}"
    return ", ".join(map(str, lines))


def _reasons(ranked: Ranked, asked: Asked) -> tuple[Reason, ...]:
    said = {
        Why.NEIGHBOUR: "its day",
        Why.NAME: "a name",
        Why.TIME: asked.times.said,
        Why.HOP: " ".join(asked.led),
        Why.MEANING: "its meaning",
    }
    linked = {group.word: group.linked for group in asked.groups}
    reasons = [
        Reason(why=why, what=said[why], score=round(score, 4)) for why, score in ranked.besides.items()
    ]
    for word, score in ranked.parts.items():
        found = ranked.words[word]
        why = Why.EXPANSION if found in linked[word] or found != word else Why.TERM
        what = word if found == word else f"{found}, for {word}"
        reasons.append(Reason(why=why, what=what, score=round(score, 4)))
    return tuple(sorted(reasons, key=lambda one: (-one.score, one.why.value, one.what)))
