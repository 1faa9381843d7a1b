"""Characters that hide, reorder or imitate: an allow-list by use, not by code point alone.

The facts are ``config/scanners/characters.json``, after Unicode's properties and UTS 39 (our own
table of letters that look alike in common fonts; what NFKC says of a styled letter is not listed).

Invariant: each distinct character is classified once (Unicode version of the running Python), so the cost is one pass;
joiners and selectors are judged by their neighbours, so that emoji, Indic, Arabic, Thai and CJK text passes.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from itertools import chain, groupby, pairwise

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.finding import Finding, Severity
from nightledger.files.home import shipped_config
from nightledger.text.scanners.secrets import named
from nightledger.text.visible import BLANK, IGNORABLE

_TAGS = range(0xE0000, 0xE0080)
"""They spell ASCII invisibly; legitimate in three flags only."""
_JOINER, _SPACE, _GRAPHEME_JOINERS = "\u200d", "\u200b", "\u200c\u034f"
_PICTURE = "\ufe0f"
"""The selector that makes a sign an emoji."""


class CharacterSet(frozenset[str]):
    """Characters, written as hexadecimal ranges: ``["370-3ff", "a9"]``."""


class Characters(Struct, frozen=True, kw_only=True, dict=True):
    """The file.

    Attributes:
        look_alikes: Letters of another script and the Latin ones that they look like, by script.
        scripts: Letters of the scripts that look alike.
        drawn: Small capitals, boxed letters and flags' letters, which NFKC leaves, and what they stand for.
        styled: Letters in another style: raised, double-struck, circled, ligatures, full width, mathematical.
        embeddings: Embeddings and overrides (UAX 9): never needed in a note.
        isolates: Isolates of direction.
        marks: Marks of direction.
        interlinear: Marks of interlinear notes.
        stacking: Marks that combine with any letter; the joiner and the keycap's frame have their own rows.
        overlays: Marks that strike a letter through or frame it (canonical combining class 1, and enclosing marks).
        emoji: Blocks of pictographs, arrows and dingbats, and emoji outside them (emoji-data.txt).
        joining: Scripts with joining letters.
        unspaced: Scripts written without spaces.
    """

    look_alikes: tuple[tuple[str, str], ...]
    scripts: tuple[CharacterSet, ...]
    drawn: tuple[tuple[str, str], ...]
    styled: CharacterSet
    embeddings: CharacterSet
    isolates: CharacterSet
    marks: CharacterSet
    interlinear: CharacterSet
    stacking: CharacterSet
    overlays: CharacterSet
    emoji: CharacterSet
    joining: frozenset[str]
    unspaced: frozenset[str]

    @cached_property
    def latin(self) -> dict[str, str]:
        """Return letters of other scripts with the Latin one that they look like."""
        return _by_letter(self.look_alikes)

    @cached_property
    def letter(self) -> str:
        """Return the class of letters of the scripts that look alike, as a pattern."""
        return f"[A-Za-z{''.join(sorted(frozenset().union(*self.scripts)))}]"

    def foreign_scripts(self, text: str) -> list[frozenset[str]]:
        """Return, for each script that has look-alikes, its letters in ``text``."""
        letters = frozenset(filter(str.isalpha, text))
        return [letters & own for own in self.scripts if not letters.isdisjoint(own)]

    @cached_property
    def invisible(self) -> frozenset[str]:
        """Return what is ignored by default and assigned, and blanks that look like nothing.

        Those that are selectors, marks of direction or tags have rows of their own, which come first.
        """
        ignored = {
            chr(code) for first, last in IGNORABLE for code in range(first, last + 1) if code < _TAGS[0]
        }
        assigned = {character for character in ignored if unicodedata.category(character) != "Cn"}
        return self.interlinear.union(assigned, BLANK)

    @cached_property
    def plain(self) -> dict[str, str]:
        """Return letters in another style with the plain ones that they stand for."""
        styled = {letter: unicodedata.normalize("NFKC", letter) for letter in self.styled}
        return {**styled, **_by_letter(self.drawn)}

    def joins(self, character: str, before: str, after: str) -> bool:
        """Return whether an invisible character does its own work between its neighbours.

        Joiners work between emoji and inside scripts with joining letters; zero width
        space breaks lines in scripts written without spaces.
        """
        if not before:
            return False
        pictures = (before in self.emoji or before == _PICTURE) and after in self.emoji
        if character in _JOINER + _GRAPHEME_JOINERS:
            return script(before) in self.joining or (character == _JOINER and pictures)
        between = {script(before), script(after) if after else ""}
        return character == _SPACE and not self.unspaced.isdisjoint(between)


@cache
def characters() -> Characters:
    """Return the shipped sets."""
    return msgspec.json.decode(
        shipped_config("scanners/characters.json"), type=Characters, dec_hook=_character_set
    )


@cache
def kind(character: str) -> str:
    """Return the row of a suspicious character; "" for an ordinary one."""
    own = characters()
    code, category = ord(character), unicodedata.category(character)
    if category == "Cc":
        return "" if character in "\t\n\r\x85" else "control"
    if code in _TAGS:
        return "tags"
    if 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF:  # noqa: PLR2004 - VS1 to VS256
        return "selector"
    if character in own.embeddings or character in own.isolates or character in own.marks:
        return "bidi"
    if character in own.invisible:
        return "invisible"
    if character in own.stacking:
        return "stacked"
    unassigned = "" if character in own.emoji else "unassigned"
    return {"Co": "private_use", "Cs": "not_utf8", "Cn": unassigned}.get(category, "")


@cache
def plain(character: str) -> str:
    """Return what a model reads: nothing of a hidden character, the plain one of a styled letter."""
    own = characters()
    if 0xE0020 <= ord(character) <= 0xE007E:  # noqa: PLR2004 - tags that spell ASCII
        return chr(ord(character) - _TAGS[0])
    if character in own.overlays or kind(character) in {"tags", "selector", "invisible", "bidi"}:
        return ""
    return own.plain.get(character, character)


@cache
def script(character: str) -> str:
    """Return the first word of a character's name, which for letters is its script; ``HAN`` for ideographs."""
    name = unicodedata.name(character, "")
    return "HAN" if name.startswith(("CJK UNIFIED", "CJK COMPAT")) else name.partition(" ")[0]


def _by_letter(pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    return dict(chain.from_iterable(zip(*pair, strict=True) for pair in pairs))


def _character_set(_type: type, ranges: list[str]) -> CharacterSet:
    edges = (
        (int(first, 16), int(last or first, 16)) for first, _, last in (r.partition("-") for r in ranges)
    )
    return CharacterSet(chr(code) for first, last in edges for code in range(first, last + 1))


_BOM, _SHY = "\ufeff", "\u00ad"
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
        return Severity.QUARANTINE
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
