"""Characters that hide, reorder or imitate: an allow-list by use, not by code point alone.

Invariant: each distinct character is classified once (Unicode version of the running
Python), so the cost is one pass; joiners and selectors are judged by their neighbours,
so that emoji, Indic, Arabic, Thai, Mongolian and CJK text passes.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise

from nightledger.domain.finding import Finding, Severity
from nightledger.text.scanners.confusables import CONFUSABLE, LETTER, foreign_scripts, unstyled
from nightledger.text.scanners.unicode_table import (
    BIDI_ISOLATES,
    BIDI_MARKS,
    BIDI_STRONG,
    INVISIBLE,
    KINDS,
    OVERLAYS,
    STACKING,
    TAGS,
    is_emoji,
    is_selector,
    joins,
    script,
)

_ZWJ, _ZWNJ, _ZWSP, _BOM, _SHY = "\u200d", "\u200c", "\u200b", "\ufeff", "\u00ad"
_EMPTY_CELL = "\u2800"
_CELLS = frozenset(map(chr, range(0x2801, 0x2900)))
"""Braille: its words are parted by empty cells, its paragraphs begin with several."""
_KEYCAP = "0123456789#*"
_WORD_REACH = 48
"""Letters on each side of a look-alike that are read as its word; longer words do not exist."""
_FLAG = "\U0001f3f4"
_CANCEL_TAG = "\U000e007f"
_NEAR = 200
"""Characters around a mark of direction in which letters may need it."""
_RIGHT_TO_LEFT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_COLOUR = r"\x1b\[[0-9;]{0,12}m"
"""What a tool's coloured output leaves behind (ECMA-48 SGR)."""
_COLOUR_LENGTH = 15
_LOOKALIKES = f"[{''.join(CONFUSABLE)}]+"
_WORD_START = f"{LETTER}+"
_WORD_END = f"{LETTER}+\\Z"
"""The rest of a look-alike's word after it and before it, searched in a short stretch."""
_PILE = 3
"""Marks on one letter; Vietnamese, spelled out, needs two, old Greek and Sanskrit in Latin letters three."""
_WHOLE_WORD = 3
"""Letters of a foreign word that is taken for a Latin one; shorter ones are symbols."""


