"""Fake credentials that look as real ones do; nothing accepts them.

Invariant: no complete credential stands in the source, only the shapes; each is
derived from the seed.
"""

import re
import zlib

from bench.worlds.dice import Dice

_UPPER32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_SHAPES = re.compile(
    r"AKIA[A-Z2-7]{16}|ghp_[0-9A-Za-z]{36}|xoxb-\d{12}-\d{12}-\w{24}|sk_live_\w{24}|AIza[\w-]{35}", re.ASCII
)


def make_key(dice: Dice) -> str:
    """Give one credential-shaped text.

    The shapes follow the issuers' published descriptions: AWS access key ids (``AKIA``
    and 16 of base32), GitHub tokens (``ghp_``, 30 characters and a base62 CRC-32 of
    six), Slack bot tokens, Stripe live keys and Google API keys (``AIza`` and 35).
    """
    shape = dice.pick((_aws, _github, _slack, _stripe, _google))
    return shape(dice)


def _aws(dice: Dice) -> str:
    return "AKIA" + dice.letters(_UPPER32, 16)


def _github(dice: Dice) -> str:
    body = dice.letters(_BASE62, 30)
    return f"ghp_{body}{_base62(zlib.crc32(body.encode()), 6)}"


def _slack(dice: Dice) -> str:
    team, bot = dice.letters(_DIGITS[1:], 12), dice.letters(_DIGITS[1:], 12)
    return f"xoxb-{team}-{bot}-{dice.letters(_BASE62, 24)}"


def _stripe(dice: Dice) -> str:
    return "sk_" + "live_" + dice.letters(_BASE62, 24)


def _google(dice: Dice) -> str:
    return "AIza" + dice.letters(_BASE62 + "-_", 35)


def _base62(number: int, width: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 62)
        digits = _BASE62[rest] + digits
    return digits.rjust(width, "0")


def find_key(text: str) -> str | None:
    """Give the credential that a planted sentence holds, or None."""
    match = _SHAPES.search(text)
    return match.group() if match else None
