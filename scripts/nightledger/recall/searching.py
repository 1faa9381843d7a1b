"""From a query to what answers it: read it, find, weigh, choose, and say why.

Invariant: the index is asked for what the asker may see (``visibility.py``), so an agent is given nothing that is withheld,
and no reason that only such a line gave. Searching changes nothing but the index, which is disposable.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import Moment
from nightledger.domain.exposure import weigh
from nightledger.domain.periods import log_day
from nightledger.domain.search import (
    CANDIDATES,
    LINK_WEIGHT,
    Candidate,
    Chunk,
    Found,
    Hit,
    Kind,
    Query,
    Ranked,
    Reason,
    Showing,
    Why,
    best_lines,
    nearest,
    rank,
    rarity,
    with_what_follows,
)
from nightledger.domain.timewords import Times, read_times
from nightledger.files.configuration import home_zone
from nightledger.files.search_index import Filter, SearchStore
from nightledger.files.search_reader import DamagedIndexError
from nightledger.gate.opening import Gate, Ledger
from nightledger.recall.indexing import Refreshed, refresh
from nightledger.recall.meaning import Encoder, EncoderError, learn_new, near
from nightledger.recall.names import ITSELF, Forms, read_forms
from nightledger.text import tokens
from nightledger.text.dates import find_dates, time_words
from nightledger.text.similar import NEAR, dice, same_claim, shingles

MAX_WORDS = 64
"""Words of one query that are looked for: the first. More say no more, and each costs a list to walk."""
_MARK = re.compile(r"^\s*(?:[-*+]|\d+[.)])?\s*(?:\d\d?:\d\d(?:\s+|$))?")
"""What begins an item of a list or a line of a daily log."""
_WORDS = frozenset({Why.TERM, Why.EXPANSION})
BESIDE, ADDED_SHARE = 4, 0.2
"""Lines looked at on either side for words that the best ones lack, and the share of the words' worth that counts. Our choice."""
LEAST_RELEVANCE, LEAST_SHARE = 2.0, 0.1
"""Of the best hit, in nats (``domain/exposure.py``), and of the others as a share of it: an agent is told no less. Measured: docs/decisions/0022-ranking.md."""
FAR = "nothing here tells much of what was asked: at most a word or two of it are met"
SIGNED_SCORE = 0.25
"""Score from which a signed entry keeps one of the first half of the places, however many logs score higher. Our choice."""


class Asked(Struct, frozen=True, kw_only=True):
    """A query, read.

    Attributes:
        words: What is looked for.
        forms: In which forms.
        linked: Words that the home's associations tie to one of them, each with that one.
        times: The time that it tells.
        bare: Whether it asks for a time and nothing else: ``what happened last week``.
    """

    words: tuple[str, ...]
    forms: Forms
    linked: Mapping[str, str]
    times: Times
    bare: bool


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

    def ask(*said: str, anew: bool = False) -> Found:
        index = refresh(gate, ledger, moment, may_write=may_write, anew=anew)
        with closing(index.store):
            learned = learn_new(gate.home, index.store, encoder) if encoder and may_write else ()
            index = replace(index, notes=(*learned, *said, *index.notes))
            today = log_day(moment.at, home_zone(gate.home, gate.settings))
            found = search_in(index, query, today, encoder=encoder)
            return index.blocks.with_each(found, index.store.every_tag())

    try:
        return ask()
    except DamagedIndexError as error:  # found only then
        return ask(f"{error}: it was made anew", anew=True)


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
    times, notes = asked.times, []
    cosines: dict[int, float] = {}
    if encoder and not asked.bare:
        try:
            cosines = near(store, encoder, query.text[: tokens.MAX_QUERY_CHARACTERS], _wanted(query))
        except EncoderError as error:
            notes.append(f"{error}: words alone were searched")
    scores = find_scores(store, query, asked)
    chunks = store.chunks({**scores, **dict.fromkeys(() if query.tags else nearest(cosines))})
    candidates = [_candidate(chunk, scores.get(number, 0.0)) for number, chunk in chunks.items()]
    ranked = rank(candidates, within=times.holds if times.bounded else None, cosines=cosines)
    hits = tuple(_hits(store, _choose(ranked, chunks, query), chunks, asked))
    return Found(
        hits=hits,
        terms=tuple(asked.words),
        expanded=tuple(asked.linked.items()),
        since=query.since or times.since,
        until=query.until or times.until,
        said=times.said,
        only=asked.bare,
        notes=(*notes, *_time_notes(hits, query, asked, len(chunks))),
    )


