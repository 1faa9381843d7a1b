"""Other names of things, found in what is remembered and used for a query; and typos.

What a home says of names is learned when a file is indexed, and kept with the chunk that says it: who may not see the
chunk is not helped by it. A word that stands nowhere, by no name, is taken for a slip of the words that are nearly it.

Cheap to import: the prompt hook reads its words here, too.

``config/words/aliases.json`` has names that many people share (``kubernetes``: ``k8s``); a home adds its own where it says
both, as in ``GitHub Actions (GHA)``. A name is a word that a text writes as one, with a capital inside a sentence.

Invariant: pure; all names are words as the index spells them, with a blank between.
"""

import re
from functools import cache

from nightledger.text.patterns import words
from nightledger.text.tokens import is_unspaced, match_any, match_phrase, stop_words, words_in

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nightledger.files.search_index import SearchWriter
    from nightledger.files.search_reader import Reader

MOST_NAME_WORDS = 3
"""Words of a name that a query is looked through for: ``dead letter queue``. Our choice."""
LEAST_TYPO_LETTERS, LEAST_EXCHANGED, LEAST_TWO_SLIPS = 5, 7, 9
"""Letters of the longer word from which one slip is forgiven, a letter written for another, and two slips: ``reach`` is
no slip of ``react``. Measured: docs/decisions/0022-ranking.md."""
KEPT_LETTERS = 2
"""Letters at the beginning that a slip leaves as they are: few slips are there (Yannakoudakis and Fawthrop, 1983), and
``mango`` stays apart from ``mongo``."""
_NAME = (
    r"(?<=[^\W_.!?:])[ ,/(]+([A-Z][\w.+#-]*)"  # a capital behind a word or a comma, not at a sentence's head
    r"|\b(\w*[a-z0-9][A-Z]\w*|[A-Z]+\d\w*|[A-Z]{2,}\w*)\b"  # MongoDB, S3, EKS
)
ITSELF = "{head body}: "
"""A chunk is indexed with the item before it, too, which is no part of it (sqlite.org/fts5.html, column filters)."""
_INNER = r"\b()(\w*[a-z0-9][A-Z]\w*|[A-Z]+\d\w*|[A-Z]{2,}\w*)\b"
_BOTH = r"((?:[\w.+#/-]+[ ]){0,7}[\w.+#/-]+)[ ]\(([^()\n]{2,60})\)"
_SHORT = r"[A-Za-z][A-Za-z0-9&-]{1,7}"


@cache
def shared_names() -> "Mapping[str, tuple[str, ...]]":
    """Return for each name of the shipped table all others of the same thing."""
    found: dict[str, tuple[str, ...]] = {}
    for name, others in words("aliases").items():
        group = (name, *others)
        for one in group:
            found[one] = (*found.get(one, ()), *(other for other in group if other != one))
    return found


def names_in(text: str) -> frozenset[str]:
    """Return the words that a text writes as names; of a German one, where each noun has a capital, only odd ones: ``MongoDB``."""
    said = set(words_in(text))
    german, english = (frozenset(words("stop-words")[language]) for language in ("german", "english"))
    is_german = len(said & german - english) > len(said & english - german)
    found = (one[1] or one[2] for one in re.finditer(_INNER if is_german else _NAME, text))
    return frozenset(
        word for name in found for word in words_in(name) if len(word) > 1 and word not in stop_words()
    )


def pairs_in(text: str) -> "Iterator[tuple[str, str]]":
    """Yield a short and a long name where a text says both: ``GitHub Actions (GHA)``, ``GHA (GitHub Actions)``."""
    for before, inside in re.findall(_BOTH, text) if "(" in text else ():
        last = before.rpartition(" ")[2]
        for short, told in ((inside, before), (last, inside)):
            if re.fullmatch(_SHORT, short) and any(map(str.isupper, short)):
                long = " ".join(words_in(_long_form(short, told)))
                if long and long != short.casefold():
                    yield " ".join(words_in(short)), long


def _long_form(short: str, told: str) -> str:
    """Return the end of a text that a short form stands for; empty where none does (Schwartz and Hearst, 2003).

    The letters of the short form stand in it in order, the first at the beginning of a word.
    """
    at = len(told)
    letters = [letter for letter in short.casefold() if letter.isalnum()]
    low = told.casefold()
    for n, letter in reversed([*enumerate(letters)]):
        at = low.rfind(letter, 0, at)
        while n == 0 and at > 0 and low[at - 1].isalnum():
            at = low.rfind(letter, 0, at)
        if at < 0:
            return ""
    long = told[at:]
    return long if 1 < len(long.split()) <= len(letters) + 3 else ""


def is_slip(word: str, other: str) -> bool:
    """Tell whether one of two words, as the index stems them, is likely the other mistyped.

    Counted are letters left out, added, written for another, and neighbours that changed places (Damerau, 1964).
    """
    longer = max(len(word), len(other))
    most = 2 if longer >= LEAST_TWO_SLIPS else 1
    if longer < LEAST_TYPO_LETTERS or abs(len(word) - len(other)) > most or word == other:
        return False
    if longer < LEAST_EXCHANGED and len(word) == len(other) and sorted(word) != sorted(other):
        return False
    before: list[int] = []
    row = [*range(len(other) + 1)]
    for n, letter in enumerate(word, 1):
        now = [n]
        for k, against in enumerate(other, 1):
            cost = min(row[k] + 1, now[-1] + 1, row[k - 1] + (letter != against))
            if n > 1 and k > 1 and letter == other[k - 2] and word[n - 2] == against:
                cost = min(cost, before[k - 2] + 1)
            now.append(cost)
        before, row = row, now
    last: int = row[-1]
    return last <= most


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
        words: Of the query, in order (``text/tokens.py``).
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
