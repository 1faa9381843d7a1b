"""Which characters hide, reorder or imitate: the rows behind ``scan_unicode``.

Invariant: data and lookups only. Sets follow Unicode's Default_Ignorable_Code_Point
and Bidi_Control properties and UTS 39's confusables (the letters that one meets).
"""

import unicodedata
from dataclasses import dataclass
from functools import cache

TAGS = range(0xE0000, 0xE0080)
"""Tag characters: spell ASCII invisibly; legitimate in three flags only."""
BIDI_STRONG = frozenset("\u202a\u202b\u202c\u202d\u202e")
"""Embeddings and overrides (UAX 9): never needed in a note."""
BIDI_ISOLATES = frozenset("\u2066\u2067\u2068\u2069")
BIDI_MARKS = frozenset("\u200e\u200f\u061c")
INVISIBLE = frozenset(
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u2065"
    "\u206a\u206b\u206c\u206d\u206e\u206f\u2800\u3164\ufeff\uffa0\ufff9\ufffa\ufffb"
)
"""Default ignorable characters, and two blanks that look like nothing."""
_JOINING = frozenset(
    {
        "ARABIC",
        "SYRIAC",
        "NKO",
        "MANDAIC",
        "MONGOLIAN",
        "DEVANAGARI",
        "BENGALI",
        "GURMUKHI",
        "GUJARATI",
        "ORIYA",
        "TAMIL",
        "TELUGU",
        "KANNADA",
        "MALAYALAM",
        "SINHALA",
        "KHMER",
        "MYANMAR",
        "TIBETAN",
        "BALINESE",
        "JAVANESE",
        "THAANA",
    }
)
_UNSPACED = frozenset({"THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "CJK", "HIRAGANA", "KATAKANA"})
CONFUSABLE = dict(
    zip(
        "аесорхуіјѕһԁԛԝкмтвнАВСЕНІЈКМОРЅТХУοανρτυικεχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aecopxyijshdqwkmtbhABCEHIJKMOPSTXYoavptuikexABEZHIKMNOPTYX",
        strict=True,
    )
)
"""Cyrillic and Greek letters with the Latin one they look like (UTS 39 confusables.txt, single letters)."""
_LETTER = "[A-Za-z\u0370-\u03ff\u0400-\u052f]"
LOOKALIKES = f"[{''.join(CONFUSABLE)}]+"
WORD_START = f"{_LETTER}+"
WORD_END = f"{_LETTER}+\\Z"
"""The rest of a look-alike's word after it and before it, searched in a short stretch."""


_PICTOGRAPHS = range(0x1F000, 0x1FB00)
_SYMBOLS = range(0x2190, 0x2C00)
_LONE_EMOJI = frozenset({0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x3030, 0x303D, 0x3297, 0x3299})
"""Emoji outside the two blocks (emoji-data.txt)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CharacterKind:
    """One class of suspicious characters.

    Attributes:
        message: One line for the operator.
        catches: Texts that it must find; tests run them.
        spares: Texts that it must not find; tests run them.
    """

    message: str
    catches: tuple[str, ...]
    spares: tuple[str, ...] = ()


KINDS = {
    "bidi": CharacterKind(
        message="characters that change the order in which text is shown",
        catches=("allow\u202enimda", "if \u2066admin\u2069 then", "mark\u200e alone"),
        spares=("\u05e9\u05dc\u05d5\u05dd\u200f world", "\u0645\u0631\u062d\u0628\u0627 \u200eABC"),
    ),
    "control": CharacterKind(
        message="control characters",
        catches=("a\x1b[2Jb", "a\x00b", "a\x9bb", "\x1b[33mWARN"),
        spares=("a\tb\r\n",),
    ),
    "invisible": CharacterKind(
        message="invisible characters",
        catches=(
            "pass\u200bword",
            "a\u2063\u2063b",
            "in\u200dside",
            "blank \u3164 filler",
            "soft\u00adhyphen",
            "late\ufeff mark",
        ),
        spares=(
            "\ufeffat the start",
            "\U0001f469\u200d\U0001f4bb works",
            "\U0001f3f3\ufe0f\u200d\U0001f308",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0915\u094d\u200d\u0937",
            "\u0e20\u0e32\u0e29\u0e32\u200b\u0e44\u0e17\u0e22",
        ),
    ),
    "mixed_script": CharacterKind(
        message="a word with look-alike letters of another script",
        catches=("p\u0430ypal", "\u0430dmin", "\u03bfpen"),
        spares=("PDF\u043a\u0430", "\u043f\u0440\u0438\u0432\u0435\u0442", "\u03bcm", "\u0394x", "caf\u00e9"),
    ),
    "not_utf8": CharacterKind(message="bytes that are not UTF-8", catches=("a\udcffb",)),
    "private_use": CharacterKind(
        message="private use characters, whose meaning only one font knows",
        catches=("icon \ue0a0", "\U000f0001" * 5),
    ),
    "selector": CharacterKind(
        message="variation selectors with nothing to vary",
        catches=("a\U000e0101\U000e0142b", "word\ufe01"),
        spares=("\u2764\ufe0f", "1\ufe0f\u20e3", "\u845b\U000e0100", "\u2705\ufe0f done"),
    ),
    "tags": CharacterKind(
        message="tag characters, which spell hidden text",
        catches=("hi" + "".join(chr(0xE0000 + ord(c)) for c in "obey"),),
        spares=("\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",),
    ),
    "unassigned": CharacterKind(
        message="characters that Unicode does not assign",
        catches=("a\u0378b", "a\uffffb"),
        spares=("\U0001fae9",),
    ),
}
"""Kinds by name; the rule is ``unicode.<name>``."""


def is_selector(code: int) -> bool:
    """Say whether a code point is a variation selector (VS1 to VS256)."""
    return 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF  # noqa: PLR2004 - the two blocks


def is_emoji(character: str) -> bool:
    """Say whether a character lies in the blocks of pictographs, arrows and dingbats, assigned or not yet."""
    code = ord(character)
    return code in _PICTOGRAPHS or code in _SYMBOLS or code in _LONE_EMOJI


@cache
def script(character: str) -> str:
    """Give the first word of a character's name, which for letters is its script; ``HAN`` for ideographs."""
    name = unicodedata.name(character, "")
    return "HAN" if name.startswith(("CJK UNIFIED", "CJK COMPAT")) else name.partition(" ")[0]


def joins(character: str, before: str, after: str) -> bool:
    """Say whether an invisible character does its own work between its neighbours.

    Joiners work between emoji and inside scripts with joining letters; zero width
    space breaks lines in scripts written without spaces.
    """
    if not before:
        return False
    if character == "\u200d":
        return (_pictograph(before) and is_emoji(after or " ")) or script(before) in _JOINING
    if character in "\u200c\u034f":
        return script(before) in _JOINING
    if character == "\u200b":
        return (
            script(before) in _UNSPACED or script(after) in _UNSPACED
            if after
            else script(before) in _UNSPACED
        )
    return character in "\u180b\u180c\u180d\u180e\u180f\u17b4\u17b5" and script(before) in {
        "MONGOLIAN",
        "KHMER",
    }


def _pictograph(character: str) -> bool:
    return is_emoji(character) or character == "\ufe0f"
