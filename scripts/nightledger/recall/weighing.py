"""How found chunks are weighed, and what of them is shown: each text once, what an agent may see, and why it was found.

Invariant: chunks are those that the asker may see (``visibility.py``): a reason names no word that only a withheld line has.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.search import Chunk, Found, Hit, Query, Reason, Showing, Why, best_lines
from nightledger.domain.search.ranking import BEFORE_WEIGHT, Candidate, Group, Ranked, rank, words_of
from nightledger.domain.search.timewords import Times
from nightledger.files.search_store import SearchStore
from nightledger.text.search import tokens
from nightledger.text.similar import NEAR, dice, same_claim, shingles

_LEAST_SHARED = 2
"""Letters that a word and one of the query have in common at their start, if they can have one stem: ``tries``
and ``try`` both become ``tri``."""


class Asked(Struct, frozen=True, kw_only=True):
    """A query, read.

    Attributes:
        groups: Its words with what may stand for them.
        times: The time that it tells.
        bare: Whether it asks for a time and nothing else: ``what happened last week``.
        only: Whether only the told time is searched.
    """

    groups: tuple[Group, ...]
    times: Times
    bare: bool = False
    only: bool = False


def weigh(store: SearchStore, chunks: Mapping[int, Chunk], asked: Asked) -> list[Ranked]:
    """Give chunks the best first.

    Args:
        store: The index that found them.
        chunks: By their numbers.
        asked: What for.
    """
    words = words_of(asked.groups)
    leads = store.leads(chunks)
    spoken = {
        number: (tokens.words_in(f"{chunk.prefix} {chunk.text}"), tokens.words_in(leads.get(number, "")))
        for number, chunk in chunks.items()
    }
    meant = _meant(store, words, {word for own, before in spoken.values() for word in (*own, *before)})
    candidates = [_candidate(chunks[number], own, before, meant) for number, (own, before) in spoken.items()]
    times = asked.times
    ranked = rank(
        candidates,
        asked.groups,
        frequency=store.frequencies(words),
        total=store.count(),
        within=times.holds if times.bounded else None,
    )
    place = {number: _place(chunk) for number, chunk in chunks.items()}
    return sorted(ranked, key=lambda one: (-one.score, *place[one.id]))


def _place(chunk: Chunk) -> tuple[str, str, int, int]:
    """Give what orders equals: the file's name first, which a log keeps when it goes to the archive."""
    return chunk.path.rpartition("/")[2], chunk.path, chunk.first_line, chunk.n


def _candidate(
    chunk: Chunk, own: Sequence[str], before: Sequence[str], meant: Mapping[str, str]
) -> Candidate:
    counts: dict[str, float] = {}
    for spoken, weight in ((own, 1.0), (before, BEFORE_WEIGHT)):
        for word, count in Counter(meant[word] for word in spoken if word in meant).items():
            counts[word] = counts.get(word, 0.0) + weight * count
    return Candidate(
        id=chunk.id,
        together=f"{chunk.path}\n{chunk.day or chunk.heading}",
        counts=counts,
        length=len(own) + len(before),
        day=chunk.day,
    )


def _meant(store: SearchStore, asked: Sequence[str], spoken: set[str]) -> dict[str, str]:
    """Give for each word that was spoken the word that was asked for and has its stem."""
    starts = {tokens.plain(word)[:_LEAST_SHARED] for word in asked}
    near = sorted(word for word in spoken if tokens.plain(word)[:_LEAST_SHARED] in starts)
    stems = store.stems([*asked, *near])
    by_stem: dict[tuple[str, ...], str] = {}
    for word, stem in zip(asked, stems, strict=False):
        by_stem.setdefault(tuple(stem), word)
    found = {
        word: by_stem[tuple(stem)]
        for word, stem in zip(near, stems[len(asked) :], strict=True)
        if tuple(stem) in by_stem
    }
    letters = [word for word in asked if len(word) == 1 and tokens.is_unspaced(word)]
    return found | {word: letter for letter in letters for word in spoken if word.startswith(letter)}


