"""Make the tables of ``domain/token_costs.py``: what tokenizers that somebody published take for texts of all scripts.

    python bench/fit_tokens.py --tokenizer tokenizer.json … --texts FOLDER --english FILE … > scripts/nightledger/domain/token_costs.py

FOLDER holds plain text, a file for each language (``eng.txt``); English is told by more files, because it must not
be counted for more than it is. For each language the tokenizer that takes most tokens for it is what the table is fitted
to: least squares with no cost below nothing, the words that are one token at least held at that. Random letters of each
script count a little beside the texts. Characters of one token and of two are taken as the module has them, so after a change
of tokenizers run it twice. ``tokenizers`` is no part of this project: install it into an environment of
your own.

Reads nothing of a home, writes nothing but standard output.
"""

import argparse
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random  # noqa: TID251 - a program that measures; seeded
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from nightledger.domain import token_costs as table
from nightledger.domain.tokens import pieces_of

PAIRS = 28 * 26
CELLS = PAIRS + sum(end - start for start, end in table.BY_POINT)
ENGLISH_WEIGHT = 1.0
"""Of English beside all other languages together."""
RANDOM_WEIGHT = 0.004
"""Of the random letters of 128 code points; a language counts one five hundredth."""
LARGE_WEIGHT = 4
LARGE = frozenset({
    "rus", "ukr", "bul", "ell", "arb", "arz", "heb", "pes", "hin", "mar", "npi", "jpn", "srp", "bel", "fra", "spa",
    "por", "deu", "ita", "pol", "tur", "vie", "ces", "hun", "ron", "swe", "nld", "fin", "ind",
})  # fmt: skip
"""Languages that count so many times as much, because many write them."""
RIDGE = 2e-6
WORDS = 4
"""Words in a sample."""
LONGEST = 24
"""Characters of a word in a sample: where there are no blanks a word is a sentence."""
HIGHEST = 12
"""Quarters that a pair of letters costs at most; a character of another script costs its bytes at most."""
_CAPITALS = re.compile("[A-Z]{2}")
Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Words with what they cost.

    Attributes:
        weight: How much they count.
        tokens: What the tokenizer that takes most for their language takes, in quarters.
        pieces: Quarters at least, and cells, of each piece.
    """

    weight: float
    tokens: float
    pieces: tuple[tuple[int, tuple[int, ...]], ...]


def load(path: str) -> Count:
    """Give what counts the tokens of a text by a ``tokenizer.json``."""
    loaded = import_module("tokenizers").Tokenizer.from_file(path)
    return lambda text: len(loaded.encode(text, add_special_tokens=False).ids)


def samples(texts: Mapping[str, tuple[float, Sequence[str]]], counts: Sequence[Count]) -> Iterator[Sample]:
    """Give the samples of texts: name, weight and words in fours."""
    empty = [count("a") for count in counts]
    for weight, said in texts.values():
        taken = [[count(f"a {one}") - e for one in said] for count, e in zip(counts, empty, strict=True)]
        most = max(taken, key=sum)
        for one, tokens in zip(said, most, strict=True):
            if _CAPITALS.search(one):
                continue  # what these cost is set by hand
            pieces = tuple((least, tuple(cells)) for _, least, cells in pieces_of(one))
            yield Sample(weight=weight / len(said), tokens=4.0 * tokens, pieces=pieces)


def texts_of(folder: Path, english: Sequence[str]) -> dict[str, tuple[float, list[str]]]:
    """Give all texts by name, with weights."""
    files = sorted(folder.glob("*.txt"))
    found = {}
    for path in files:
        weight = LARGE_WEIGHT if path.stem.split("_")[0] in LARGE else 1
        found[path.stem] = (weight / len(files), _words(path.read_text("utf-8")))
    told = [path.read_text("utf-8") for path in map(Path, english)]
    for n, text in enumerate(told):
        found[f"English {n}"] = (ENGLISH_WEIGHT / len(told), _words(text))
    draw = Random(3)
    for start, end in table.BY_POINT:
        for block in range(start, end, 128):
            letters = [chr(point) for point in range(block, min(end, block + 128)) if _is_letter(chr(point))]
            words = ["".join(draw.choices(letters, k=draw.randint(3, 9))) for _ in range(600)]
            found[f"{block:04x}"] = (RANDOM_WEIGHT, words)
    return found


def _words(text: str) -> list[str]:
    words = [
        part
        for word in text.split()
        for part in (word[n : n + LONGEST] for n in range(0, len(word), LONGEST))
    ]
    return [" ".join(words[n : n + WORDS]) for n in range(0, len(words), WORDS)]


def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CZ"


def fit(told: Sequence[Sample]) -> np.ndarray[Any, Any]:
    """Give the cost of each cell in quarters."""
    costs = np.full(CELLS, 4.0)
    costs[:PAIRS], costs[PAIRS:] = 1.0, 8.0
    for held in (False, True):  # the first time no word is taken for one token
        square, right = RIDGE * np.eye(CELLS), RIDGE * costs
        for sample in told:
            fixed, cells = _free(sample, costs, held=held)
            at = np.fromiter(cells, int, len(cells))
            times = np.fromiter(cells.values(), float, len(cells))
            right[at] += sample.weight * times * (sample.tokens - fixed)
            square[np.ix_(at, at)] += sample.weight * np.outer(times, times)
        costs = _least_squares(square, right, costs)
    return costs


def _free(sample: Sample, costs: np.ndarray[Any, Any], *, held: bool) -> tuple[float, Counter[int]]:
    """Give what of a sample is fixed, and how often each cell that is not stands in it."""
    fixed, cells = 0.0, Counter[int]()
    for least, those in sample.pieces:
        if those and not (held and costs[list(those)].sum() < least):
            cells.update(those)
        else:
            fixed += least
    return fixed, cells


def _least_squares(
    square: np.ndarray[Any, Any], right: np.ndarray[Any, Any], start: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    """Solve with nothing below nothing, one cell after the other (Franc, Hlavac and Navara 2005)."""
    found, slope = start.copy(), square @ start - right
    for _ in range(150):
        for cell in range(CELLS):
            to = max(0.0, found[cell] - slope[cell] / square[cell, cell])
            if to != found[cell]:
                slope += (to - found[cell]) * square[cell]
                found[cell] = to
    return found


def whole(counts: Sequence[Count]) -> tuple[str, str]:
    """Give the characters that take one token and two in the tokenizer that takes most for them."""
    empty = [count("\u3001\u3002") for count in counts]
    one: list[str] = []
    two: list[str] = []
    for point in (
        *range(0x2000, 0x3000),
        *range(0x3100, 0xD800),
        *range(0xF900, 0x10000),
        *range(0x1F000, 0x1FB00),
    ):
        if not _is_letter(chr(point)):
            continue
        between = f"\u3001{chr(point)}\u3002"
        most = max(count(between) - e for count, e in zip(counts, empty, strict=True))
        if most <= 2:
            (one if most <= 1 else two).append(chr(point))
    return "".join(one), "".join(two)


def tell(costs: np.ndarray[Any, Any], one: str, two: str) -> None:
    """Print the table's part of the module."""
    points = [point for start, end in table.BY_POINT for point in range(start, end)]
    most = [HIGHEST] * PAIRS + [4 * len(chr(point).encode()) for point in points]
    digits = "".join(chr(48 + min(bound, round(cost))) for cost, bound in zip(costs, most, strict=True))
    print(f"COSTS = (\n{_lines(digits, 104)}\n)")
    print(f"WHOLE = (\n{_lines(one, 52)}\n)\nIN_TWO = (\n{_lines(two, 52)}\n)")


def _lines(text: str, width: int) -> str:
    return "\n".join(f"    {text[n : n + width]!r}" for n in range(0, len(text), width))


def main() -> None:
    """Read the command line, fit and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--tokenizer", action="append", required=True, metavar="FILE", help="a tokenizer.json"
    )
    parser.add_argument(
        "--texts", type=Path, required=True, metavar="FOLDER", help="a file for each language"
    )
    parser.add_argument("--english", action="append", default=[], metavar="FILE", help="more English text")
    options = parser.parse_args()
    counts = [load(path) for path in options.tokenizer]
    costs = fit(list(samples(texts_of(options.texts, options.english), counts)))
    tell(costs, *whole(counts))


if __name__ == "__main__":
    main()
