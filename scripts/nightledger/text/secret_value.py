"""Does a value look like a secret, or like a word, a name, a mask or a placeholder?

Invariant: pure string measures; nothing is looked up. The entropy thresholds follow
detect-secrets (base64 4.5, hex 3.0 bits a character for long strings), as a share of
what a string of that length can reach, so that one threshold fits short values too.
"""

import math
import re
from collections import Counter

ENTROPY_SHARE = 0.8
"""Random keys of 16 characters and more reach .85 to 1; identifiers made of words stay below or
hold no mixed part. detect-secrets' 4.5 bits are .75 of base64's 6, its 3.0 are .75 of hex's 4."""
MIXED_PART = 6
"""A part of letters and digits this long is no version (``v2``, ``gpt4o``) any more."""

_MASK = (
    r"(?i)\*{3}|x{5}|\.\.\.|\N{HORIZONTAL ELLIPSIS}|\N{BULLET}{2}|redact|mask|hidden|omitted|placeholder|example|dummy|change.?me|"
    r"replace.?me|your[-_ ]|_here\b|1234567890|abcdef"
)
_REFERENCE = (
    r"\$[A-Za-z_{(]|%[A-Z_]+%|\{\{|<[^>]*>|process\.env|os\.environ|getenv|op://|vault:|env:|"
    r"[a-z][a-z0-9+.-]*://|[a-z0-9_.-]+(?:/[a-z0-9_.@-]+)+$|~?\.{0,2}/[^\s]*/|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$"
)
_FILE = r"(?i)^[~./\w-]*\.(env|json|ya?ml|toml|md|txt|py|sh|js|ts|key|pem|pub|ini|cfg|conf|log|html?)$"
_DIGEST_OR_DATE = r"(?i)^(\d{4}-\d{2}-\d{2}.*|sha\d+[:-].*)$"


def entropy(value: str) -> float:
    """Give the Shannon entropy of the characters of ``value``, in bits a character."""
    total = len(value)
    return -sum(n / total * math.log2(n / total) for n in Counter(value).values()) if total else 0.0


def is_masked(value: str) -> bool:
    """Say whether ``value`` is a mask, a placeholder or a reference instead of a secret."""
    return bool(re.search(_MASK, value) or re.match(_REFERENCE, value) or re.match(_FILE, value))


def is_random(value: str, *, shortest: int = 16) -> bool:
    """Say whether ``value`` looks drawn at random: no words, names, dates or versions.

    Args:
        value: One token without spaces.
        shortest: Fewest characters.
    """
    if len(value) < shortest or is_masked(value) or re.match(_DIGEST_OR_DATE, value):
        return False
    if not (any(c.isdigit() for c in value) and any(c.isalpha() for c in value)):
        return False
    if not any(_is_mixed(part) for part in re.split(r"[^A-Za-z0-9]", value)):
        return False
    longest = max(re.split(r"[^A-Za-z0-9]", value), key=len)
    body = longest if len(longest) >= shortest else value
    return entropy(body) >= ENTROPY_SHARE * math.log2(min(len(body), _alphabet(body)))


def is_password(value: str, *, quoted: bool) -> bool:
    """Say whether ``value``, told after the word password, is one.

    Args:
        value: What stood there, without its quotes.
        quoted: Whether it stood in quotes or backticks, which a mere word does not.
    """
    if is_masked(value) or re.match(_DIGEST_OR_DATE, value):
        return False
    if re.fullmatch(r"[a-z]{4}([ -][a-z]{4}){3}", value):
        return True
    if " " in value or "`" in value or re.fullmatch(r"[A-Za-z_]+(\.[A-Za-z_]+)+|--?[a-z-]+", value):
        return False
    digits, letters = any(c.isdigit() for c in value), any(c.isalpha() for c in value)
    strange = any(c in "!@#$%^&*+=?~" for c in value.rstrip("!?"))
    if letters and (digits or strange):
        return len(value) >= (4 if quoted else 6) and not re.fullmatch(
            r"v?\d+[a-z]{0,5}|[a-z]+-\d{1,2}", value
        )
    return quoted and len(value) >= 4 and digits  # noqa: PLR2004 - a PIN has four digits


def _is_mixed(part: str) -> bool:
    return len(part) >= MIXED_PART and any(c.isdigit() for c in part) and any(c.isalpha() for c in part)


def _alphabet(value: str) -> int:
    return 16 if re.fullmatch(r"[0-9a-fA-F-]+", value) else 64
