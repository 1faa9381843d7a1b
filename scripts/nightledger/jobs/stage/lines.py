"""What lines of a file tell by themselves, and how they are told as one line of a page."""

import re
from collections.abc import Iterable

from nightledger.domain.tokens import tokens_of
from nightledger.jobs.stage.logs import bare
from nightledger.text.search.tokens import is_unspaced, query_terms, words_in
from nightledger.text.statements.daylog import ENVELOPE

SHORT_TOKENS = 15
"""Length below which a line that tells nothing later on says nothing at all: "done", "all fine"."""
_EMPHASIS = re.compile(r"\*\*|(?<!\w)__(?=\S)|(?<=\S)__(?!\w)|`")
_MARK = re.compile(r"^(?:[-*+\u2022]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX~-]\]\s+)?")
_ROW = re.compile(r"\|(.+)\|")
_CELL = re.compile(r"(?<!\\)\|")
_BEGINNING = 4
_APART = r"[^,;|/\u3001\u3002\uff0c\uff1b]*"
_REMOVED = re.compile(rf"{_APART}(?:\[secret removed\]|[\[<(]redacted[\])>]|\*{{4,}}){_APART}", re.IGNORECASE)
"""What stands in a secret's place, with its label: up to a comma, a bar or a slash on either side."""
_ADDRESS = re.compile(r"(?<!\S)\S[^\s/\\@]*+[/\\@]\S*\w")


def is_short(text: str) -> bool:
    """Tell whether no line of a text, as :func:`plain` gives it, is long enough to say more than that all is done."""
    return max(tokens_of(bare(line)) for line in text.split(" / ")) < SHORT_TOKENS


def is_removed(text: str) -> bool:
    """Tell whether a text is a secret that was taken out, and little else."""
    left, count = _REMOVED.subn("", plain(text.split("\n")))
    return bool(count) and is_short(left)


def plain(lines: Iterable[str]) -> str:
    """Give lines as one, without list marks, heading signs, emphasis and the bars of tables: quoted, these would be noise."""
    pieces = [_EMPHASIS.sub("", line).strip().lstrip("#").strip() for line in lines]
    told = [_cells(ENVELOPE.sub("", _MARK.sub("", piece))) for piece in pieces]
    return " / ".join(piece for piece in told if piece)


def _cells(piece: str) -> str:
    """Give a row of a table as its cells; nothing for the line under its head."""
    row = _ROW.fullmatch(piece)
    if row is None:
        return piece
    cells = [cell.strip() for cell in _CELL.split(row[1])]
    return " \u00b7 ".join(cell for cell in cells if cell.strip("-:"))


def place_of(path: str, lines: tuple[int, int]) -> str:
    """Give where lines stand: ``memory/2026-02-28.md:5-6``."""
    return f"{path}:{lines[0]}" if lines[0] == lines[1] else f"{path}:{lines[0]}-{lines[1]}"


def shared_words(query: str, text: str) -> tuple[str, ...]:
    """Give the words of a text that a query holds, in the order of the query.

    Words with one beginning are taken for one, about as search does; numbers are no words. They are
    given as the text has them, in lower case, so nothing of a query is told that the text does not tell.
    """
    said = words_in(text)
    shared: list[str] = []
    for word in query_terms(query):
        found = _found(word, said, text)
        if any(map(str.isalpha, found)) and found not in shared:
            shared.append(found)
    return _apart(shared, text)


def _apart(words: Iterable[str], text: str) -> tuple[str, ...]:
    """Leave out what is no word of its own: of words of addresses and paths all but one, of overlapping pairs of letters every second."""
    plain = words_in(_ADDRESS.sub(" ", text))
    named = frozenset(words_in(text)).difference(plain)
    apart: list[str] = []
    for word in words:
        is_part = word in named and not named.isdisjoint(apart)
        if not is_part and not any(_run_on(one, word, text) for one in apart):
            apart.append(word)
    return tuple(apart)


def _run_on(one: str, word: str, text: str) -> bool:
    return is_unspaced(word) and one[-1] == word[0] and f"{one}{word[1:]}" in text


def names_all(query: str, text: str) -> bool:
    """Tell whether a text holds every word of a query; numbers are no words."""
    said = words_in(text)
    words = [word for word in query_terms(query) if any(map(str.isalpha, word))]
    return bool(words) and all(_found(word, said, text) for word in words)


def _found(word: str, said: Iterable[str], text: str) -> str:
    """Give a word as a text has it; empty where it has none of its forms."""
    if word in said or (is_unspaced(word) and word in text):
        return word
    return next((one for one in said if _is_form(one, word)), "")


def _is_form(one: str, word: str) -> bool:
    """Tell whether two words have one beginning: all but the last three letters, four at least."""
    return len(word) >= _BEGINNING and one.startswith(word[: max(_BEGINNING, len(word) - 3)])
