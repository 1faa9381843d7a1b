"""In which forms a query's words are looked for: as they stand, by other names, and as what was likely meant.

What a home says of names is learned when a file is indexed, and kept with the chunk that says it: who may not see the
chunk is not helped by it. A word that stands nowhere, by no name, is taken for a slip of the words that are nearly it.

Cheap to import: the prompt hook reads its words here, too.
"""

from nightledger.text.search.names import (
    KEPT_LETTERS,
    MOST_NAME_WORDS,
    is_slip,
    names_in,
    pairs_in,
    shared_names,
)
from nightledger.text.search.tokens import is_unspaced, match_any, match_phrase

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Sequence

    from nightledger.files.search_index import SearchWriter
    from nightledger.files.search_reader import Reader

_NAMED = frozenset({"memory", "principle", "handoff"})
"""Kinds of which names count as such; pairs of names are learned from all."""
_ENDINGS = (("", ""), ("", "e"), ("", "s"), ("i", "y"), ("", "es"))
"""What makes a stem a word that has it, since FTS5 stems what it is asked for."""


class Forms:
    """How a query's words are looked for.

    Attributes:
        phrases: For each word the FTS5 expressions of its forms.
        counts: For each word how many chunks hold it, by any of its forms.
        others: For each word that has them its other forms, each of one or more words.
        names: Words that are names.
    """

    __slots__ = ("counts", "names", "others", "phrases")

    def __init__(self, words: "Sequence[str]", others: "dict[str, list[str]]") -> None:
        self.others = others
        self.phrases = {
            word: (match_any([word]), *(match_phrase(form.split()) for form in others.get(word, ())))
            for word in words
        }
        self.counts: dict[str, int] = {}
        self.names: frozenset[str] = frozenset()

    def phrases_of(self, word: str) -> tuple[str, ...]:
        """Return the FTS5 expressions that find a word, by any of its forms; of one that was not asked by itself."""
        return self.phrases.get(word) or (match_any([word]),)

    def match(self, word: str) -> str:
        """Return the FTS5 expression of all of them."""
        return " OR ".join(self.phrases_of(word))


def read_forms(
    reader: "Reader", words: "Sequence[str]", *, agent: bool, kinds: "Sequence[str]" = ()
) -> Forms:
    """Return in which forms the words of a query are looked for.

    Args:
        reader: The index.
        words: Of the query, in order (``text/search/tokens.py``).
        agent: Whether only what an agent may see teaches names.
        kinds: Kinds of chunks that teach them; empty is all.

    Raises:
        SearchIndexError: The index cannot be used.
    """
    runs: dict[str, Sequence[str]] = {
        " ".join(words[at : at + long]): words[at : at + long]
        for long in range(1, MOST_NAME_WORDS + 1)
        for at in range(len(words) - long + 1)
    }
    told = reader.names(list(runs), agent=agent, kinds=kinds)
    shared = shared_names()
    others: dict[str, list[str]] = {}
    for run, parts in runs.items():
        also = (*shared.get(run, ()), *(other for name, other in told if name == run and other))
        for word in parts if also else ():
            others.setdefault(word, []).extend(form for form in also if form not in others[word])
    counts = reader.frequencies(words)
    found = Forms(words, others)
    counts |= {word: reader.holding(found.match(word)) for word in others}
    slips = _slips(reader, [word for word in words if not counts[word]])
    if slips:
        found = Forms(words, others | slips)
        counts |= {word: reader.holding(found.match(word)) for word in slips}
    found.counts = counts
    found.names = frozenset(name for name, other in told if not other).union(
        word for word in words if word in shared
    )
    return found


def _slips(reader: "Reader", words: "Sequence[str]") -> "dict[str, list[str]]":
    """Return for words that stand nowhere the words of the home of which each is likely a slip."""
    spaced = [word for word in words if word.isalpha() and not is_unspaced(word)]
    stems = {word: said[0] for word, said in zip(spaced, reader.stems(spaced), strict=True) if len(said) == 1}
    near = {
        word: [term for term in reader.terms(stem[:KEPT_LETTERS]) if term.isalpha() and is_slip(stem, term)]
        for word, stem in stems.items()
    }
    terms = sorted({term for found in near.values() for term in found})
    tries = [
        (term, term.removesuffix(old) + new) for old, new in _ENDINGS for term in terms if term.endswith(old)
    ]
    said = reader.stems([whole for _, whole in tries])
    whole = {
        term: word for (term, word), stem in reversed([*zip(tries, said, strict=True)]) if stem == [term]
    }
    told = {word: [whole[term] for term in found if term in whole] for word, found in near.items()}
    return {word: found for word, found in told.items() if found}


def learn_names(writer: "SearchWriter", path: str) -> None:
    """Keep what an indexed file says of names.

    Args:
        writer: The index.
        path: The file, relative to the home.
    """
    rows = []
    for chunk in writer.store.chunks_of(path):
        pairs = {*pairs_in(chunk.text)}
        rows += [(name, other, chunk.id) for pair in pairs for name, other in (pair, pair[::-1])]
        rows += [(name, "", chunk.id) for name in names_in(chunk.text) if chunk.kind.value in _NAMED]
    writer.put_names(rows)
