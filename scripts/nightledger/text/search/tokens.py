"""Words as the index knows them: one spelling, and letter pairs for scripts without spaces.

SQLite's ``unicode61`` takes a run of Chinese or Japanese for one word, and never finds a part of
it. So such runs are written as overlapping pairs of letters, in the index and in the query alike,
with the last letter once more alone: then ``x*`` finds a letter wherever it stands.

Invariant: what comes from a user reaches SQLite as quoted words of letters and digits only; no
quote, operator or column name of theirs does.
"""

import re
import unicodedata

from nightledger.text.search.stop_words import STOP_WORDS

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MAX_QUERY_CHARACTERS = 10_000
"""Of a query that is longer, the rest is not read. Our choice."""
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
"""Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean (Unicode's blocks of these scripts)."""
_RUN = re.compile(f"[{_UNSPACED}]+")
_WORD = re.compile(rf"[^\W_{_UNSPACED}]+|[{_UNSPACED}]+")
_INDEXED = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile("(?<=\\w)['\u2019\u02bc](?=\\w)")


def index_text(text: str) -> str:
    """Give a text as it goes into the index: one spelling (NFKC), runs of unspaced scripts as letter pairs."""
    if text.isascii():
        return text.replace("'", "")
    plain = _APOSTROPHE.sub("", unicodedata.normalize("NFKC", text))
    return _RUN.sub(_pairs, plain).encode("utf-8", "replace").decode()


def query_terms(text: str, *, stop_words: "Collection[str]" = STOP_WORDS) -> tuple[str, ...]:
    """Give the words of a query, each once, in order; stop words only where it has no others.

    A word is letters and digits only; of a script without spaces it is a pair of letters, or one
    letter that stands alone in the query.

    Args:
        text: As somebody typed it; read up to ``MAX_QUERY_CHARACTERS``.
        stop_words: Folded words to leave out.
    """
    plain = unicodedata.normalize("NFKC", text[:MAX_QUERY_CHARACTERS])
    found = dict.fromkeys(
        term
        for word in _WORD.findall(_APOSTROPHE.sub("", plain.replace("'", "")))
        for term in _terms(unicodedata.normalize("NFKC", word.casefold()))
    )
    return tuple(term for term in found if term not in stop_words) or tuple(found)


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


def match_all(terms: "Sequence[str]") -> str:
    """Give the FTS5 expression that finds what holds every term; empty for none."""
    return " AND ".join(map(_quoted, terms))


def match_phrase(terms: "Sequence[str]") -> str:
    """Give the FTS5 expression that finds the terms side by side; empty for none."""
    return f'"{" ".join(terms)}"' if terms else ""


def is_unspaced(word: str) -> bool:
    """Tell whether a word is of a script that is written without spaces."""
    return _RUN.match(word) is not None


def _terms(word: str) -> list[str]:
    if len(word) == 1 or not is_unspaced(word):
        return [word]
    return [word[at : at + 2] for at in range(len(word) - 1)]


def _pairs(match: re.Match[str]) -> str:
    run = match[0]
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return f" {' '.join(pairs)} {run[-1]} "


def _quoted(term: str) -> str:
    """Quote a term; a single letter of a script without spaces begins the pairs in which it is the first."""
    return f'"{term}"*' if len(term) == 1 and is_unspaced(term) else f'"{term}"'
