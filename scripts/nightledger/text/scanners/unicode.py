"""Characters that hide, reorder or imitate: an allow-list by use, not by code point alone.

Invariant: each distinct character is classified once, so the cost is one pass; joiners and selectors are
judged by their neighbours, so that emoji, Indic, Arabic, Thai, Mongolian and CJK text passes.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby, pairwise

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.finding import Finding, Severity
from nightledger.text.scanners.characters import characters, kind, plain, script
from nightledger.text.scanners.table import named

_BOM, _SHY, _EMPTY_CELL = "\ufeff", "\u00ad", "\u2800"
_CELLS = frozenset(map(chr, range(0x2801, 0x2900)))
"""Braille: its words are parted by empty cells, its paragraphs begin with several."""
_KEYCAP = "0123456789#*"
_FLAG, _CANCEL_TAG = "\U0001f3f4", "\U000e007f"
_NEAR = 200
"""Characters around a mark of direction in which letters may need it."""
_RIGHT_TO_LEFT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,12}m")
"""What a tool's coloured output leaves behind (ECMA-48 SGR)."""
_PILE = 3
"""Marks on one letter; Vietnamese, spelled out, needs two, old Greek and Sanskrit in Latin letters three."""
_WHOLE_WORD = 3
"""Letters of a foreign word that is taken for a Latin one; shorter ones are symbols."""


def scan_characters(text: str) -> tuple[Finding, ...]:
    """Return the findings of class ``unicode``.

    Args:
        text: Any text; lone surrogates stand for bytes that are not UTF-8.
    """
    odd = {character for character in set(text) if kind(character)}
    found = [*_runs(text, odd)] if odd else []
    words = (_finding(row, None, start, end) for start, end, row in _lookalike_words(text))
    return (*found, *words)


