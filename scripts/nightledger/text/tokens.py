"""Words as the index knows them, one spelling, and letter pairs for scripts without spaces; and how alike two texts are by them.

SQLite's ``unicode61`` takes a run of Chinese or Japanese for one word, and never finds a part of
it. So such runs are written as overlapping pairs of letters, in the index and in the query alike,
with the last letter once more alone: then ``x*`` finds a letter wherever it stands. It leaves
accents on Greek letters and the stroke in ``ł``, so these go here.

How alike a question and a text are, 0..1, is told by these words; no index is asked. Of each word of the question counts
the best word that stands for it: itself, a form of it, a longer word that it begins, with what it tells: a word that few of
the texts hold tells more. The sum is shared out over what the whole question tells, so what no text holds lowers the
likeness of all; or over what the whole text tells, where that is less. The same texts in another order give the same likeness.

Invariant: what comes from a user reaches SQLite as quoted words of letters and digits only; no
quote, operator or column name of theirs does.
"""

import math
import re
import unicodedata
from collections import Counter
from functools import cache

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

MAX_QUERY_CHARACTERS = 10_000
"""Of a query that is longer, the rest is not read. Our choice."""
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
"""Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean (Unicode's blocks of these scripts)."""
_RUNS, _PRIVATE = (
    f"[{_UNSPACED}]+",
    "[\ue000-\uf8ff\U000f0000-\U0010ffff]",
)  # compiled where met: the prompt hook has other scripts seldom
_WORDS_OR_RUNS = rf"[^\W_{_UNSPACED}]+|{_RUNS}"
_INDEXED = re.compile(r"[^\W_]+")
_ELIDED = re.compile(
    r"(?<![\w'])(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu|un|(?:[dns]?[ae]|su)ll|quest)'(?=[^\W\d_]{2})",
    re.IGNORECASE,
)
"""What French and Italian write before a word and join to it: ``l'école``, ``dell'ufficio``."""
_PLAIN_LETTERS = {
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th",
    "ё": "\u0435", "\u0640": "", "\u00ad": "", "\u200b": "", "\u2060": "", "\ufeff": "",
}  # fmt: skip
"""Letters that are often typed without their stroke or dots and have no mark that could be taken off, and signs that
are not seen (Arabic tatweel, soft hyphen, marks of no width)."""


def index_text(text: str) -> str:
    """Give a text as it goes into the index: one spelling, runs of unspaced scripts as letter pairs.

    One spelling is NFKC, in lower case, without marks that are often left out;
    private characters (a prompt's icons) are blanks: SQLite takes them for letters.
    """
    plain = _spelt(text)
    if plain.isascii():
        return plain
    paired = re.sub(_RUNS, _pairs, re.sub(_PRIVATE, " ", plain))
    return paired.encode("utf-8", "replace").decode()


def query_terms(text: str, *, stop_words: "Collection[str] | None" = None) -> tuple[str, ...]:
    """Give the words of a query, each once, in order; stop words only where it has no others.

    A word is letters and digits only; of a script without spaces it is a pair of letters, or one
    letter that stands alone in the query.

    Args:
        text: As somebody typed it; read up to ``MAX_QUERY_CHARACTERS``.
        stop_words: Folded words to leave out, and with any of them what asks in a script without spaces; ours where none are given.
    """
    lists = _lists()
    left_out = lists[0] if stop_words is None else stop_words
    spelt = _spelt(text[:MAX_QUERY_CHARACTERS]).casefold()
    asking = "|".join(sorted(lists[2], key=len, reverse=True))
    unasked = spelt if spelt.isascii() or not left_out else re.sub(asking, " ", spelt)
    found, telling = (
        dict.fromkeys(term for word in _words(said) for term in _terms(word)) for said in (spelt, unasked)
    )
    return tuple(term for term in telling if term not in left_out) or tuple(found)


@cache
def _lists() -> "tuple[frozenset[str], frozenset[str], Sequence[str]]":
    """Return stop words, these with what asks for anything at all, and what asks in scripts without spaces."""
    from nightledger.text.patterns import words

    lists = words("stop-words")
    spaced = {language: listed for language, listed in lists.items() if not language.startswith("asking")}
    stop = frozenset(word for listed in spaced.values() for word in listed)
    return stop, stop.union(lists["asking"]), lists["asking_unspaced"]


def stop_words() -> frozenset[str]:
    """Give words that say nothing about what a query is about (``config/words/stop-words.json``), without apostrophes: ``dont``.

    Words of order and place (``first``, ``before``, ``own``, ``down``) are none of them: without these, questions
    about conversations found their answers more often (docs/decisions/0022-ranking.md).
    """
    return _lists()[0]


def nothing_said() -> frozenset[str]:
    """Give these with what asks for anything at all: a query of them and a time asks for all of that time."""
    return _lists()[1]


def tag_terms(tag: str) -> "tuple[str, ...]":
    """Give the words of a canonical tag, all of them, as they follow each other in a text that says it."""
    return query_terms(tag.replace("_", " "), stop_words=())


def words_in(text: str) -> tuple[str, ...]:
    """Give the words of a text as the index has them, but for their stems: all of them, in order."""
    return tuple(_INDEXED.findall(index_text(text).casefold()))


def plain(word: str) -> str:
    """Give a word without the marks above and below its letters, as the index does: ``café`` as ``cafe``."""
    if word.isascii():
        return word
    return "".join(
        letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter)
    )


def match_any(terms: "Sequence[str]") -> str:
    """Give the FTS5 expression that finds what holds one of the terms at least; empty for none."""
    return " OR ".join(map(_quoted, terms))


