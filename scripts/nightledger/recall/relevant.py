"""Which lines of memory a prompt has to do with: one look into the index, with the rarest words of the prompt.

Cheap to import: the prompt hook begins with it. ``bench/calibrating.py`` asks the same, so that a
threshold is measured on what the hook really does.

Invariant: only chunks are scored that were judged and may be shown to an agent.
"""

from nightledger.domain.relevance import weigh
from nightledger.recall.freshness import ARCHIVE, KINDS
from nightledger.text.search.tokens import match_any, query_terms, words_in

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Sequence

    from nightledger.files.search_reader import Line, Reader

EARLIER_PROMPTS = 3
MOST_OWN_WORDS = 64
MOST_EARLIER_WORDS = 48
"""More words of one prompt say no more about which memory it needs, and each costs a look. Our choice."""
MOST_HITS = 3_000
"""Chunks looked at for one word; a word that stands in more tells next to nothing."""
NEAR = 0.6
"""A second line is shown from this share of the first one's score up; docs/decisions/0023-what-an-agent-is-shown.md."""
_ITSELF = "{head body}: "
"""A chunk is indexed with the item before it, too, which is no part of it (sqlite.org/fts5.html, column filters)."""


class Looked:
    """What one look gave.

    Attributes:
        scores: Of each chunk that shares a word with the prompt, by its number.
        standing: Words of the prompt that stand in what may be shown, sorted.
    """

    __slots__ = ("scores", "standing")

    def __init__(self, scores: "dict[int, float]", standing: "Sequence[str]") -> None:
        self.scores = scores
        self.standing = standing

    def best(self, least: float) -> list[int]:
        """Give the chunks with a score from ``least`` up, the best first."""
        found = [number for number, score in self.scores.items() if score >= least]
        return sorted(found, key=lambda number: (-self.scores[number], number))

    def narrowed(self, line: "Line") -> "Line":
        """Return a chunk as it is quoted: of several archived items the line that shares the most words with the prompt."""
        if line.kind == ARCHIVE:
            rows = line.text.split("\n")
            at = max(range(len(rows)), key=lambda n: len(set(words_in(rows[n])).intersection(self.standing)))
            line.text, line.first, line.last = rows[at], line.first + at, line.first + at
        return line


def own_words(prompt: str) -> "Sequence[str]":
    """Give the words of a prompt; of a long one those at both ends, where what is asked stands."""
    words = query_terms(prompt)
    half = MOST_OWN_WORDS // 2
    return words if len(words) <= MOST_OWN_WORDS else [*words[:half], *words[-half:]]


def earlier_words(prompts: "Sequence[str]", topic: str) -> "Sequence[str]":
    """Give the words of the last prompts and of the topic."""
    return query_terms(" ".join((*prompts[-EARLIER_PROMPTS:], topic)))[:MOST_EARLIER_WORDS]


def look(
    reader: "Reader", own: "Sequence[str]", earlier: "Sequence[str]" = (), kinds: "Sequence[str]" = KINDS
) -> Looked:
    """Score the chunks that share words with a prompt.

    Args:
        reader: The index.
        own: Words of the prompt (:func:`own_words`).
        earlier: Words of what came before it (:func:`earlier_words`).
        kinds: Which kinds of lines count.

    Raises:
        SearchIndexError: The index cannot be used.
    """
    holding = reader.frequencies(list(dict.fromkeys((*own, *earlier))))
    asked = weigh(own, earlier, holding, reader.count())
    may = reader.may_be_shown(kinds)
    shared: dict[int, list[str]] = {}
    standing = set()
    for word in asked.words if may else ():
        for number in reader.with_words(f"{_ITSELF}{match_any([word])}", min(may), max(may), MOST_HITS):
            if number in may:
                shared.setdefault(number, []).append(word)
                standing.add(word)
    scores = {number: asked.score(words) for number, words in shared.items()}
    return Looked(scores, sorted(standing.intersection(own)))
