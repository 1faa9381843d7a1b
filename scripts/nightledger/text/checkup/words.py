"""What a check-up listens for, in a dozen languages: words of state, end, plan and rule, and the patterns around them.

Invariant: function words of status reports and rules only (``config/words/checkup-words.json``,
``checkup-patterns.json``); no name of a product, person or place. A word alone never decides: ``signs`` asks where it stands.
"""

import re
from collections.abc import Sequence
from functools import cache

from nightledger.text import patterns
from nightledger.text.similar import UNSPACED

_CLOSING = frozenset({"state", "done", "gone", "over", "waiting"})
_SAID_OF_NOUNS = frozenset({"gone"})
_MARKS = " *_`~([\"'✅☑✔✓⚠️❌🔄⏳🚧🟢🔴🟡🆕-—:"
"""What may stand before the first word of an item."""


def has(kind: str, text: str) -> bool:
    """Return whether ``text`` holds a word of a kind (a key of the tables), whole where words have spaces."""
    return _word_of(kind).search(text) is not None


def tells(kind: str, text: str) -> bool:
    """Return whether ``text`` holds a word of a kind that is told as so, not as what to do when it is so."""
    return any(
        not pattern("condition").search(text[max(0, found.start() - 40) : found.start()])
        and not (kind in _SAID_OF_NOUNS and _names_one(text, found))
        for found in _word_of(kind).finditer(text)
    )


def _names_one(text: str, found: re.Match[str]) -> bool:
    """Return whether a word stands before its noun, at the beginning or behind an article: it says which one is meant."""
    before = text[max(0, found.start() - 12) : found.start()]
    opens = not text[: found.start()].strip(_MARKS) or pattern("article").search(before) is not None
    return opens and pattern("noun").match(text, found.end()) is not None


def reports(kind: str, text: str) -> bool:
    """Return whether ``text`` holds a word of a kind that is neither denied nor a case to be met."""
    return any(_is_told(text, found.start()) for found in _word_of(kind).finditer(text))


def _is_told(text: str, at: int) -> bool:
    before = text[max(0, at - 40) : at]
    return not pattern("denied").search(before) and not pattern("condition").search(before)


def starts(kind: str, text: str, before: str = "") -> bool:
    """Return whether ``text`` begins with a word of a kind, marks and emphasis aside, and with a pattern behind it."""
    bare = text.lstrip(_MARKS)
    found = _word_of(kind).match(bare)
    return found is not None and (not before or pattern(before).match(bare[found.end() :]) is not None)


def rests(text: str) -> bool:
    """Return whether ``text`` begins with a word of a matter that is over, which stands for itself."""
    return starts("over", text, "rest_end")


def states(text: str) -> bool:
    """Return whether ``text`` begins with a word of state that stands for itself, as in a status report."""
    return starts("state", text, "state_end")


def closes(text: str) -> bool:
    """Return whether a clause of ``text`` ends in a word of work that is over."""
    return any(
        pattern("clause_end").match(text, found.end()) and _is_told(text, found.start())
        for found in _word_of("done").finditer(text)
    )


@cache
def listed() -> dict[str, tuple[str, ...]]:
    """Return the words of each kind: of sentences, then of headings, then of a table's columns.

    ``state`` is true on the day it was written, ``done`` work that is over, ``gone`` what is not there any more, ``over`` a matter
    that is over as the one who closes it says, ``waiting`` what still waits, ``did`` work reported in the past tense, ``now`` what holds
    for a while, ``rule`` what a memory is for, ``empty`` what stands in brackets where nothing stands yet, ``run`` notes of a run
    about itself. Headings: ``report`` of one time, ``lasting``. Columns: ``status`` that somebody must keep up to date, ``timer``
    that a timer keeps, ``task`` of a list of work, ``decision`` of a record of decisions. What closes an entry by its status
    (``closing-words.json``) is over and done here too, but for what was rejected.
    """
    tables = patterns.grouped("checkup-words")
    closing = patterns.grouped("closing-words")["closed"]
    over = [form for closure, forms in closing.items() if closure != "rejected" for form in forms]
    return {
        kind: (*listed, *over) if kind in ("over", "done") else listed
        for table in tables.values()
        for kind, listed in table.items()
    }


def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of ``config/words/checkup-patterns.json``."""
    return patterns.pattern("checkup-patterns", name)


@cache
def _word_of(kind: str) -> re.Pattern[str]:
    """In scripts without spaces a word of state or end must end its clause: inside one it may be any part of it."""
    words = sorted(listed()[kind], key=len, reverse=True)
    spaced = _any_of([word for word in words if not UNSPACED.search(word)])
    unspaced = _any_of([word for word in words if UNSPACED.search(word)])
    closed = r"(?=[\W\d]|[了的]?$)" if kind in _CLOSING else ""
    return re.compile(rf"(?<![\w-]){spaced}(?![\w-])|{unspaced}{closed}", re.IGNORECASE)


def _any_of(words: Sequence[str]) -> str:
    """Return the pattern of any of the words; where no word begins, none is tried: a run of tabs costs a look each."""
    firsts = "".join(sorted({re.escape(word[0]) for word in words}))
    return f"(?=[{firsts}])(?:{'|'.join(map(re.escape, words))})"
