"""Does a value look like a secret, or like a word, a name, a mask or a placeholder?

Invariant: pure measures of a string; nothing is looked up. The entropy thresholds follow
detect-secrets (base64 4.5, hex 3.0 bits a character for long strings), as a share of
what a string of that length can reach, so that one threshold fits short values too.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from functools import partial

from nightledger.text.scanners.shipped import fragment, written

ENTROPY_SHARE = 0.8
"""Random keys of 16 characters and more reach .85 to 1; identifiers made of words stay below or
hold no mixed part. detect-secrets' 4.5 bits are .75 of base64's 6, its 3.0 are .75 of hex's 4."""
_STRONG = 7
"""Fewest characters of what is taken for a password without a label of its own."""
_DRAWN_BITS = 2.5
"""Below this a value is a row of equal letters, drawn by hand to show a shape."""
_DENSE_BITS = 4.5
"""detect-secrets' limit for base64; a random key of 40 characters has about 4.8."""
_MIXED_PART = 6
"""A part of letters and digits this long is no version (``v2``, ``gpt4o``) any more."""


def entropy(value: str) -> float:
    """Return the Shannon entropy of the characters of ``value``, in bits a character."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values()) if total else 0.0


def is_masked(value: str) -> bool:
    """Return whether ``value`` is a mask, a reference or a file instead of a secret."""
    return fragment("secrets", "masked").search(value) is not None


def is_placeholder(value: str) -> bool:
    """Return whether ``value`` is made of words that only hold a place: ``test-token``, ``my_api_key``, ``true``.

    Two digits behind such a word make a weak password that people use.
    """
    if sum(c.isdigit() for c in value) > 1:
        return False
    parts = [part.lower() for part in re.split(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])", value) if part]
    return bool(parts) and set(written("secrets").fragments["placeholder"]).issuperset(parts)


def is_no_secret(value: str) -> bool:
    """Return whether ``value`` is a mask, a placeholder, a file, a date, a piece of code or a well-known name."""
    return is_masked(value) or is_placeholder(value) or fragment("secrets", "known").search(value) is not None


def is_random(value: str, *, shortest: int = 16) -> bool:
    """Return whether ``value``, without spaces, looks drawn at random: no words, names, dates or versions."""
    value = value.rstrip("!")
    if len(value) < shortest or is_masked(value) or _is_dated(value) or not _holds_both(value):
        return False
    parts = re.split(r"[^A-Za-z0-9]", value)
    if not any(len(part) >= _MIXED_PART and _holds_both(part) for part in parts):
        return False
    longest = max(parts, key=len)
    body = longest if len(longest) >= shortest else value
    alphabet = 16 if re.fullmatch(r"[0-9a-fA-F-]+", body) else 64
    return entropy(body) >= ENTROPY_SHARE * math.log2(min(len(body), alphabet))


def is_password(value: str, *, quoted: bool = False) -> bool:
    """Return whether ``value``, told after the word password, is one.

    Args:
        value: What stood there, without its quotes.
        quoted: Whether it stood in quotes or backticks, which a mere word does not.
    """
    if is_masked(value) or _is_dated(value):
        return False
    if re.fullmatch(r"[a-z]{4}([ -][a-z]{4}){3}!?", value):
        return True
    if re.search("[ `]", value) or re.fullmatch(r"[A-Za-z_]+(\.[A-Za-z_]+)+|--?[a-z-]+", value):
        return False
    digits, strange = any(map(str.isdigit, value)), re.search(r"[!@#$%^&*+=?~]", value.rstrip("!?"))
    if any(map(str.isalpha, value)) and (digits or strange):
        return len(value) >= (4 if quoted else 6) and not re.fullmatch(
            r"v?\d+[a-z]{0,5}|[a-z]+-\d{1,2}", value
        )
    return quoted and digits and len(value) >= 4  # noqa: PLR2004 - a PIN has four digits


def is_strong(value: str) -> bool:
    """Return whether ``value`` is drawn up like a password, so that it needs no label beside it but a hint.

    Seven characters and more of letters and digits with a sign that names do not hold, or of
    both cases with three digits.
    """
    if len(value) < _STRONG or not re.fullmatch(r"[!-~]+", value) or not _holds_both(value):
        return False
    cased = re.search("[a-z]", value) and re.search("[A-Z]", value) and re.search(r"\d.*\d.*\d", value)
    if not cased and not re.search(r"[!@#$%^&*+?=~}{]", value):  # three digits, for OAuth2 and iPhone15
        return False
    return not re.search(r"@[\w-]+\.[a-z]", value) and not is_no_secret(value)


def _is_drawn(value: str) -> bool:
    return not is_masked(value) and entropy(value) > _DRAWN_BITS


def _is_dense(value: str) -> bool:
    return value.lower() != value != value.upper() and entropy(value) >= _DENSE_BITS


def _holds_both(value: str) -> bool:
    """Return whether ``value`` holds digits and letters."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_dated(value: str) -> bool:
    return fragment("secrets", "digest_or_date").search(value) is not None


TESTS: dict[str, Callable[[str], bool]] = {
    "masked": is_masked,
    "placeholder": is_placeholder,
    "known": is_no_secret,
    "drawn": _is_drawn,
    "dense": _is_dense,
    "strong": is_strong,
    "password": is_password,
    "quoted": partial(is_password, quoted=True),
    **{f"random {n}": partial(is_random, shortest=n) for n in (8, 16, 20, 24)},
}
"""What a row may ask of a value; with ``not`` before it, the contrary."""
