"""Weigh what the index found, and look again for what the first hits lead to, and for what that leads to.

Invariant: nothing is decided here; ``domain/search`` decides, on values. Only lines that the asker may see lead on.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from nightledger.domain.search.expansion import Group, words_of
from nightledger.domain.search.hops import BEST_HITS, is_answered, with_hop, words_on
from nightledger.domain.search.ranking import BEFORE_WEIGHT, Candidate, Ranked, rank
from nightledger.domain.search.timewords import Times
from nightledger.domain.search.values import MOST_HOPS, Chunk, Hit
from nightledger.files.search_store import SearchStore
from nightledger.text.search import tokens
from nightledger.text.search.stop_words import STOP_WORDS

_LEAST_SHARED = 2
"""Letters that a word and one of the query have in common at their start, if they can have one stem: ``tries``
and ``try`` both become ``tri``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A query, read.

    Attributes:
        groups: Its words with what may stand for them.
        names: Its names, each as words.
        times: The time that it tells.
        led: Words of the first hits that were looked for, too.
        bare: Whether it asks for a time and nothing else: ``what happened last week``.
        only: Whether only the told time is searched.
    """

    groups: tuple[Group, ...]
    names: tuple[tuple[str, ...], ...]
    times: Times
    led: tuple[str, ...] = ()
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
    candidates = [
        _candidate(chunks[number], own, before, meant, asked) for number, (own, before) in spoken.items()
    ]
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
    chunk: Chunk, own: Sequence[str], before: Sequence[str], meant: Mapping[str, str], asked: Asked
) -> Candidate:
    counts: dict[str, float] = {}
    for spoken, weight in ((own, 1.0), (before, BEFORE_WEIGHT)):
        for word, count in Counter(meant[word] for word in spoken if word in meant).items():
            counts[word] = counts.get(word, 0.0) + weight * count
    line = f" {' '.join(own)} " if asked.names else ""
    return Candidate(
        id=chunk.id,
        together=f"{chunk.path}\n{chunk.day or chunk.heading}",
        counts=counts,
        length=len(own) + len(before),
        day=chunk.day,
        names=sum(f" {' '.join(name)} " in line for name in asked.names),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """How it is looked again.

    Attributes:
        search: Finds and weighs, as for the query itself.
        shown: Gives the hits of what was weighed that the asker may see, the best first.
        most: Hops one after another.
    """

    search: Callable[[Asked], Sequence[Ranked]]
    shown: Callable[[Sequence[Ranked], Asked], Sequence[Hit]]
    most: int


def follow(
    store: SearchStore, asked: Asked, ranked: Sequence[Ranked], hits: Sequence[Hit], again: Again
) -> tuple[list[Ranked], tuple[str, ...]]:
    """Give what hops make of a search, and the words that led on; () where the query is answered.

    Args:
        store: The index.
        asked: The query.
        ranked: What its words found.
        hits: The best of it that the asker may see.
        again: How what leads on is looked for.
    """
    own = [group.word for group in asked.groups]
    frequency, total = store.frequencies(own), store.count()
    if not hits or is_answered(ranked, asked.groups, frequency, total):
        return list(ranked), ()
    found, leading, led = list(ranked), hits[:BEST_HITS], tuple[str, ...]()
    most, passed = min(again.most, MOST_HOPS), {hit.chunk.id for hit in leading}
    for n in range(most):
        words = _leading(store, asked, led, [tokens.words_in(hit.best_text) for hit in leading], total)
        if not words:
            break
        led = (*led, *words)
        second = again.search(replace(asked, groups=tuple(Group(word=word) for word in words), names=()))
        found = with_hop(found, second, n)
        brought = {one.id for one in second if one.parts} - passed
        ahead = again.shown(found, replace(asked, led=led)) if n + 1 < most else ()
        leading = [hit for hit in ahead if hit.chunk.id in brought][:BEST_HITS]
        passed.update(hit.chunk.id for hit in leading)
    return found, led


def _leading(
    store: SearchStore, asked: Asked, led: Sequence[str], lines: Sequence[Sequence[str]], total: int
) -> tuple[str, ...]:
    said = sorted({word for line in lines for word in line})
    looked_for = [*(word for group in asked.groups for word in group.weights), *led]
    stems = [tuple(stem) for stem in store.stems([*looked_for, *said])]
    known = set(stems[: len(looked_for)])
    new = [word for word, stem in zip(said, stems[len(looked_for) :], strict=True) if stem not in known]
    passed = STOP_WORDS.union(said).difference(new) | STOP_WORDS
    return words_on(lines, passed, store.frequencies(new), total)
