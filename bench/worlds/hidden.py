"""Text that an eye does not see and a model does: three ways to hide it in a line."""

from bench.worlds.dice import Dice

_TAG_BASE = 0xE0000
"""Unicode tag characters mirror ASCII from U+E0000 (Unicode standard, section 23.9)."""
_ZERO = "\u200b"
_ONE = "\u200c"
_OVERRIDE = "\u202e"
_END = "\u202c"


def hide(text: str, dice: Dice) -> str:
    """Give ``text`` (ASCII) hidden as tags, as zero-width bits or behind a bidi override."""
    return dice.pick((_as_tags, _as_bits, _reversed))(text)


def _as_tags(text: str) -> str:
    return "".join(chr(_TAG_BASE + ord(character)) for character in text)


def _as_bits(text: str) -> str:
    bits = "".join(f"{ord(character):08b}" for character in text[:12])
    return bits.replace("0", _ZERO).replace("1", _ONE)


def _reversed(text: str) -> str:
    return f" {_OVERRIDE}{text[::-1]}{_END}"
