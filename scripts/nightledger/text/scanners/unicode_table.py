"""Which characters hide, reorder or imitate: the rows behind ``unicode``.

Invariant: data and lookups only. Sets follow Unicode's Default_Ignorable_Code_Point
and Bidi_Control properties; letters that look alike are in ``confusables``.
"""

import unicodedata
from functools import cache

from nightledger.domain.finding import Severity
from nightledger.text.ignorable import BLANK, IGNORABLE
from nightledger.text.scanners.rule import Row

_Q, _F = Severity.QUARANTINE, Severity.FLAG

TAGS = range(0xE0000, 0xE0080)
"""Tag characters: spell ASCII invisibly; legitimate in three flags only."""
BIDI_STRONG = frozenset("\u202a\u202b\u202c\u202d\u202e")
"""Embeddings and overrides (UAX 9): never needed in a note."""
BIDI_ISOLATES = frozenset("\u2066\u2067\u2068\u2069")
BIDI_MARKS = frozenset("\u200e\u200f\u061c")
_SPECIAL = range(0xE0000, 0xE1000)
INVISIBLE = frozenset(
    {
        *"\ufff9\ufffa\ufffb",
        *BLANK,
        *(
            character
            for first, last in IGNORABLE
            for character in map(chr, range(first, last + 1))
            if unicodedata.category(character) != "Cn" and ord(character) not in _SPECIAL
        ),
    }
)
"""Default ignorable characters that are assigned, the marks of interlinear notes, and blanks that look like nothing.

Those that are selectors, marks of direction or tags have rows of their own, which come first.
"""
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
_DRAWN_WITH = {
    "\u2800": "BRAILLE",
    "\U00013441": "EGYPTIAN",
    "\U00013442": "EGYPTIAN",
    "\U00016fe4": "KHITAN",
    **dict.fromkeys("\U0001bca0\U0001bca1\U0001bca2\U0001bca3", "DUPLOYAN"),
    **dict.fromkeys(["\U0001d159", *map(chr, range(0x1D173, 0x1D17B))], "MUSICAL"),
}
"""What is drawn as nothing, and the script in which it does its work."""
_UNSPACED = frozenset({"THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "CJK", "HIRAGANA", "KATAKANA"})
_PICTOGRAPHS = range(0x1F000, 0x1FB00)
_SYMBOLS = range(0x2190, 0x2C00)
STACKING = frozenset(
    {
        *map(chr, range(0x300, 0x370)),
        *map(chr, range(0x1AB0, 0x1ACF)),
        *map(chr, range(0x1DC0, 0x1E00)),
        *map(chr, range(0x20D0, 0x20F1)),
        *map(chr, range(0xFE20, 0xFE30)),
    }
    - {"\u034f", "\u20e3"}
)
"""Marks that combine with any letter; the joiner and the keycap's frame have their own rows."""
OVERLAYS = frozenset(
    "\u0334\u0335\u0336\u0337\u0338\u20d2\u20d3\u20d8\u20d9\u20da\u20dd\u20de\u20df\u20e0\u20e5\u20e6\u20ea\u20eb"
)
"""Those that strike a letter through or frame it (canonical combining class 1, and enclosing marks)."""
_LONE_EMOJI = frozenset({0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, 0x3030, 0x303D, 0x3297, 0x3299})
"""Emoji outside the two blocks (emoji-data.txt)."""


def _row(
    kind: str, severity: Severity, message: str, *, catches: tuple[str, ...], spares: tuple[str, ...]
) -> Row:
    return Row(name=f"unicode.{kind}", severity=severity, message=message, catches=catches, spares=spares)


_TAGGED = "".join(chr(0xE0000 + ord(c)) for c in "obey")
KINDS = {
    row.name.partition(".")[2]: row
    for row in (
        _row("bidi", _Q, "characters that change the order in which text is shown",
             catches=("allow\u202enimda", "if \u2066admin\u2069 then", "mark\u200e alone"),
             spares=("\u05e9\u05dc\u05d5\u05dd\u200f world", "\u0645\u0631\u062d\u0628\u0627 \u200eABC")),
        _row("control", _Q, "control characters", catches=("a\x1b[2Jb", "a\x00b", "a\x9bb", "\x1b[33mWARN"), spares=("a\tb\r\n",)),
        _row("invisible", _Q, "invisible characters",
             catches=("pass\u200bword", "a\u2063\u2063b", "in\u200dside", "blank \u3164 filler", "soft\u00adhyphen", "late\ufeff mark",
                      "a\U0001d159b", "at\u2800once", "\u3164\ud55c\uae00"),
             spares=("\ufeffat the start", "\U0001f469\u200d\U0001f4bb works", "\U0001f3f3\ufe0f\u200d\U0001f308",
                     "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0915\u094d\u200d\u0937", "\u0e20\u0e32\u0e29\u0e32\u200b\u0e44\u0e17\u0e22",
                     "\u2813\u2815\u2800\u2800\u2819\u2815", "\U0001d11e\U0001d159\U0001d165")),
        _row("mixed_script", _Q, "a word with look-alike letters of another script",
             catches=("p\u0430ypal", "\u0430dmin", "\u03bfpen", "l\u0585gin", "\u13a2nvoice", "\ua4d0ank"),
             spares=("PDF\u043a\u0430", "\u043f\u0440\u0438\u0432\u0435\u0442", "\u03bcm", "\u0394x", "caf\u00e9", "\u0540\u0561\u0575")),
        _row("not_utf8", _F, "bytes that are not UTF-8", catches=("a\udcffb",), spares=("caf\u00e9",)),
        _row("private_use", _Q, "private use characters, whose meaning only one font knows",
             catches=("icon \ue0a0", "\U000f0001" * 5), spares=("\u2665 a heart",)),
        _row("selector", _Q, "variation selectors with nothing to vary",
             catches=("a\U000e0101\U000e0142b", "word\ufe01"), spares=("\u2764\ufe0f", "1\ufe0f\u20e3", "\u845b\U000e0100", "\u2705\ufe0f done")),
        _row("stacked", _Q, "letters under a pile of marks, struck through, or marks that begin a line",
             catches=("o\u0301\u0302\u0303\u0304bey", "o\u0336b\u0336e\u0336y\u0336", "keep\n\u20d2backups", "\u0338x"),
             spares=("Vie\u0323\u0302t", "cafe\u0301", "1\ufe0f\u20e3", "the accent \u0301 alone")),
        _row("tags", _Q, "tag characters, which spell hidden text", catches=("hi" + _TAGGED,),
             spares=("\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",)),
        _row("unassigned", _Q, "characters that Unicode does not assign", catches=("a\u0378b", "a\uffffb"), spares=("\U0001fae9",)),
        _row("whole_script", _F, "a word of nothing but look-alike letters of another script", catches=("log in at \u0440\u0430\u0443\u0440\u0430\u04cf now",),
             spares=("\u0442\u043e\u043a \u0432\u044b\u043a\u043b\u044e\u0447\u0435\u043d", "\u03c1 and \u03bd", "\u041e\u041a")),
    )
}  # fmt: skip
"""Kinds by the second part of their row's name; how grave one is, its neighbours say."""


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
    space breaks lines in scripts written without spaces; the empty cell parts words in Braille, and
    the empty note carries stems in music.
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
    if character in _DRAWN_WITH:
        return script(before) == _DRAWN_WITH[character]
    return character in "\u180b\u180c\u180d\u180e\u180f\u17b4\u17b5" and script(before) in {
        "MONGOLIAN",
        "KHMER",
    }


def _pictograph(character: str) -> bool:
    return is_emoji(character) or character == "\ufe0f"
