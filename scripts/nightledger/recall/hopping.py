"""Look again, for what the first hits lead to, and for what that leads to.

Invariant: only lines that the asker may see lead on, so nothing that is withheld decides what is found.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nightledger.domain.search.expansion import Group
from nightledger.domain.search.hops import BEST_HITS, is_answered, with_hop, words_on
from nightledger.domain.search.ranking import Ranked
from nightledger.domain.search.values import MOST_HOPS, Hit
from nightledger.files.search_store import SearchStore
from nightledger.recall.weighing import Asked
from nightledger.text.search import tokens
from nightledger.text.search.stop_words import STOP_WORDS


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
