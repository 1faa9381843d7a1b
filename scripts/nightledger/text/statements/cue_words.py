"""The words behind each cue, by language (``config/words/cue-words.json``); cues are named for what a sentence does.

Invariant: only function words and verbs of speech, decision, duty, ability and work stand there; no
name of a product, person or place. A trailing ``*`` stands for any ending.
"""

from dataclasses import dataclass
from functools import cache

import msgspec

from nightledger.files.shipped import shipped_config

Table = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CueWords:
    """All tables.

    Attributes:
        stop_words: A dozen of each Latin language's commonest words; they only tell which language a file is in.
        english: Words, phrases and stems of each cue.
        latin: The same by language; they count only in a file that is written in it, because many
            are words of another language with another meaning.
        russian: The same; these count wherever their letters stand.
        unspaced: Chinese, Japanese and Korean ones, found inside any run of letters.
    """

    stop_words: dict[str, frozenset[str]]
    english: Table
    latin: dict[str, Table]
    russian: Table
    unspaced: Table


@cache
def cue_words() -> CueWords:
    """Give the shipped tables."""
    return msgspec.json.decode(shipped_config("words/cue-words.json"), type=CueWords)