def _candidate(chunk: Chunk, words: float) -> Candidate:
    return Candidate(
        id=chunk.id,
        words=words,
        together=f"{chunk.path}\n{chunk.day or chunk.heading}",
        # the file's name first, which a log keeps when it goes to the archive
        place=(chunk.path.rpartition("/")[2], chunk.path, chunk.first_line, chunk.n),
        day=chunk.day,
    )


def _time_notes(hits: Sequence[Hit], query: Query, asked: Asked, found: int) -> Iterator[str]:
    """Say what the time that a query tells did to the answer."""
    told = asked.times
    days = f"{told.said!r} ({told.since or '...'} to {told.until or '...'})"
    if asked.bare:
        more = f", the first {len(hits)} places that tell of it" if found > query.limit else ""
        yield f"shown is what lies in {days}{more}" if hits else f"nothing lies in {days}"
    elif told.bounded and hits and not (query.since or query.until):
        is_known = any(hit.chunk.day and told.holds(hit.chunk.day) for hit in hits)
        yield (
            f"what lies in {days} is preferred"
            if is_known
            else f"nothing was found for {days}; what is shown is of other times"
        )


def read_query(store: SearchStore, query: Query, today: date) -> Asked:
    """Read what a query asks for: its words with what is associated with them, the time it tells.

    Args:
        store: The index, which has the associations.
        query: As it was asked.
        today: The day it is asked on.
    """
    text = query.text[: tokens.MAX_QUERY_CHARACTERS]
    told = {(one.start, one.end): one.day for one in find_dates(text, near=today)}
    times = read_times(text, today=today, words=time_words(), dates=told)
    words = tokens.query_terms(times.rest)
    bare = times.bounded and tokens.nothing_said().issuperset(words) and not (query.since or query.until)
    words = (words or tokens.query_terms(text))[:MAX_WORDS]
    forms = read_forms(store, () if bare else words, agent=query.showing is Showing.AGENT)
    linked: dict[str, str] = {}
    for first, second, *_ in () if bare else store.links(words):
        for word, other in ((first, second), (second, first)):
            if word in words:
                parts = tokens.query_terms(other.replace("_", " "))
                linked |= {part: word for part in parts if part not in words and part not in linked}
    return Asked(words=words, forms=forms, linked=dict(sorted(linked.items())), times=times, bare=bare)


def _wanted(query: Query) -> Filter:
    tagged = " OR ".join(tokens.match_phrase(tokens.tag_terms(tag)) for tag in query.tags)
    return Filter(
        kinds=query.scope,
        since=query.since,
        until=query.until,
        seen_by=query.showing.value,
        match=tagged,
    )


def find_scores(store: SearchStore, query: Query, asked: Asked) -> dict[int, float]:
    """Find what may answer, each with what its words give: at any time, and in the told one besides.

    Args:
        store: The index.
        query: As it was asked.
        asked: The same, read.
    """
    wanted, told = _wanted(query), asked.times
    of_told = replace(wanted, since=told.since, until=told.told_until)
    if asked.bare:
        return dict.fromkeys(store.of_days(replace(of_told, until=told.until)), 0.0)

    def find(words: Iterable[str], wanted: Filter) -> dict[int, float]:
        return store.find(map(asked.forms.phrases_of, words), CANDIDATES, wanted)

    found = find(asked.words, wanted)
    if len(found) == CANDIDATES and not query.scope:  # logs are many: what was signed is weighed with them
        found |= find(asked.words, replace(wanted, kinds=(Kind.MEMORY,)))
    if told.bounded and query.since is None and query.until is None:
        found |= find(asked.words, of_told)
    for number, score in find(asked.linked, wanted).items() if asked.linked else ():
        found[number] = found.get(number, 0.0) + LINK_WEIGHT * score
    return found


