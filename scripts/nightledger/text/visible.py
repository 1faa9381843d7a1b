r"""Text from a file, made safe to show: every character is seen as what it is, and no markup takes effect.

Invariant: what `visible` returns holds no control, format, private-use or unassigned character, and none that
Unicode lets a screen leave out, so no escape sequence, direction override or invisible letter takes
effect on a terminal; no mark is drawn on what stands before the text; two different texts never
look the same because of one letter of a foreign script, or because one spells our escapes out. What `quote_line`
returns is one such line, without ``<``, a backtick or a bracket that is not escaped: no quoted text opens or closes a
fence, ours or anybody's, and quoting never cuts inside an escape. Cheap to import: hooks quote, too.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

_IGNORABLE = (
    "ad 34f 61c 115f-1160 17b4-17b5 180b-180f 200b-200f 202a-202e 2060-206f 3164 fe00-fe0f feff ffa0 fff0-fff8"
    " 1bca0-1bca3 1d173-1d17a e0000-e0fff"
)
IGNORABLE = tuple(
    (int(first, 16), int(last or first, 16))
    for first, _, last in (one.partition("-") for one in _IGNORABLE.split())
)
"""Default_Ignorable_Code_Point: first and last of each range (DerivedCoreProperties.txt, Unicode 16)."""
BLANK = "\u2800\U00013441\U00013442\U00016fe4\U0001d159"
"""Symbols, letters and a note that are drawn as nothing, though Unicode counts them as seen."""
_PLAIN = re.compile(r"[\x20-\x7e]*\Z")
_WORD = re.compile(r"\w+")
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""General categories that show nothing, or change how the rest shows (Unicode 4.5)."""
_ESCAPE, _SPELLED = "\\u{", "\\u{5c}u{"
"""What begins each escape of ours, and how a text is shown that says so itself."""
_MOST_MARKS = 8
"""Combining marks on one letter; Hebrew with vowels and accents needs five. A pile would cover other rows."""
_JOINER, _AS_EMOJI = "\u200d", "\ufe0f"
_KEYCAP = frozenset("#*0123456789")
_QUOTES = re.compile('["\u201c-\u201f\u00ab\u00bb\u2033\u2036\uff02]')
_PICTURES = frozenset("\u2194\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff")
"""Parts of emoji that are no other symbol (So): an arrow, and the tones of skin."""
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU")
"""Scripts whose letters look alike (UTS 39); mixing two of them in a word is how a name is faked."""


def visible(text: str) -> str:
    r"""Give one line of text as it may be printed.

    Hidden characters become ``\u{202e}``, a tab ``\u{9}``; so do combining marks with no letter before
    them, and letters of the rarer of two look-alike scripts in one word. A zero-width joiner or
    variation selector between emoji stays, anywhere else it is shown. A text that says ``\u{`` itself is
    shown with ``\u{5c}`` for its backslash; every other backslash stays as it is.
    """
    if _PLAIN.match(text):
        return text.replace(_ESCAPE, _SPELLED)
    return _show_mixed("".join(_pieces(text.replace(_ESCAPE, _SPELLED))))


def quoted(text: str) -> str:
    """Return a text in quotation marks that it cannot close, so that none of its words is taken for one of ours."""
    return '"' + _QUOTES.sub("'", text) + '"'


