"""Which chunks may answer: found by FTS5, or in a large home by the quick index, and weighed afterwards either way.

Invariant: what the quick index names is looked up in the search index; a number that stands for nothing there,
or for what was not asked for, is left out.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from nightledger.domain.search.engines import Engine
from nightledger.domain.search.ranking import CANDIDATES
from nightledger.domain.search.rarity import telling_words
from nightledger.files.quick_index import QuickIndexError, remove_quick
from nightledger.files.search_store import Filter, SearchStore
from nightledger.text.search import tokens

_SPARE = 4
"""So many times the candidates wanted are asked for, where only some kinds count, before FTS5 is asked instead."""


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


def find_candidates(store: SearchStore, words: Sequence[str], reach: Reach) -> list[int]:
    """Give the numbers of the chunks that match best, at most ``CANDIDATES``.

    The quick index looks for every word. FTS5, which walks the whole list of each, looks for the rarest of a query in a large home.

    Args:
        store: The index.
        words: Of which one at least is said.
        reach: What else is asked for.
    """
    found = _found_quickly(store, words, reach)
    if found is not None:
        store.asked.add(Engine.TANTIVY.value)
        return found
    store.asked.add(Engine.FTS5.value)
    match = tokens.match_any(telling_words(words, store.frequencies(words)))
    return [one.id for one in store.find(reach.match(match), CANDIDATES, reach.wanted)]


def _found_quickly(store: SearchStore, words: Sequence[str], reach: Reach) -> list[int] | None:
    """Ask the quick index; None where there is none, where it does not know enough, or fails.

    It knows neither kinds, nor which words stand side by side nor what begins with a letter.
    """
    quick = store.quick
    if quick is None or not words or reach.tags or any(map(_is_a_letter, words)):
        return None
    wanted = reach.wanted
    by_kind = bool(wanted.kinds or wanted.only_shown)
    most = CANDIDATES * (_SPARE if by_kind else 1)
    stems = [stem for parts in store.stems(words) for stem in parts]
    try:
        found = quick.find(stems, most, since=wanted.since, until=wanted.until)
    except QuickIndexError as error:
        store.quick, store.failed = None, str(error)
        with suppress(OSError):
            remove_quick(quick.directory)  # the next look makes it anew
        return None
    passing = store.passing(found, wanted)
    enough = not by_kind or len(passing) >= CANDIDATES or len(found) < most
    return passing[:CANDIDATES] if enough else None


def _is_a_letter(word: str) -> bool:
    return len(word) == 1 and tokens.is_unspaced(word)