class SeenText(Struct, frozen=True, kw_only=True):
    """A text as a model may read it.

    Attributes:
        text: Without hidden characters, look-alikes and styled letters made plain.
        starts: Where each stretch begins in ``text``; the first is 0.
        origins: Where the same stretch begins in the text as written.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, index: int) -> int:
        """Return the place in the text as written of the character at ``index``."""
        stretch = bisect_right(self.starts, index) - 1
        return self.origins[stretch] + index - self.starts[stretch]


def see_through(text: str) -> SeenText:
    """Drop hidden characters, spell out tag characters, make look-alikes and styled letters plain."""
    if text.isascii():
        return SeenText(text=text, starts=(0,), origins=(0,))
    odd = {character: plain(character) for character in set(text) if plain(character) != character}
    spans = [range(start, end) for start, end, _ in _lookalike_words(text)]
    latin = characters().latin
    mixed = {place: latin[text[place]] for span in spans for place in span if text[place] in latin}
    places = [match.start() for match in _class_of(set(odd)).finditer(text)] if odd else []
    pieces, starts, origins, done, size = list[str](), [0], [0], 0, 0
    for place in sorted({*places, *mixed}):
        seen = mixed[place] if place in mixed else odd[text[place]]
        pieces += [text[done:place], seen]
        size += place - done
        starts += [size, size + len(seen)]
        origins += [place, place + 1]
        size += len(seen)
        done = place + 1
    return SeenText(text="".join([*pieces, text[done:]]), starts=tuple(starts), origins=tuple(origins))


def _class_of(odd: set[str]) -> re.Pattern[str]:
    return re.compile(f"[{''.join(map(re.escape, sorted(odd)))}]")


def _runs(text: str, odd: set[str]) -> Iterator[Finding]:
    for match in re.finditer(f"{_class_of(odd).pattern}+", text):
        start = match.start()
        for row, group in groupby(match[0], kind):
            end = start + sum(1 for _ in group)
            severity = _JUDGES[row](text, start, end)
            if severity:
                yield _finding(row, severity, start, end)
            start = end


def _finding(row: str, severity: Severity | None, start: int, end: int) -> Finding:
    """Return a finding of the row, as grave as its neighbours make it."""
    found = named("characters")[row].finding(start, end)
    message = f"{found.message} ({end - start} characters)"
    return replace(found, message=message, severity=severity or found.severity)


def _judge_control(text: str, start: int, end: int) -> Severity:
    colour = end - start == 1 and _COLOUR.match(text, start)
    return Severity.FLAG if colour or text[start] >= "\x80" else Severity.QUARANTINE


def _judge_tags(text: str, start: int, end: int) -> Severity | None:
    flag = text[start - 1 : start] == _FLAG and text[end - 1] == _CANCEL_TAG and end - start <= 7  # noqa: PLR2004 - gbeng and its like
    return None if flag else Severity.QUARANTINE


def _judge_selector(text: str, start: int, end: int) -> Severity | None:
    if end - start > 1:
        return Severity.QUARANTINE
    before = text[start - 1 : start]
    if not before:
        return Severity.FLAG
    varied = script(before) in {"HAN", "MONGOLIAN", "MYANMAR", "PHAGS-PA"} or before in _KEYCAP
    sign = unicodedata.category(before) in {"So", "Sm", "Po", "Sk"}
    return None if varied or sign or before in characters().emoji else Severity.FLAG


def _judge_invisible(text: str, start: int, end: int) -> Severity | None:
    before, after, character = text[start - 1 : start] if start else "", text[end : end + 1], text[start]
    if end - start > 1:
        return None if before in _CELLS and set(text[start:end]) == {_EMPTY_CELL} else Severity.QUARANTINE
    if characters().joins(character, before, after) or (character == _BOM and start == 0):
        return None
    return (
        Severity.QUARANTINE if character != _SHY and before.isalpha() and after.isalpha() else Severity.FLAG
    )


def _judge_bidi(text: str, start: int, end: int) -> Severity | None:
    needed = re.search(_RIGHT_TO_LEFT, text[max(0, start - _NEAR) : end + _NEAR])
    if not needed or not characters().embeddings.isdisjoint(text[start:end]):
        return Severity.QUARANTINE
    return None if text[start] in characters().marks else Severity.FLAG


def _judge_stacked(text: str, start: int, end: int) -> Severity | None:
    before = text[start - 1 : start] if start else "\n"
    struck = text[start] in characters().overlays and before.isalpha()
    if struck or before in "\r\n" or end - start > _PILE:
        return Severity.QUARANTINE
    return Severity.FLAG if end - start == _PILE else None


_JUDGES: dict[str, Callable[[str, int, int], Severity | None]] = {
    "bidi": _judge_bidi,
    "control": _judge_control,
    "invisible": _judge_invisible,
    "not_utf8": lambda _text, _start, _end: Severity.FLAG,
    "private_use": lambda _text, start, end: Severity.FLAG if end - start <= 2 else Severity.QUARANTINE,  # noqa: PLR2004 - an icon or two
    "selector": _judge_selector,
    "stacked": _judge_stacked,
    "tags": _judge_tags,
    "unassigned": lambda _text, _start, _end: Severity.QUARANTINE,
}
"""How grave a run of characters of a kind is; nothing where they do their own work."""


@cache
def _word() -> re.Pattern[str]:
    return re.compile(f"{characters().letter}+")


def _lookalike_words(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the words that imitate Latin ones, and how."""
    look_alikes = characters().latin.keys()
    if text.isascii() or look_alikes.isdisjoint(text):
        return
    alien = frozenset[str]().union(*(own for own in characters().foreign_scripts(text) if own <= look_alikes))
    for word in _word().finditer(text):
        if word[0].isascii() or look_alikes.isdisjoint(word[0]):
            continue
        if _imitates(word[0]):
            yield *word.span(), "mixed_script"
        elif len(word[0]) >= _WHOLE_WORD and alien.issuperset(word[0]):
            yield *word.span(), "whole_script"


def _imitates(word: str) -> bool:
    """Return whether a word of Latin letters holds look-alikes of another script.

    One switch of script behind capitals is a loan word's ending (an acronym with a
    Cyrillic ending); look-alikes between Latin letters, or before them, are not.
    """
    latin = [character.isascii() for character in word]
    foreign = {character for character in word if not character.isascii()}
    if all(latin) or not any(latin) or not foreign <= characters().latin.keys():
        return False
    switches = sum(a != b for a, b in pairwise(latin))
    ending = latin[0] and switches == 1 and word[: latin.index(False)].isupper()
    return not ending