def visible_lines(text: str) -> list[str]:
    r"""Give each line of text as it may be printed; lines end at ``\n`` only, a stray ``\r`` is shown."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [visible(line) for line in lines]


def _pieces(text: str) -> Iterator[str]:
    """Give each character as it is shown; a mark needs a letter that stands as it is, and is one of few."""
    room = 0
    for at, character in enumerate(text):
        is_mark = unicodedata.category(character)[0] == "M"
        stays = _joins_emoji(text, at) or not _is_hidden(character)
        room = room - 1 if is_mark else _MOST_MARKS if not character.isspace() else 0
        stays = stays and room >= 0
        if not stays:
            room = 0
        yield character if stays else _escaped(character)


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN or _shows_nothing().match(character) is not None


@cache  # a hook, which quotes, seldom needs it
def _shows_nothing() -> re.Pattern[str]:
    """Return a class of all of them, and of the planes of private use behind the last."""
    ranges = "".join(f"{chr(first)}-{chr(last)}" for first, last in IGNORABLE)
    return re.compile(f"[{ranges}{BLANK}\U000e1000-\U0010ffff]")


def _escaped(character: str) -> str:
    return f"{_ESCAPE}{ord(character):x}}}"


def _joins_emoji(text: str, at: int) -> bool:
    """Tell whether a selector makes a picture of what is before it, or a joiner one emoji of its neighbours."""
    before = text[at - 1 : at] if at else ""
    if text[at] == _AS_EMOJI:
        return _is_picture(before) or before in _KEYCAP
    if text[at] != _JOINER or not _is_picture(text[at + 1 : at + 2]):
        return False
    return _is_picture(before) or (before == _AS_EMOJI and _joins_emoji(text, at - 1))


def _is_picture(character: str) -> bool:
    if not character:
        return False
    return unicodedata.category(character) == "So" or character in _PICTURES


def _show_mixed(text: str) -> str:
    return _WORD.sub(lambda match: _escape_rarer(match.group()), text)


def _escape_rarer(word: str) -> str:
    if word.isascii():
        return word
    scripts = [_script(character) for character in word]
    present = {script for script in scripts if script}
    if len(present) < 2:  # noqa: PLR2004 - one script, or none that has look-alikes
        return word
    main = max(_SCRIPTS, key=lambda name: (scripts.count(name), -_SCRIPTS.index(name)))
    return "".join(
        _escaped(character) if script and script != main else character
        for character, script in zip(word, scripts, strict=True)
    )


def _script(character: str) -> str:
    if not character.isalpha():
        return ""
    name = unicodedata.name(character, "")
    return next((script for script in _SCRIPTS if name.startswith(script)), "")


CUT = "\u2026"
"""Stands where a text was cut."""
_ANYWHERE = re.compile(r"[\\`*_\[\]<>|~]")
"""What begins emphasis, code, a link, HTML, a table cell or struck text, wherever it stands."""
_ADDRESS = re.compile(r":(?=//)|(?<=www)\.|(?<=\w)@(?=\w)|(?<=mailto):|(?<=xmpp):", re.IGNORECASE)
_WORD_INSIDE = re.compile(r"(?<=[^\W_])\\_(?=[^\W_])")
"""An underscore between letters begins nothing (CommonMark 6.2): names stay readable."""
_START = re.compile(r"^(?:#{1,6}(?=\s|$)|[-+=](?=\s|$|[-+=])|>|~{3,})")
_NUMBER = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_ENTITY = re.compile(r"&(?=#?\w{1,32};)")


def one_line(text: str) -> str:
    """Give a text on one line: white space runs become one space."""
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    """Give the beginning of a text, at a word's end where one is near; a cut is marked.

    Args:
        text: One line, not yet quoted.
        most: Characters at most, the mark included; 1 or more.
    """
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    at = kept.rfind(" ")
    return (kept[:at] if at > most * 3 // 4 else kept).rstrip() + CUT


def quote_line(text: str, most: int | None = None) -> str:
    """Give a text as one quoted line.

    Args:
        text: Anybody's.
        most: Characters of the text at most, before escapes; None for all of it.
    """
    line = one_line(text)
    if most is not None:
        line = cut(line, most)
    if not (line.isascii() and line.isprintable()) or "\\u{" in line:
        line = visible(line)
    line = _ANYWHERE.sub(r"\\\g<0>", line)
    line = _WORD_INSIDE.sub("_", line)
    line = _ADDRESS.sub(r"\\\g<0>", line)
    line = _ENTITY.sub(r"\\&", line)
    line = _START.sub(r"\\\g<0>", line)
    return _NUMBER.sub(r"\1\\\2", line)


TITLE_CHARACTERS = 240
"""Of a longer title the rest is not carried; the heading's own line keeps it. Twice what a proposal's section may have."""


def carried(title: str) -> str:
    """Give a title; a longer one than the bound ends at its last blank within it, and is empty without one.

    No word is cut: a part of a secret would no longer be known for one.
    """
    if len(title) <= TITLE_CHARACTERS:
        return title
    return title[: TITLE_CHARACTERS + 1].rpartition(" ")[0].rstrip()
