"""Letters that look like Latin ones: which, and what a reader takes them for.

After UTS 39 (Unicode Security Mechanisms), section 4: two strings are confusable when their
skeletons are equal. The table is our own, of the letters that look alike in common fonts; where
Unicode itself says what a styled letter stands for (NFKC), nothing is listed. No file of Unicode's
is copied.

Invariant: one character in, plain characters out; no word is judged here (``unicode``).
"""

# ruff: noqa: RUF001 - letters that look like others are what this table is about
import unicodedata
from collections.abc import Iterator
from itertools import chain

_PAIRS = (
    ("аесорхуіјѕһԁԛԝкмтвнѵӏүԍҽѡАВСЕНІЈКМОРЅТХУӀѴҮԌԜԚЗЬ", "aecopxyijshdqwkmtbhvlygewABCEHIJKMOPSTXYIVYGWQ3b"),
    ("οανρτυικεχγηϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺ", "oavptuikexyncjABEZHIKMNOPTYXCM"),
    ("օոսհցզյքռգաՏՕՍԼ", "onuhgqjpnqwSOUL"),
    ("ᎪᎠᎬᎻᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃᏴᏟᏀᎥᏏᏧᏂ", "ADEHJKLMPRSTVWZBCGibdh"),
    ("ⲞⲢⲤⲦⲬⲎⲒⲔⲘⲚⲀⲂⲟⲣⲥⲭⲓ", "OPCTXHIKMNABopcxi"),
    ("ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ", "BPDTGKJCZFMNLSRVHWXYAEIOU"),
)
"""By script: Cyrillic, Greek, Armenian, Cherokee, Coptic, Lisu."""
CONFUSABLE = dict(chain.from_iterable(zip(foreign, latin, strict=True) for foreign, latin in _PAIRS))
"""Letters of other scripts with the Latin one that they look like."""
LETTER = "[A-Za-z\u0370-\u03ff\u0400-\u052f\u0531-\u0587\u13a0-\u13ff\u2c80-\u2cf3\ua4d0-\ua4f7]"
"""Letters of the scripts that look alike."""
_SCRIPTS = (
    range(0x370, 0x400), range(0x400, 0x530), range(0x531, 0x588), range(0x13A0, 0x1400), range(0x2C80, 0x2CF4), range(0xA4D0, 0xA4F8),
)  # fmt: skip
_SMALL_CAPITALS = dict(zip("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢɑɡ", "abcdefghijklmnoprstuvwyzag", strict=True))
"""Letters of phonetic scripts that text generators use as a style."""
_BOXED = {start + n: chr(ord("a") + n) for start in (0x1F150, 0x1F170, 0x1F1E6) for n in range(26)}
"""White on black and flags' letters, which NFKC leaves as they are."""
_STYLED = (
    range(0x2B0, 0x2B9), range(0x1D2C, 0x1D6B), range(0x2070, 0x20A0), range(0x2100, 0x2150), range(0x2460, 0x2500), range(0xFB00, 0xFB07), range(0xFF01, 0xFF5F),
    range(0x1D400, 0x1D800), range(0x1F100, 0x1F150),
)  # fmt: skip
"""Blocks of letters in another style: raised, double-struck, circled, ligatures, full width, mathematical."""


def unstyled(character: str) -> str:
    """Give what a styled letter stands for; the character itself where it has no style."""
    code = ord(character)
    if code in _BOXED:
        return _BOXED[code]
    if any(code in block for block in _STYLED):
        return unicodedata.normalize("NFKC", character)
    return _SMALL_CAPITALS.get(character, character)


def foreign_scripts(text: str) -> Iterator[frozenset[str]]:
    """Give, for each script that has look-alikes, its letters in ``text``."""
    letters = frozenset(text)
    for block in _SCRIPTS:
        own = frozenset(c for c in letters if ord(c) in block and c.isalpha())
        if own:
            yield own