def match_phrase(terms: "Sequence[str]") -> str:
    """Give the FTS5 expression that finds the terms side by side; empty for none."""
    return f'"{" ".join(terms)}"' if terms else ""


def is_unspaced(word: str) -> bool:
    """Tell whether a word is of a script that is written without spaces."""
    return not word.isascii() and re.match(_RUNS, word) is not None


def _spelt(text: str) -> str:
    """Give a text in one spelling, words still whole."""
    if text.isascii():
        return _joined(text)
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _joined(folded.replace("\u2019", "'").replace("\u02bc", "'")).translate(_letters())


def _joined(text: str) -> str:
    """Take apostrophes out: ``don't`` becomes ``dont``, and ``l'école`` becomes ``école``."""
    return _ELIDED.sub(" ", text).replace("'", "") if "'" in text else text


@cache
def _letters() -> "Mapping[int, str]":
    """Give what is written for a letter: Greek without accents, Arabic and Hebrew without vowel signs."""
    marks = (*range(0x300, 0x370), *range(0x591, 0x5C8), *range(0x64B, 0x660), 0x670)
    greek = {
        letter: unicodedata.normalize("NFD", letter)[0]
        for letter in map(chr, (*range(0x370, 0x400), *range(0x1F00, 0x2000)))
    }
    changed = {letter: bare for letter, bare in greek.items() if letter != bare}
    bare = dict.fromkeys(map(chr, marks), "") | dict.fromkeys("آأإ", "\u0627")
    return str.maketrans(changed | bare | _PLAIN_LETTERS)


def _words(text: str) -> list[str]:
    return re.findall(_INDEXED if text.isascii() else _WORDS_OR_RUNS, text)


def _terms(word: str) -> list[str]:
    if not is_unspaced(word):
        return [word]
    pairs = [word[at : at + 2] for at in range(len(word) - 1)] or [word]
    return [pair for pair in pairs if any(map(str.isalnum, pair))]  # of two marks the index has nothing


def _pairs(match: re.Match[str]) -> str:
    run = match[0]
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return f" {' '.join(pairs)} {run[-1]} "


def _quoted(term: str) -> str:
    """Quote a term; a single letter of a script without spaces begins the pairs in which it is the first."""
    return f'"{term}"*' if len(term) == 1 and is_unspaced(term) else f'"{term}"'


MOST_WORDS = 256
"""Words of a question that are read: two pages' worth of different ones. Our choice."""

BEGINNING_WEIGHT = 0.5
"""Of a word that begins as the other does: ``exporter`` for ``export``, ``Rechnungen`` for ``Rechnung``. SQLite's
stemmer is not at hand here, and it knows English only. Our choice."""
LEAST_BEGINNING = 6
"""Letters that count as a beginning, so that ``rest`` is no part of ``restart``. Our choice."""


class Likeness:
    """A question, to be compared with texts."""

    def __init__(self, question: str, texts: "Sequence[str]") -> None:
        """Read a question, and what each of its words tells among some texts.

        Args:
            question: In plain words; empty is like nothing.
            texts: All that it will be compared with.
        """
        from nightledger.domain.search import rarity

        asked = query_terms(question)[:MOST_WORDS]
        self._weights: dict[str, dict[int, float]] = {}
        for at, word in enumerate(asked):
            for base, share in _spellings(plain(word)).items():
                self._weights.setdefault(base, {})[at] = share
        self._meant = cache(self._look_up)
        spoken = [set(words_in(text)) for text in texts] if asked else []
        held = Counter(at for words in spoken for at in self._shared(words))
        holding = Counter(word for words in spoken for word in words - stop_words())
        self._rarity = {word: rarity(count, len(texts)) for word, count in holding.items()}
        self._tells = [rarity(held.get(at, 0), len(texts)) for at in range(len(asked))]
        self._total = math.fsum(self._tells)

    def of(self, text: str) -> float:
        """Give how much of the question a text answers to, 0..1.

        Args:
            text: One of those that were named.
        """
        if not self._tells:
            return 0.0
        words = set(words_in(text))
        told = math.fsum(weight * self._tells[at] for at, weight in self._shared(words).items())
        own = math.fsum(self._rarity[word] for word in words - stop_words()) or self._total
        return min(1.0, told / min(self._total, own)) if told else 0.0

    def _shared(self, words: "Iterable[str]") -> dict[int, float]:
        """Give which words of the question are meant by some words, each with the weight of the best."""
        best: dict[int, float] = {}
        for word in words:
            for at, weight in self._meant(word).items():
                best[at] = max(weight, best.get(at, 0.0))
        return best

    def _look_up(self, word: str) -> dict[int, float]:
        best: dict[int, float] = {}
        for base, share in _spellings(plain(word)).items():
            for at, weight in self._weights.get(base, {}).items():
                best[at] = max(weight * share, best.get(at, 0.0))
        return best


def _spellings(word: str) -> dict[str, float]:
    """Give what a word may be a form of, and what it begins with, each with what it counts."""
    longest = {word[:size]: BEGINNING_WEIGHT for size in range(LEAST_BEGINNING, len(word))}
    return {**longest, **dict.fromkeys(bases(word), 1.0)}


def bases(word: str) -> tuple[str, ...]:
    """Give what an English word may be a regular form of, itself first.

    ``cities`` may come from ``city``, ``planned`` from ``plan``; what is no word is in no text.
    """
    found = [word]
    for ending, instead in (
        ("ies", ("y",)),
        ("es", ("", "e")),
        ("s", ("",)),
        ("ing", ("", "e")),
        ("ed", ("", "e")),
    ):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1:
            found += [stem + end for end in instead]
            if ending in ("ing", "ed") and stem[-1] == stem[-2]:
                found.append(stem[:-1])
    return tuple(dict.fromkeys(found))
