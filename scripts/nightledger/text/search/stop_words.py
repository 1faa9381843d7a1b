"""Words that say nothing about what a query is about, in a few languages (``config/words/stop-words.json``).

Words of order and place (``first``, ``before``, ``own``, ``down``) are none of them: without these, questions
about conversations found their answers more often (docs/decisions/0022-ranking.md).

Invariant: folded as ``tokens`` folds; no word stands there that names a thing in another of the
languages (German ``die`` is English ``die``: it stays a word).
"""

from nightledger.text.patterns import words

_LISTS = words("stop-words")
STOP_WORDS = frozenset(
    word for language, listed in _LISTS.items() if not language.startswith("asking") for word in listed
)
"""Without the apostrophe, as the index has them: ``dont``."""
UNSPACED_ASKING = _LISTS["asking_unspaced"]
"""What a question in a script without spaces is asked with: it parts what stands on either side, which makes no pair of letters."""
NOTHING_SAID = STOP_WORDS.union(_LISTS["asking"])
"""With what asks for anything at all: a query of these and a time asks for all of that time."""