def _choose(ranked: Iterable[Ranked], chunks: Mapping[int, Chunk], query: Query) -> list[Ranked]:
    """Return as many as are wanted, each text once, and where all kinds are, signed entries behind them that may keep a place."""
    chosen: list[Ranked] = []
    seen: set[str] = set()
    signed = 0
    for one in ranked:
        full, chunk = len(chosen) >= query.limit, chunks[one.id]
        if full and (query.scope or one.score < SIGNED_SCORE or 2 * signed >= query.limit):
            break
        said = " ".join(chunk.text.split())
        if said in seen or (full and not chunk.entry):
            continue  # a log and its copy in the archive, or words that stand in two places
        seen.add(said)
        chosen.append(one)
        signed += bool(chunk.entry and not chunk.held)
    return chosen


def _hits(
    store: SearchStore, chosen: Sequence[Ranked], chunks: Mapping[int, Chunk], asked: Asked
) -> Iterator[Hit]:
    """Give what was chosen with its best lines, and why: the words that the index finds in it."""
    words, forms = () if asked.bare or not chosen else (*asked.words, *asked.linked), asked.forms
    frequency, total = store.frequencies(words) | forms.counts, store.count()
    weighed = weigh(forms.counts, (), forms.counts, total, forms.names)
    first, last = min((one.id for one in chosen), default=0), max((one.id for one in chosen), default=0)
    holding = {
        word: frozenset(store.with_words(f"{ITSELF}({forms.match(word)})", first, last, -1)) for word in words
    }
    for one in chosen:
        chunk = chunks[one.id]
        weights = {
            word: rarity(frequency.get(word, 0), total) * (LINK_WEIGHT if word in asked.linked else 1.0)
            for word in words
            if one.id in holding[word]
        }
        lines = best_lines(chunk.text, chunk.first_line, words_told(weights, forms.others), weights)
        is_more = asked.bare or bool(one.parts[Why.MEANING]) or any(word in asked.linked for word in weights)
        yield Hit(
            chunk=chunk,
            score=one.score,
            lines=with_what_follows(chunk.text, chunk.first_line, lines),
            why=_reasons(one, weights, asked, chunk.day),
            held=chunk.held or None,
            relevance=None if is_more else weighed.score(weights.keys() & weighed.words.keys()),
        )


def _reasons(
    ranked: Ranked, weights: Mapping[str, float], asked: Asked, day: date | None
) -> tuple[Reason, ...]:
    """Return the parts of a score; what the words gave is shared out by how rare they are."""
    later = ", told later" if day and asked.times.is_later(day) else ""
    said = {
        Why.NEIGHBOUR: "its day" if day else "its section",
        Why.TIME: f"{asked.times.said}{later}",
        Why.MEANING: "its meaning",
    }
    parts = ranked.parts
    found = [Reason(why=why, what=said[why], score=round(parts[why], 4)) for why in said if parts[why]]
    for word, weight in weights.items():
        score = round(parts[Why.TERM] * weight / sum(weights.values()), 4)
        if word in asked.linked:
            found.append(Reason(why=Why.EXPANSION, what=f"{word}, for {asked.linked[word]}", score=score))
        else:
            found.append(Reason(why=Why.TERM, what=word, score=score))
    return tuple(sorted(found, key=lambda one: (-one.score, one.why.value, one.what)))


