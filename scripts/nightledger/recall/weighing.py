"""Weigh what the index found: from chunks to what ranking sees of them, and back.

Invariant: nothing is decided here; ``domain/search/ranking.py`` decides, on values.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from nightledger.domain.search import Chunk
from nightledger.domain.search.ranking import BEFORE_WEIGHT, Candidate, Group, Ranked, rank, words_of
from nightledger.domain.search.timewords import Times
from nightledger.files.search_store import SearchStore
from nightledger.text.search import tokens

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
