"""The words of a text, and which cues it carries: what kind of sentence it is, in eleven languages.

Invariant: a cue is present or absent, never counted, and costs one look-up a word, so that a year of logs is read in
seconds. Only function words and verbs of speech, decision, duty, ability and work stand in
``config/words/cue-words.json``; no name of a product, person or place.
"""

import re
from collections import Counter
from functools import cache

import msgspec
from msgspec import Struct

from nightledger.files.home import shipped_config
from nightledger.text.similar import CJK, CJK_LETTER

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_SPACED_WORD = re.compile(rf"[^\W\d_{CJK}]+(?:['-][^\W\d_{CJK}]+)*")
_RUN = re.compile(f"[{CJK}]{{2,}}")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_STEM_MINIMUM = 3
_STOP_SHARE = 0.06
"""Share of a file's words that must be a language's commonest ones; English notes with names
and quotations of another language stay below it."""

_DISTINCT = 3
"""So many different ones: a name may hold one or two."""

_Lexicon = tuple[
    dict[str, tuple[str, ...]], dict[str, list[tuple[list[str], str]]], dict[str, tuple[str, ...]]
]


Table = dict[str, tuple[str, ...]]


class CueWords(Struct, frozen=True, kw_only=True):
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


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, and the character pairs of Chinese, Japanese and Korean runs."""
    found = set(_SPACED_WORD.findall(text.lower().replace("\u2019", "'")))
    if not text.isascii():
        for run in _RUN.findall(text):
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(found)


def languages_of(text: str) -> tuple[str, ...]:
    """Give the languages, beside English, whose Latin-script cue words count in this file."""
    words = Counter(_WORD.findall(text[:20_000].lower()))
    enough = max(5, words.total() * _STOP_SHARE)
    found = []
    for language, stops in cue_words().stop_words.items():
        seen = [words[stop] for stop in stops if stop in words]
        if len(seen) >= _DISTINCT and sum(seen) >= enough:
            found.append(language)
    return tuple(found)


def find_cues(text: str, languages: tuple[str, ...] = ()) -> frozenset[str]:
    """Give the names of the cues (keys of `CueWords.english`) that the text carries.

    Args:
        text: A line, a heading or a sentence.
        languages: What `languages_of` says of its file.
    """
    if not text:
        return frozenset()
    tokens = _WORD.findall(text.lower().replace("\u2019", "'"))
    found: set[str] = set()
    for lexicon in _lexicons(languages, russian=_CYRILLIC.search(text) is not None):
        _look_up(tokens, lexicon, found)
    if not text.isascii() and CJK_LETTER.search(text):
        found.update(cue for word, cue in _unspaced() if word in text)
    return frozenset(found)


def _look_up(tokens: list[str], lexicon: _Lexicon, found: set[str]) -> None:
    words, phrases, stems = lexicon
    for token in words.keys() & tokens:
        found.update(words[token])
    if not phrases.keys().isdisjoint(tokens):
        for at, token in enumerate(tokens):
            for phrase, cue in phrases.get(token, ()):
                if tokens[at : at + len(phrase)] == phrase:
                    found.add(cue)
    for token in tokens if stems else ():
        for length in range(_STEM_MINIMUM, len(token) + 1):
            found.update(stems.get(token[:length], ()))


@cache
def _lexicons(languages: tuple[str, ...], *, russian: bool) -> tuple[_Lexicon, ...]:
    known = cue_words()
    tables = [known.english, *(known.latin[language] for language in languages)]
    return tuple(_index(table) for table in ([*tables, known.russian] if russian else tables))


def _index(table: Table) -> _Lexicon:
    words: dict[str, tuple[str, ...]] = {}
    phrases: dict[str, list[tuple[list[str], str]]] = {}
    stems: dict[str, tuple[str, ...]] = {}
    for cue, listed in table.items():
        for entry in listed:
            parts = _WORD.findall(entry)
            if entry.endswith("*"):
                stems[parts[0]] = (*stems.get(parts[0], ()), cue)
            elif len(parts) > 1:
                phrases.setdefault(parts[0], []).append((parts, cue))
            else:
                words[parts[0]] = (*words.get(parts[0], ()), cue)
    return words, phrases, stems


@cache
def _unspaced() -> tuple[tuple[str, str], ...]:
    return tuple((word, cue) for cue, listed in cue_words().unspaced.items() for word in listed)
