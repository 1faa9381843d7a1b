"""Names in a query: files, paths, identifiers, versions, hosts, people of two names, and quoted words.

The index knows only words; ``nightly_backup.sh`` is three of them. Where a query has a name, its
words standing side by side count more than the same words strewn about.

Invariant: a name has two words at least, each of letters and digits only, so that it can be
looked for as a phrase and holds no operator.
"""

import re

MOST_NAMES = 8
"""Names of one query that are looked for; the first ones. Our choice: a pasted log has hundreds."""
MOST_WORDS = 8
"""Words of one name; a longer path is known by its end."""
_QUOTED = re.compile(
    '["\u201c\u201e\u00ab`]([^"\u201c\u201d\u201e\u00ab\u00bb`\n]{3,80})["\u201c\u201d\u00bb`]'
)
_JOINED = re.compile(r"(?<![^\W_])[^\W_]++(?:[_./:@#+\\-]++[^\W_]++)++")
"""``config/app.yaml``, ``deploy-api.service``, ``user_id``, ``v2.3.1``, ``db01.example.org:5432``."""
_CAPITALS = r"([A-Z\u00c0-\u00de][\w'\u2019]+(?:\s+[A-Z\u00c0-\u00de][\w'\u2019]+)+)"
_PEOPLE = re.compile(rf"(?<![.!?]\s)(?<!^)\b{_CAPITALS}")
"""Two or more words in a row with capitals, where no sentence begins: ``Ada Lovelace``, ``Blue Harbour``."""
_OPENERS = (
    "who|whom|whose|what|when|where|which|why|how|did|do|does|is|are|was|were|has|have|had|can|could|will|would|should"
    "|may|might|must|the|an?|my|our|your|his|her|their|this|that|these|those|if|and|but|or|so|in|on|at|by|for|from|to|of"
    "|with|about|before|after|since|until|tell|show|list|find|give|ask|remind|let|please|wer|wen|wem|wessen|wann|wo|wohin"
    "|woher|welche[rsmn]?|warum|wieso|wie|hat|haben|hatte|ist|sind|war|waren|kann|der|die|das|den|dem|ein|eine|mein|unser"
    "|qui|que|quoi|quand|o\u00f9|quel(?:le)?s?|pourquoi|comment|est|le|la|les|un|une|mon|notre"
    "|qui\u00e9n|qu\u00e9|cu\u00e1ndo|d\u00f3nde|cu\u00e1l|c\u00f3mo|es|el|los|las|una|mi|nuestro"
)
_FIRST = re.compile(rf"(?:^|(?<=[.!?]\s))\s*(?!(?i:{_OPENERS})\s){_CAPITALS}")
"""The same where a sentence begins, with another word than one that begins sentences: ``Ada Lovelace's team``."""
_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s?\b(?=\s|$)|['\u2019]$")


def names_in(text: str) -> tuple[tuple[str, ...], ...]:
    """Give the names of a query, each as its words in lower case, in order and each once.

    Args:
        text: As somebody typed it.
    """
    found = [
        match[match.lastindex or 0]
        for rule in (_QUOTED, _JOINED, _FIRST, _PEOPLE)
        for match in rule.finditer(text)
    ]
    bare = (_POSSESSIVE.sub("", name) for name in found)
    names = (tuple(word.casefold() for word in _WORD.findall(name)) for name in bare)
    several = (name[-MOST_WORDS:] for name in names if len(name) > 1)
    return tuple(dict.fromkeys(several))[:MOST_NAMES]
