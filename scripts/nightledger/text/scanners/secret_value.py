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
STRONG = 7
"""Fewest characters of what is taken for a password without a label of its own."""
MIXED_PART = 6
"""A part of letters and digits this long is no version (``v2``, ``gpt4o``) any more."""

_MASK = (
    r"(?i)\*{3}|x{5}|x{3}(?![a-z0-9])|\.\.\.|\N{HORIZONTAL ELLIPSIS}|\N{BULLET}{2}|redact|mask|hidden|omitted|placeholder|example|dummy|change.?me|"
    r"replace.?me|(?<![a-z])your|твой|你的|[_-]here\b|1234567890|abcdef"
)
_REFERENCE = (
    r"\$[A-Za-z_{(]|%[A-Z_]+%|\{\{|<[^>]*>|process\.env|os\.environ|getenv|op://|vault:|env:|"
    r"[a-z][a-z0-9+.-]*://|[a-z0-9_.-]+(?:/[a-z0-9_.@-]+)+$|~?\.{0,2}/[^\s]*/|[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$"
)
_PLACEHOLDER = frozenset(
    "a an the for actual my our new old your some any no not set unset none null nil true false undefined empty blank here value string "  # noqa: SIM905 - words are read in rows
    "example placeholder sample dummy fake test testing mock demo key keys token tokens secret secrets password passwd pass "
    "pwd api auth access app client user username name id bot change me changeme replace this todo tbd required optional "
    "missing redacted hidden masked file path env var variable in production long random shared super very default".split()
)
_CODE = (
    r"\w\(|\{\w*\}|[\[\]\\]|::|=>|\.\.|[^=]=[^=]|^[A-Za-z_]+(\.[A-Za-z_]+)+$|"
    r"^#[0-9a-fA-F]{3,8}$|^@\w+$|@$|^[\w.+-]+@[\w-]+\.[\w.-]+$"
)
_NAMES = (
    r"(?i)^(1password|pbkdf2|argon2(id|i|d)?|bcrypt|scrypt|sha-?\d+|md5|hmac.*|aes-?\d+.*|rsa-?\d+|ed25519.*|oauth-?2(\.0)?|2fa|mfa|totp|"
    r"base-?\d+|utf-?\d+|ipv[46]|http2?|ws2|k8s|s3|ec2|x509|pkcs\d+|ssh2|wpa[23].*|web3.*|win(dows)?\d+|ubuntu.*|debian.*|python.*|node.*|"
    r"(gpt|claude|gemini|gemma|llama|qwen|glm|deepseek|mistral|kimi|minimax|mimo|grok|opus|sonnet|haiku|phi)[-\d._].*|"
    r"[a-z]{1,5}-\d{1,5}|(19|20)\d\d[a-z]*|\d+([.,:]\d+)*[a-z%]{0,5}|q[1-4].*|v\d[\w.-]*)$"
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


def is_placeholder(value: str) -> bool:
    """Say whether ``value`` is made of words that only hold a place: ``test-token``, ``my_api_key``, ``true``.

    Two digits behind such a word make a weak password that people use.
    """
    if sum(c.isdigit() for c in value) > 1:
        return False
    parts = [part.lower() for part in re.split(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])", value) if part]
    return bool(parts) and all(part in _PLACEHOLDER for part in parts)


def is_strong(value: str) -> bool:
    """Say whether ``value`` is drawn up like a password, so that it needs no label beside it but a hint.

    Seven characters and more of letters and digits with a sign that names do not hold, or of
    both cases with three digits.
    """
    if (
        len(value) < STRONG
        or " " in value
        or not value.isascii()
        or is_no_secret(value)
        or re.search(r"@[\w-]+\.[a-z]", value)
    ):
        return False
    digits, letters = sum(c.isdigit() for c in value), any(c.isalpha() for c in value)
    strange = any(c in "!@#$%^&*+?=~}{" for c in value)
    cased = any(c.isupper() for c in value) and any(c.islower() for c in value)
    return bool(digits and letters and (strange or (cased and digits >= 3)))  # noqa: PLR2004 - OAuth2, iPhone15


def is_no_secret(value: str) -> bool:
    """Say whether ``value`` is a mask, a placeholder, a file, a date, a piece of code or a well-known name."""
    return bool(
        is_masked(value)
        or is_placeholder(value)
        or re.match(_DIGEST_OR_DATE, value)
        or re.search(_CODE, value)
        or re.match(_NAMES, value)
    )


def _is_mixed(part: str) -> bool:
    return len(part) >= MIXED_PART and any(c.isdigit() for c in part) and any(c.isalpha() for c in part)


def _alphabet(value: str) -> int:
    return 16 if re.fullmatch(r"[0-9a-fA-F-]+", value) else 64
