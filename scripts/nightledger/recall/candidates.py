"""Which chunks may answer: found by FTS5, weighed afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass

from nightledger.domain.search.ranking import CANDIDATES, telling_words
from nightledger.files.search_store import Filter, SearchStore
from nightledger.text.search import tokens


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

    FTS5 walks the whole list of each word, so in a large home the rarest of a query are looked for.

    Args:
        store: The index.
        words: Of which one at least is said.
        reach: What else is asked for.
    """
    match = tokens.match_any(telling_words(words, store.frequencies(words)))
    return [one.id for one in store.find(reach.match(match), CANDIDATES, reach.wanted)]
