"""Shapes that a line may hold: paths, addresses, commands, quotations, orders.

Invariant: a shape is present or absent, and its pattern names no product, person or topic.
"""

import re

SHAPES: dict[str, re.Pattern[str]] = {
    "code-file": re.compile(r"\w\.(?:tsx?|jsx?|mjs|css|html|py|go|rs|java|php|vue|swift|sql|sh)\b"),
    "note-file": re.compile(r"\w\.md\b"),
    "setting-file": re.compile(r"\w\.(?:json|ya?ml|toml|ini|conf|env|plist|service)\b|\.env\b"),
    "absolute-path": re.compile(r"(?:^|[\s`(])(?:~|/(?:home|root|opt|etc|usr|var|data|Users|mnt|srv))/"),
    "option": re.compile(r"(?:^|\s|`)--[a-z]"),
    "version": re.compile(r"\bv?\d+\.\d+\.\d+\b"),
    "ticket": re.compile(r"\b[A-Z]{2,}-\d"),
    "ip": re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"),
    "url": re.compile(r"https?://"),
    "port": re.compile(r"\bports?\b\D{0,3}\d{2,5}|:\d{4,5}\b"),
    "mail": re.compile(r"(?<!\S)\S[^\s@]*+@\S+\.\w"),
    "clock": re.compile(r"\b\d{1,2}:\d\d\b"),
    "ratio": re.compile(r"\b\d+/\d+\b"),
    "command": re.compile(r"`[a-z][\w-]+ [^`]+`"),
    "arrow": re.compile(r"\S ?[=→] ?\S"),
    "order": re.compile(
        r"^\W*(?:Use|Never|Always|Do|Don't|Avoid|Keep|Run|Check|Set|Add|Make|Prefer|Only|Ensure|Verify|Remember|Ask"
        r"|Treat|Stop|Send|Create|Save|Test|Read|Write)\b"
    ),
    "named": re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]"),
    "pronoun-first": re.compile(
        r"^\W*(?:it|this|that|these|they|he|she|there|which|and|but|so)\b", re.IGNORECASE
    ),
    "subject-verb": re.compile(
        r"^[^.:]{2,40}\s(?:is|are|has|have|uses|runs|lives|needs|requires|supports|does|can|cannot|can't|must|should|will"
        r"|only)\b"
    ),
}
"""Name, pattern. What each counts is fitted (`weights`), so none is good or bad by itself."""


_SIGNS = {
    "code-file": ".",
    "note-file": ".md",
    "setting-file": ".",
    "absolute-path": "/",
    "option": "--",
    "version": ".",
    "ticket": "-",
    "ip": ".",
    "url": "://",
    "mail": "@",
    "clock": ":",
    "ratio": "/",
    "command": "`",
}
"""What every text with that shape holds: most lines are done with after a look for it."""
_PATTERNS = tuple((name, _SIGNS.get(name, ""), pattern) for name, pattern in SHAPES.items())


def shapes_of(text: str) -> frozenset[str]:
    """Give the names of the shapes that the text holds."""
    return frozenset(name for name, sign, pattern in _PATTERNS if sign in text and pattern.search(text))
