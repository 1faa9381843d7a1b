r"""Quote a text as data: one line in which no Markdown, HTML or link takes effect.

CommonMark 0.31.2, 2.4: a backslash before ASCII punctuation makes it literal. So every character
that could begin a construct is escaped, and a reader of the source still sees the words. Bare
addresses, which GitHub's Markdown links by itself (GFM 6.9), are escaped where their shape begins.

Invariant: the result is one line, printable, without ``<``, a backtick or a bracket that is not
escaped; so no quoted text opens or closes a fence, ours or anybody's. Quoting never cuts inside an
escape. Cheap to import: hooks quote, too.
"""

import re

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
        from nightledger.text.visible import visible  # spares a hook the tables of Unicode

        line = visible(line)
    line = _ANYWHERE.sub(r"\\\g<0>", line)
    line = _WORD_INSIDE.sub("_", line)
    line = _ADDRESS.sub(r"\\\g<0>", line)
    line = _ENTITY.sub(r"\\&", line)
    line = _START.sub(r"\\\g<0>", line)
    return _NUMBER.sub(r"\1\\\2", line)
