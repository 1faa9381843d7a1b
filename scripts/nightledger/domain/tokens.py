"""How many tokens a text is taken for: stated and stable, where each model has a count of its own.

A text is cut into pieces as tokenizers cut it: words, capitals, single digits, signs. A word of ASCII letters costs by
its pairs of letters, so that an English word costs about one token and a word of another language, or a digest, what
its syllables cost; a common word of English costs one. Of other scripts each character costs what it does in text of
its script, up to its bytes, which is the most that any tokenizer of bytes can take. ``domain/token_costs.py`` has the
tables, ``bench/fit_tokens.py`` measures them against published tokenizers, and ``docs/decisions/0048-prompt-hook.md``
tells how far off a count is, by kind of text.

Invariant: pure, and cheap to import: the prompt hook counts with it at each prompt. What stands on lines of its own
counts as it does alone.
"""

import re
from bisect import bisect_right

from nightledger.domain import token_costs as table

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHARACTERS_A_TOKEN = 4
"""Quarters of a token: what an English letter costs, about (FACTS, elfmem)."""
ENGLISH_SHARE = 4
"""A line is English where every fourth word is one of its common words, at least. Our choice."""
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^A-Za-z]")
_WORD = re.compile(r"[A-Za-z]+")
_LETTERS = 26
_AFTER_MARK = 27
"""The row of pairs of which the first is a letter that is not ASCII; row 0 begins a word."""
_FIRST_POINT = 28 * _LETTERS
_COMMON = frozenset(table.ENGLISH.split())
_STARTS = [start for start, _ in table.SCRIPTS]
_ZERO, _A = ord("0"), ord("a")


def pieces_of(line: str) -> "Iterator[tuple[str, int, Sequence[int]]]":
    """Cut a line into what is counted.

    Yields:
        A piece, the quarters of a token that it costs at least, and the cells of the table that it costs if these
        come to more.
    """
    marked = False
    for piece in _PIECE.findall(line):
        first = piece[0]
        if first > "\x7f":
            cell = _cell_of(ord(first))
            yield (piece, 0, (cell,)) if cell is not None else (piece, _cost_of(first), ())
            marked = first.isalnum()
        elif not first.isalpha():
            marked = False
            if first == " ":
                continue
            yield piece, table.SIGN if piece.isprintable() and not piece.isdigit() else CHARACTERS_A_TOKEN, ()
        else:
            yield (
                piece,
                0 if marked else max(CHARACTERS_A_TOKEN, len(piece) // 2),
                () if piece.lower() in _COMMON and not marked else _pairs(piece, marked),
            )
            marked = False


def quarters_of(text: str) -> int:
    """Give what a text costs in quarters of a token."""
    return sum(map(_of_line, text.split("\n"))) + CHARACTERS_A_TOKEN * text.count("\n")


def tokens_of(text: str) -> int:
    """Give how many tokens a text is taken for, rounded up."""
    return -(-quarters_of(text) // CHARACTERS_A_TOKEN)


def is_english(line: str) -> bool:
    """Tell whether enough of a line's words are common English ones."""
    words = _WORD.findall(line)
    return sum(word.lower() in _COMMON for word in words) * ENGLISH_SHARE >= len(words) > 0


def _of_line(line: str) -> int:
    costs, english, total = table.COSTS, is_english(line), 0
    for piece, least, cells in pieces_of(line):
        cost = sum(ord(costs[cell]) - _ZERO for cell in cells)
        if len(piece) > 1 and piece.isupper():
            cost = min(cost * table.CAPITALS_PERCENT // 100, table.CAPITAL * len(piece))
        elif english and piece <= "\x7f":
            cost = cost * table.ENGLISH_PERCENT // 100
        total += max(least, min(cost, CHARACTERS_A_TOKEN * len(piece)) if piece <= "\x7f" else cost)
    return total


def _pairs(word: str, marked: bool) -> list[int]:  # noqa: FBT001 - one flag of one private caller
    """Give the cells of a word's pairs of letters."""
    row, cells = _AFTER_MARK if marked else 0, []
    for letter in word.lower():
        column = ord(letter) - _A
        cells.append(row * _LETTERS + column)
        row = column + 1
    return cells


def _cell_of(point: int) -> int | None:
    """Give the cell of a character of a script whose characters are measured one by one."""
    at = _FIRST_POINT
    for start, end in table.BY_POINT:
        if start <= point < end:
            return at + point - start
        at += end - start
    return None


def _cost_of(character: str) -> int:
    """Give what a character costs that has no cell."""
    if character in table.WHOLE:
        return CHARACTERS_A_TOKEN
    if character in table.IN_TWO:
        return table.SECOND
    return table.SCRIPTS[bisect_right(_STARTS, ord(character)) - 1][1]
