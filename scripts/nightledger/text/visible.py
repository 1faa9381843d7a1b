"""Text from a file, made safe to show: every character is seen as what it is.

Invariant: the result holds no control, format, private-use or unassigned character, so no
escape sequence, direction override or invisible letter takes effect on a terminal; and
two different texts never look the same because of one letter of a foreign script.
"""

import re
import unicodedata

_PLAIN = re.compile(r"[\x20-\x7e]*\Z")
_WORD = re.compile(r"\w+")
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""General categories that show nothing, or change how the rest shows (Unicode 4.5)."""
_NAMED = {"\t": "\\t", "\r": "\\r"}
_SELECTOR = re.compile("[\ufe00-\ufe0f\U000e0100-\U0010ffff]")
"""Variation selectors, and what lies beyond: they change or carry what nobody sees."""
_EMOJI_JOINERS = frozenset({"\u200d", "\ufe0f"})
_SCRIPTS = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU")
"""Scripts whose letters look alike (UTS 39); mixing two of them in a word is how a name is faked."""


def visible(text: str) -> str:
    r"""Give one line of text as it may be printed.

    Hidden characters become ``\u{202e}``; a tab becomes ``\t``, a carriage return ``\r``; letters of the rarer of two
    look-alike scripts in one word become escapes; a zero-width joiner or variation selector
    between emoji stays, anywhere else it is shown.
    """
    if _PLAIN.match(text):
        return text
    return _show_mixed("".join(_show(text, at) for at in range(len(text))))


def visible_lines(text: str) -> list[str]:
    r"""Give each line of text as it may be printed; lines end at ``\n`` only, a stray ``\r`` is shown."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [visible(line) for line in lines]


def _show(text: str, at: int) -> str:
    character = text[at]
    if character in _NAMED:
        return _NAMED[character]
    if character in _EMOJI_JOINERS and _in_emoji(text, at):
        return character
    hidden = unicodedata.category(character) in _HIDDEN or _SELECTOR.match(character)
    return f"\\u{{{ord(character):x}}}" if hidden else character


def _in_emoji(text: str, at: int) -> bool:
    before = text[at - 1] if at else ""
    return bool(before) and (unicodedata.category(before) in ("So", "Sk") or before in "\ufe0f#*0123456789")


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
        f"\\u{{{ord(character):x}}}" if script and script != main else character
        for character, script in zip(word, scripts, strict=True)
    )


def _script(character: str) -> str:
    if not character.isalpha():
        return ""
    name = unicodedata.name(character, "")
    return next((script for script in _SCRIPTS if name.startswith(script)), "")