_MARK = re.compile(r"^\s*(?:[-*+]|\d+[.)])?\s*(?:\d\d?:\d\d(?:\s+|$))?")
"""What begins an item of a list or a line of a daily log."""
_OTHER_WORDS = frozenset({Why.EXPANSION, Why.ALIKE})
"""Reasons that name words of what was found."""
_WORDS = frozenset({Why.TERM, Why.EXPANSION, Why.ALIKE})
BESIDE, ADDED_SHARE = 4, 0.2
"""Lines looked at on either side for words that the best ones lack, and the share of the words' worth that counts. Our choice."""
SIGNED_SCORE = 0.25
"""Score from which a signed entry keeps one of the first half of the places, however many logs score higher. Our choice."""


class Chosen(Struct, frozen=True, kw_only=True):
    """What is shown.

    Attributes:
        hits: The best first.
        ranked: What gave each of them its score.
    """

    hits: tuple[Hit, ...]
    ranked: tuple[Ranked, ...]


def choose(ranked: Iterable[Ranked], chunks: Mapping[int, Chunk], query: Query, asked: Asked) -> Chosen:
    """Choose the hits of a query: as many as are wanted and, where all kinds are, signed entries behind them that may keep a place.

    Args:
        ranked: The best first.
        chunks: By their numbers.
        query: How many are wanted.
        asked: The query, read.
    """
    hits: list[Hit] = []
    shown_by: list[Ranked] = []
    seen: set[str] = set()
    for one in ranked:
        full, signed = len(hits) >= query.limit, sum(hit.signed for hit in hits)
        if full and (query.scope or one.score < SIGNED_SCORE or 2 * signed >= query.limit):
            break
        chunk = chunks[one.id]
        said = " ".join(chunk.text.split())
        if said in seen or (full and not chunk.entry):
            continue  # a log and its copy in the archive, or words that stand in two places
        seen.add(said)
        hits.append(_hit(chunk, one, asked))
        shown_by.append(one)
    return Chosen(hits=tuple(hits), ranked=tuple(shown_by))


def as_told(found: Found, query: Query) -> Found:
    """Give what was found as whoever asked is told it: what is signed first; to an agent of all else the place alone.

    No fact is told twice. A place comes without the words above it, and with no reason that names a word which the query does not hold.
    """
    hits = _each_once(found.hits)
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
    return replace(hit, chunk=chunk, why=tuple(one for one in hit.why if one.why not in _OTHER_WORDS))


def _hit(chunk: Chunk, ranked: Ranked, asked: Asked) -> Hit:
    weights = {found: ranked.parts.get(word, 0.0) for word, found in ranked.words.items()}
    lines = best_lines(chunk.text, chunk.first_line, words_told(weights), weights)
    return Hit(
        chunk=chunk,
        score=ranked.score,
        lines=lines,
        why=_reasons(ranked, asked, chunk.day),
        held=chunk.held or None,
    )


def words_told(weights: Mapping[str, float]) -> Callable[[str], frozenset[str]]:
    """Return what tells which words of a query a line holds; words with one beginning are taken for one.

    Args:
        weights: By the words.
    """
    starts = {word: tokens.plain(word)[: max(3, len(word) - 3)] for word in weights}

    def told(line: str) -> frozenset[str]:
        said = set(map(tokens.plain, tokens.words_in(line)))
        return frozenset(
            word for word, start in starts.items() if any(other.startswith(start) for other in said)
        )

    return told


def _reasons(ranked: Ranked, asked: Asked, day: date | None) -> tuple[Reason, ...]:
    said = {
        Why.NEIGHBOUR: "its day" if day else "its section",
        Why.TIME: f"{asked.times.said}{', told later' if day and asked.times.is_later(day) else ''}",
        Why.MEANING: "its meaning",
    }
    linked = {group.word: group.linked for group in asked.groups}
    reasons = [
        Reason(why=why, what=said[why], score=round(score, 4)) for why, score in ranked.besides.items()
    ]
    for word, score in ranked.parts.items():
        found = ranked.words[word]
        why = Why.TERM if found == word else Why.EXPANSION if found in linked[word] else Why.ALIKE
        what = tokens.shown_as(word) if found == word else f"{found}, for {word}"
        reasons.append(Reason(why=why, what=what, score=round(score, 4)))
    return tuple(sorted(reasons, key=lambda one: (-one.score, one.why.value, one.what)))
