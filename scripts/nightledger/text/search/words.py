"""The words of a text, one after the other, as the index's tokenizer cuts them.

Invariant: what ``index_text`` hands to the index gives the same words here, but for their stems.
"""

import re
import unicodedata

from nightledger.text.search.tokens import index_text

_WORD = re.compile(r"[^\W_]+")


def words_in(text: str) -> list[str]:
    """Give the words of a text in lower case, in order."""
    return _WORD.findall(index_text(text).casefold())


def fold(word: str) -> str:
    """Give a word without the marks above and below its letters: ``café`` as ``cafe``."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
