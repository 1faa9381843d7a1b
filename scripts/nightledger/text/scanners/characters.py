"""What single characters are: hidden, reordering, imitating, or doing their own work.

Invariant: the facts are ``config/scanners/characters.json``, after Unicode's properties and UTS 39 (our own
table of letters that look alike in common fonts; what NFKC says of a styled letter is not listed).
Each distinct character is looked up once (Unicode version of the running Python).
"""

import unicodedata
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain

import msgspec

from nightledger.files.shipped import shipped_config
from nightledger.text.visible import BLANK, IGNORABLE

_TAGS = range(0xE0000, 0xE0080)
"""They spell ASCII invisibly; legitimate in three flags only."""
_JOINER, _SPACE, _GRAPHEME_JOINERS = "\u200d", "\u200b", "\u200c\u034f"
_PICTURE = "\ufe0f"
"""The selector that makes a sign an emoji."""
_OF_SCRIPTS = "\u180b\u180c\u180d\u180e\u180f\u17b4\u17b5"
"""Invisible letters and selectors of Mongolian and Khmer."""


class CharacterSet(frozenset[str]):
    """Characters, written as hexadecimal ranges: ``["370-3ff", "a9"]``."""


@dataclass(frozen=True, kw_only=True)
class Characters:
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
        drawn_with: What is drawn as nothing, by the script in which it does its work.
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
    drawn_with: dict[str, CharacterSet]

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
        space breaks lines in scripts written without spaces; the empty cell parts words in Braille, and
        the empty note carries stems in music.
        """
        if not before:
            return False
        pictures = (before in self.emoji or before == _PICTURE) and after in self.emoji
        if character in _JOINER + _GRAPHEME_JOINERS:
            return script(before) in self.joining or (character == _JOINER and pictures)
        if character == _SPACE:
            return not self.unspaced.isdisjoint({script(before), script(after) if after else ""})
        drawn_with = [name for name, drawn in self.drawn_with.items() if character in drawn]
        if drawn_with:
            return script(before) in drawn_with
        return character in _OF_SCRIPTS and script(before) in {"MONGOLIAN", "KHMER"}


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
