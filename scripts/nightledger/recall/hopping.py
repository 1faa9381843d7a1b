"""Look a second time, for what the first hits lead to.

Invariant: only lines that the asker may see lead on, so nothing that is withheld decides what is found.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from nightledger.domain.search.expansion import Group
from nightledger.domain.search.hops import BEST_HITS, is_answered, with_hop, words_on
from nightledger.domain.search.ranking import Ranked
from nightledger.domain.search.values import Hit
from nightledger.files.search_store import SearchStore
from nightledger.recall.weighing import Asked
from nightledger.text.search import tokens
from nightledger.text.search.stop_words import STOP_WORDS


def follow(
    store: SearchStore,
    asked: Asked,
    ranked: Sequence[Ranked],
    hits: Sequence[Hit],
    search: Callable[[Asked], Sequence[Ranked]],
) -> tuple[list[Ranked], tuple[str, ...]]:
    """Give what one more hop makes of a search, and the words that led on; () where the query is answered.

    Args:
        store: The index.
        asked: The query.
        ranked: What its words found.
        hits: The best of it that the asker may see.
        search: Finds and weighs, as for the query itself.
    """
    own = [group.word for group in asked.groups]
    frequency, total = store.frequencies(own), store.count()
    if not hits or is_answered(ranked, asked.groups, frequency, total):
        return list(ranked), ()
    lines = [tokens.words_in(_best(hit)) for hit in hits[:BEST_HITS]]
    words = _leading(store, asked, lines, total)
    if not words:
        return list(ranked), ()
    second = search(replace(asked, groups=tuple(Group(word=word) for word in words), names=()))
    return with_hop(ranked, second), words


def _leading(store: SearchStore, asked: Asked, lines: Sequence[Sequence[str]], total: int) -> tuple[str, ...]:
    said = sorted({word for line in lines for word in line})
    looked_for = [word for group in asked.groups for word in group.weights]
    stems = [tuple(stem) for stem in store.stems([*looked_for, *said])]
    known = set(stems[: len(looked_for)])
    new = [word for word, stem in zip(said, stems[len(looked_for) :], strict=True) if stem not in known]
    passed = STOP_WORDS.union(said).difference(new) | STOP_WORDS
    return words_on(lines, passed, store.frequencies(new), total)


def _best(hit: Hit) -> str:
    lines = hit.chunk.text.split("\n")
    first, last = (number - hit.chunk.first_line for number in hit.lines)
    return "\n".join(lines[first : last + 1])
