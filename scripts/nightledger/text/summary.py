"""Shorten prose by leaving out sentences, never by changing one.

Invariant: every sentence of a summary stands word for word in its source and in the
source's order, so every name, number and date of what it keeps is kept.
"""

import re

from nightledger.text.statements.cues import find_cues
from nightledger.text.statements.estimate import SHIPPED
from nightledger.text.statements.features import line_features

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[\u3002\uff01\uff1f])|\n+")


def split_sentences(text: str) -> list[str]:
    """Split prose at full stops followed by space, at those of Chinese and Japanese, and at line ends."""
    return [part.strip() for part in _SENTENCE.split(text) if part and part.strip()]


def summarise(text: str, limit_characters: int) -> str:
    """Give the sentences most worth keeping that fit, in their order.

    A sentence that does not fit is left out whole. The summary is empty where no sentence
    fits; the caller then shows the text itself.

    Args:
        text: Prose, one or more sentences.
        limit_characters: Length of the summary at most, spaces included.
    """
    sentences = split_sentences(text)
    ranked = sorted(range(len(sentences)), key=lambda at: (-_worth(sentences[at]), at))
    kept: list[int] = []
    used = 0
    for at in ranked:
        size = len(sentences[at]) + (1 if kept else 0)
        if used + size <= limit_characters:
            kept.append(at)
            used += size
    return " ".join(sentences[at] for at in sorted(kept))


def _worth(sentence: str) -> float:
    return SHIPPED.chance(line_features(sentence)) + 0.001 * len(find_cues(sentence))
