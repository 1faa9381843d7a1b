"""What a check-up listens for, in a dozen languages (``config/words/checkup-words.json``): words of state, end, plan and rule.

Invariant: function words of status reports and rules only; no name of a product, person
or place. A word alone never decides: ``signs`` asks where it stands.
"""

# ruff: noqa: RUF001 - dashes and quotation marks that people write
import re
from collections.abc import Sequence
from functools import cache

import msgspec

from nightledger.files.shipped import shipped_config

_CLAUSE_END = re.compile(r"[*_]*\s*(?:[;.,)(✅☑✔✓]|$|20\d\d-)")
_CLOSING = frozenset({"state", "done", "gone", "over", "waiting"})
_CONDITION = re.compile(
    r"(?<!\w)(?:when|if|once|unless|until|after|before|falls|wenn|sobald|bis|nachdem|si|quand|lorsque|après|cuando|hasta|quando|se|caso|dopo|als|zodra|если|когда)"
    r"(?:\s[\w'’]+){0,4}\s$",
    re.IGNORECASE,
)
_SAID_OF_NOUNS = frozenset({"gone"})
_ARTICLE = re.compile(r"(?<!\w)(?:an?|any|some|each|every|einen?|eine[rs]?|une?|un[ao]?)\s$", re.IGNORECASE)
_NOUN = re.compile(
    r"(?:^\W*|(?<!\w)(?:an?|any|some|each|every|einen?|eine[rs]?|une?|un[ao]?))\s*$", re.IGNORECASE
)
_NOUN = re.compile(r"\s[^\W\d_]{3,}")
_DENIED = re.compile(
    r"(?<!\w)(?:(?:not|never|nicht|noch nicht|pas(?: encore)?|non|niet|не|ещё не|(?:todavía )?no|(?:ainda )?não)(?:\s(?:yet|fully|ganz))?|(?:19|20)\d\d)\s$",
    re.IGNORECASE,
)
"""Not done; or figures of a year that were checked."""
"""What makes a word of state a case to be met and not the case that is."""
_MARKS = " *_`~([\"'✅☑✔✓⚠️❌🔄⏳🚧🟢🔴🟡🆕-—:"
"""What may stand before the first word of an item."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]")


def has(kind: str, text: str) -> bool:
    """Say whether ``text`` holds a word of a kind (a key of the tables), whole where words have spaces."""
    return _pattern(kind).search(text) is not None


def tells(kind: str, text: str) -> bool:
    """Say whether ``text`` holds a word of a kind that is told as so, not as what to do when it is so."""
    return any(
        not _CONDITION.search(text[max(0, found.start() - 40) : found.start()])
        and not (kind in _SAID_OF_NOUNS and _names_one(text, found))
        for found in _pattern(kind).finditer(text)
    )


def _names_one(text: str, found: re.Match[str]) -> bool:
    """Say whether a word stands before its noun, at the beginning or behind an article: it says which one is meant."""
    before = text[max(0, found.start() - 12) : found.start()]
    at_start = not text[: found.start()].strip(_MARKS)
    return (at_start or _ARTICLE.search(before) is not None) and _NOUN.match(text, found.end()) is not None


def reports(kind: str, text: str) -> bool:
    """Say whether ``text`` holds a word of a kind that is neither denied nor a case to be met."""
    return any(_is_told(text, found.start()) for found in _pattern(kind).finditer(text))


def _is_told(text: str, at: int) -> bool:
    before = text[max(0, at - 40) : at]
    return not _DENIED.search(before) and not _CONDITION.search(before)


def rests(text: str) -> bool:
    """Say whether ``text`` begins with a word of a matter that is over, which stands for itself."""
    bare = text.lstrip(_MARKS)
    found = _pattern("over").match(bare)
    return (
        found is not None
        and re.match(
            r"[*_]*\s*(?:[],;.()|!✅–—]|-\s|20\d\d-|(?:by|durch|par|por|da|door)\s|$)", bare[found.end() :]
        )
        is not None
    )


def starts(kind: str, text: str) -> bool:
    """Say whether ``text`` begins with a word of a kind, marks and emphasis aside."""
    return _pattern(kind).match(text.lstrip(_MARKS)) is not None


def closes(text: str) -> bool:
    """Say whether a clause of ``text`` ends in a word of work that is over."""
    return any(
        _CLAUSE_END.match(text, found.end()) and _is_told(text, found.start())
        for found in _pattern("done").finditer(text)
    )


def states(text: str) -> bool:
    """Say whether ``text`` begins with a word of state that stands for itself, as in a status report."""
    bare = text.lstrip(_MARKS)
    found = _pattern("state").match(bare)
    return found is not None and re.match(r"[*_]*\s*(?:[,;.(|/!—–]|-\s|$)", bare[found.end() :]) is not None


def is_heading(kind: str, text: str) -> bool:
    """Say whether a heading or a column names a kind."""
    return _pattern(kind).search(text) is not None


@cache
def listed() -> dict[str, tuple[str, ...]]:
    """Give the words of each kind: of sentences, then of headings, then of a table's columns.

    ``state`` is true on the day it was written, ``done`` work that is over, ``gone`` what is not there any more, ``over`` a matter
    that is over as the one who closes it says, ``waiting`` what still waits, ``did`` work reported in the past tense, ``now`` what holds
    for a while, ``rule`` what a memory is for, ``empty`` what stands in brackets where nothing stands yet, ``run`` notes of a run
    about itself. Headings: ``report`` of one time, ``lasting``. Columns: ``status`` that somebody must keep up to date, ``timer``
    that a timer keeps, ``task`` of a list of work, ``decision`` of a record of decisions.
    """
    told = msgspec.json.decode(
        shipped_config("words/checkup-words.json"), type=dict[str, dict[str, tuple[str, ...]]]
    )
    return {kind: words for table in told.values() for kind, words in table.items()}


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    """In scripts without spaces a word of state or end must end its clause: inside one it may be any part of it."""
    words = sorted(listed()[kind], key=len, reverse=True)
    spaced = _any_of([word for word in words if not _UNSPACED.search(word)])
    unspaced = _any_of([word for word in words if _UNSPACED.search(word)])
    closed = r"(?=[\W\d]|[了的]?$)" if kind in _CLOSING else ""
    return re.compile(rf"(?<![\w-]){spaced}(?![\w-])|{unspaced}{closed}", re.IGNORECASE)


def _any_of(words: Sequence[str]) -> str:
    """Give the pattern of any of the words; where no word begins, none is tried: a run of tabs costs a look each."""
    firsts = "".join(sorted({re.escape(word[0]) for word in words}))
    return f"(?=[{firsts}])(?:{'|'.join(map(re.escape, words))})"
