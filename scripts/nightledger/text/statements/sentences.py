"""Split a line into its sentences. Standard library only."""

import re
from collections import Counter

_SENTENCE = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+(?=\S)|(?<=[\u3002\uff01\uff1f])")
_PAIRED = ("`", '"')
_BRACKETS = (("(", ")"), ("[", "]"), ("\u201c", "\u201d"))
_MARKS = frozenset((*_PAIRED, *(mark for pair in _BRACKETS for mark in pair)))


def sentences_of(text: str) -> list[str]:
    """Split into sentences, none of which ends within code, a quotation or brackets; linear in the text's length."""
    found, start, opened = [], 0, Counter[str]()
    at = 0
    for end in (match.start() for match in _SENTENCE.finditer(text)):
        opened.update(mark for mark in text[at:end] if mark in _MARKS)
        at = end
        if not _is_open(opened):
            found.append(text[start:end].strip())
            start, opened = end, Counter()
    return [part for part in (*found, text[start:].strip()) if part]


def _is_open(marks: Counter[str]) -> bool:
    within = any(marks[mark] % 2 for mark in _PAIRED)
    return within or any(marks[opening] > marks[closing] for opening, closing in _BRACKETS)