def scan_characters(text: str) -> tuple[Finding, ...]:
    """Give the findings of class ``unicode``, in order of place.

    Args:
        text: Any text; lone surrogates stand for bytes that are not UTF-8.
    """
    odd = {character for character in set(text) if _kind(character)}
    found = list(_runs(text, odd)) if odd else []
    return tuple(
        found
        + [_finding(kind, KINDS[kind].severity, start, end) for start, end, kind in _lookalike_words(text)]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenText:
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
        """Give the place in the text as written of the character at ``index``."""
        stretch = bisect_right(self.starts, index) - 1
        return self.origins[stretch] + index - self.starts[stretch]


def see_through(text: str) -> SeenText:
    """Drop hidden characters, spell out tag characters, make look-alikes and styled letters plain."""
    if text.isascii():
        return SeenText(text=text, starts=(0,), origins=(0,))
    odd = {character: _plain(character) for character in set(text) if _plain(character) != character}
    mixed = dict(_foreign_letters(text))
    places = [match.start() for match in _class_of(odd).finditer(text)] if odd else []
    pieces, starts, origins, done, size = list[str](), [0], [0], 0, 0
    for place in sorted({*places, *mixed}):
        plain = mixed[place] if place in mixed else odd[text[place]]
        pieces += [text[done:place], plain]
        size += place - done
        starts += [size, size + len(plain)]
        origins += [place, place + 1]
        size += len(plain)
        done = place + 1
    return SeenText(text="".join([*pieces, text[done:]]), starts=tuple(starts), origins=tuple(origins))


def _class_of(characters: Iterable[str]) -> re.Pattern[str]:
    return re.compile(f"[{''.join(map(re.escape, sorted(characters)))}]")


def _foreign_letters(text: str) -> Iterator[tuple[int, str]]:
    for start, end, _ in _lookalike_words(text):
        for place in range(start, end):
            if text[place] in CONFUSABLE:
                yield place, CONFUSABLE[text[place]]


@cache
def _kind(character: str) -> str:
    """Name the class of a suspicious character; empty for an ordinary one."""
    code = ord(character)
    if code < 0x20 or 0x7F <= code < 0xA0:  # noqa: PLR2004 - C0, DEL and C1 controls
        return "" if character in "\t\n\r\x85" else "control"
    if code < 0xAD:  # noqa: PLR2004 - ASCII and the plain start of Latin-1
        return ""
    return _wide_kind(character, code)


def _wide_kind(character: str, code: int) -> str:
    if code in TAGS:
        return "tags"
    if is_selector(code):
        return "selector"
    if character in BIDI_STRONG or character in BIDI_ISOLATES or character in BIDI_MARKS:
        return "bidi"
    if character in INVISIBLE:
        return "invisible"
    if character in STACKING:
        return "stacked"
    return {"Co": "private_use", "Cs": "not_utf8", "Cn": "" if is_emoji(character) else "unassigned"}.get(
        unicodedata.category(character), ""
    )


@cache
def _plain(character: str) -> str:
    if 0xE0020 <= ord(character) <= 0xE007E:  # noqa: PLR2004 - tags that spell ASCII
        return chr(ord(character) - 0xE0000)
    if character in OVERLAYS or _kind(character) in {"tags", "selector", "invisible", "bidi"}:
        return ""
    return unstyled(character)


def _runs(text: str, odd: set[str]) -> Iterator[Finding]:
    for match in re.finditer(f"{_class_of(odd).pattern}+", text):
        start = match.start()
        for kind, group in groupby(match[0], _kind):
            end = start + sum(1 for _ in group)
            severity = _JUDGES[kind](text, start, end)
            if severity:
                yield _finding(kind, severity, start, end)
            start = end


def _finding(kind: str, severity: Severity, start: int, end: int) -> Finding:
    message = f"{KINDS[kind].message} ({end - start} characters)"
    return Finding(rule=f"unicode.{kind}", severity=severity, start=start, end=end, message=message)


def _always(_text: str, _start: int, _end: int) -> Severity | None:
    return Severity.QUARANTINE


def _judge_control(text: str, start: int, end: int) -> Severity | None:
    colour = text[start:end] == "\x1b" and re.match(_COLOUR, text[start : start + _COLOUR_LENGTH])
    return Severity.FLAG if colour or text[start] >= "\x80" else Severity.QUARANTINE


def _judge_tags(text: str, start: int, end: int) -> Severity | None:
    flag = text[start - 1 : start] == _FLAG and text[end - 1] == _CANCEL_TAG and end - start <= 7  # noqa: PLR2004 - gbeng and its like
    return None if flag else Severity.QUARANTINE


def _judge_selector(text: str, start: int, end: int) -> Severity | None:
    if end - start > 1:
        return Severity.QUARANTINE
    before = text[start - 1 : start]
    fits = before and (
        is_emoji(before) or before in _KEYCAP or script(before) in {"HAN", "MONGOLIAN", "MYANMAR", "PHAGS-PA"}
    )
    if fits or (before and unicodedata.category(before) in {"So", "Sm", "Po", "Sk"}):
        return None
    return Severity.FLAG


def _judge_invisible(text: str, start: int, end: int) -> Severity | None:
    before, after, character = text[start - 1 : start] if start else "", text[end : end + 1], text[start]
    if end - start > 1:
        return None if before in _CELLS and set(text[start:end]) == {_EMPTY_CELL} else Severity.QUARANTINE
    if joins(character, before, after) or (character == _BOM and start == 0):
        return None
    if character == _SHY:
        return Severity.FLAG
    return Severity.QUARANTINE if before.isalpha() and after.isalpha() else Severity.FLAG


def _judge_bidi(text: str, start: int, end: int) -> Severity | None:
    if any(character in BIDI_STRONG for character in text[start:end]):
        return Severity.QUARANTINE
    if not re.search(_RIGHT_TO_LEFT, text[max(0, start - _NEAR) : end + _NEAR]):
        return Severity.QUARANTINE
    return None if text[start] in BIDI_MARKS else Severity.FLAG


def _judge_private(_text: str, start: int, end: int) -> Severity | None:
    return Severity.FLAG if end - start <= 2 else Severity.QUARANTINE  # noqa: PLR2004 - an icon or two


def _judge_stacked(text: str, start: int, end: int) -> Severity | None:
    before = text[start - 1 : start] if start else "\n"
    struck = text[start] in OVERLAYS and before.isalpha()
    if struck or before in "\r\n" or end - start > _PILE:
        return Severity.QUARANTINE
    return Severity.FLAG if end - start == _PILE else None


def _judge_not_utf8(_text: str, _start: int, _end: int) -> Severity | None:
    return Severity.FLAG


_JUDGES = {
    "bidi": _judge_bidi, "control": _judge_control, "invisible": _judge_invisible, "not_utf8": _judge_not_utf8,
    "private_use": _judge_private, "selector": _judge_selector, "stacked": _judge_stacked, "tags": _judge_tags, "unassigned": _always,
}  # fmt: skip


def _lookalike_words(text: str) -> Iterator[tuple[int, int, str]]:
    """Give the words that imitate Latin ones, and how; letters beyond ``_WORD_REACH`` of a look-alike are cut off."""
    if text.isascii() or CONFUSABLE.keys().isdisjoint(text):
        return
    alien = frozenset[str]().union(
        *(letters for letters in foreign_scripts(text) if letters <= CONFUSABLE.keys())
    )
    done = 0
    for match in re.finditer(_LOOKALIKES, text):
        if match.start() < done:
            continue
        head = text[max(done, match.start() - _WORD_REACH) : match.start()]
        before = re.search(_WORD_END, head)
        after = re.match(_WORD_START, text[match.end() : match.end() + _WORD_REACH])
        start = match.start() - (len(before[0]) if before else 0)
        end = match.end() + (len(after[0]) if after else 0)
        done = end
        if _imitates(text[start:end]):
            yield start, end, "mixed_script"
        elif end - start >= _WHOLE_WORD and alien.issuperset(text[start:end]):
            yield start, end, "whole_script"


def _imitates(word: str) -> bool:
    """Say whether a word of Latin letters holds look-alikes of another script.

    One switch of script behind capitals is a loan word's ending (an acronym with a
    Cyrillic ending); look-alikes between Latin letters, or before them, are not.
    """
    latin = [character.isascii() for character in word]
    foreign = [character for character in word if not character.isascii()]
    if all(latin) or not any(latin) or not all(character in CONFUSABLE for character in foreign):
        return False
    switches = sum(a != b for a, b in pairwise(latin))
    ending = latin[0] and switches == 1 and word[: latin.index(False)].isupper()
    return not ending