def as_told(found: Found, query: Query) -> Found:
    """Give what was found as whoever asked is told it: what is signed first; to an agent of all else the place alone.

    No fact is told twice. A place comes without the words above it, and with no reason that names a word which the query does not hold.
    What is less relevant than was measured an agent is not told (docs/decisions/0022-ranking.md); whoever asks is told so.
    """
    told = [hit.relevance for hit in found.hits if hit.relevance is not None]
    best = max(told, default=None) if len(told) == len(found.hits) else None  # with meaning words are not all
    is_far = best is not None and best < LEAST_RELEVANCE
    found = replace(found, notes=(*found.notes, FAR)) if is_far else found
    near = found.hits
    if query.showing is Showing.AGENT and best is not None:
        near = tuple(hit for hit in near if not is_far and (hit.relevance or 0.0) >= LEAST_SHARE * best)
    hits = _each_once(near)
    kept = [hit for hit in hits if hit.signed and hit.score >= SIGNED_SCORE][: query.limit // 2]
    chosen = [*map(_with_what_adds, sorted(hits, key=lambda hit: hit not in kept)[: query.limit])]
    if query.showing is Showing.OPERATOR:
        return replace(found, hits=tuple(sorted(chosen, key=lambda hit: not hit.signed)))
    hits = [hit if hit.chunk.entry or hit.chunk.moved else _place_alone(hit) for hit in chosen]
    return replace(found, hits=tuple(sorted(hits, key=lambda hit: not hit.chunk.text)), expanded=())


def _with_what_adds(hit: Hit) -> Hit:
    """Return a hit with its lines up to the nearest beside them that holds much of what they lack, as a child of an item does."""
    weights = {one.what.partition(", for ")[0]: one.score for one in hit.why if one.why in _WORDS}
    worth, rows = words_told(weights), hit.chunk.text.split("\n")
    first, last = (number - hit.chunk.first_line for number in hit.lines)
    lacking, least = weights.keys() - worth(hit.best_text), ADDED_SHARE * sum(weights.values())
    beside = range(max(0, first - BESIDE), min(len(rows), last + BESIDE + 1)) if lacking else ()
    adding = (at for at in beside if sum(weights[word] for word in lacking & worth(rows[at])) >= least)
    at = min(adding, key=lambda at: max(first - at, at - last), default=first)
    lines = (hit.chunk.first_line + min(first, at), hit.chunk.first_line + max(last, at))
    return replace(hit, lines=lines)


def _each_once(hits: Iterable[Hit]) -> list[Hit]:
    """Return hits without those that say the same as a better one; of two that do, the one that was signed stays."""
    kept: list[tuple[Hit, str, frozenset[int]]] = []
    for hit in hits:
        said = "\n".join(_MARK.sub("", line) for line in hit.best_text.split("\n"))
        fact = hit, said, shingles(said)
        alike = (
            n for n, one in enumerate(kept) if dice(one[2], fact[2]) >= NEAR and same_claim(one[1], said)
        )
        twin = next(alike, None)
        if twin is None:
            kept.append(fact)
        elif hit.signed and not kept[twin][0].signed:
            kept[twin] = fact
    return [hit for hit, _, _ in kept]


def _place_alone(hit: Hit) -> Hit:
    chunk = replace(hit.chunk, heading="", text="")
    return replace(hit, chunk=chunk, why=tuple(one for one in hit.why if one.why is not Why.EXPANSION))


def words_told(
    weights: Iterable[str], others: Mapping[str, Sequence[str]] | None = None
) -> Callable[[str], frozenset[str]]:
    """Return what tells which words of a query a line holds; words with one beginning are taken for one.

    Args:
        weights: The words.
        others: Other forms of them, of which the first word counts.
    """
    forms = {word: (word, *(form.split()[0] for form in (others or {}).get(word, ()))) for word in weights}
    starts = {
        word: tuple(tokens.plain(form)[: max(3, len(form) - 3)] for form in told)
        for word, told in forms.items()
    }

    def told(line: str) -> frozenset[str]:
        said = set(map(tokens.plain, tokens.words_in(line)))
        return frozenset(
            word for word, told in starts.items() if any(other.startswith(told) for other in said)
        )

    return told
