"""Other names of a thing and slips of the keyboard: what a text says of names, and which words are nearly one.

``config/words/aliases.json`` has names that many people share (``kubernetes``: ``k8s``); a home adds its own where it says
both, as in ``GitHub Actions (GHA)``. A name is a word that a text writes as one, with a capital inside a sentence.

Invariant: pure; all names are words as the index spells them, with a blank between.
"""

import re
from functools import cache

from nightledger.text.patterns import words
from nightledger.text.search.tokens import stop_words, words_in

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_NAME_WORDS = 3
"""Words of a name that a query is looked through for: ``dead letter queue``. Our choice."""
LEAST_TYPO_LETTERS, LEAST_EXCHANGED, LEAST_TWO_SLIPS = 5, 7, 9
"""Letters of the longer word from which one slip is forgiven, a letter written for another, and two slips: ``reach`` is
no slip of ``react``. Measured: docs/decisions/0022-ranking.md."""
KEPT_LETTERS = 2
"""Letters at the beginning that a slip leaves as they are: few slips are there (Yannakoudakis and Fawthrop, 1983), and
``mango`` stays apart from ``mongo``."""
_NAME = (
    r"(?<=[^\W_.!?:])[ ,/(]+([A-Z][\w.+#-]*)"  # a capital behind a word or a comma, not at a sentence's head
    r"|\b(\w*[a-z0-9][A-Z]\w*|[A-Z]+\d\w*|[A-Z]{2,}\w*)\b"  # MongoDB, S3, EKS
)
_INNER = r"\b()(\w*[a-z0-9][A-Z]\w*|[A-Z]+\d\w*|[A-Z]{2,}\w*)\b"
_BOTH = r"((?:[\w.+#/-]+[ ]){0,7}[\w.+#/-]+)[ ]\(([^()\n]{2,60})\)"
_SHORT = r"[A-Za-z][A-Za-z0-9&-]{1,7}"


@cache
def shared_names() -> "Mapping[str, tuple[str, ...]]":
    """Return for each name of the shipped table all others of the same thing."""
    found: dict[str, tuple[str, ...]] = {}
    for name, others in words("aliases").items():
        group = (name, *others)
        for one in group:
            found[one] = (*found.get(one, ()), *(other for other in group if other != one))
    return found


def names_in(text: str) -> frozenset[str]:
    """Return the words that a text writes as names; of a German one, where each noun has a capital, only odd ones: ``MongoDB``."""
    said = set(words_in(text))
    german, english = (frozenset(words("stop-words")[language]) for language in ("german", "english"))
    is_german = len(said & german - english) > len(said & english - german)
    found = (one[1] or one[2] for one in _compiled(_INNER if is_german else _NAME).finditer(text))
    return frozenset(
        word for name in found for word in words_in(name) if len(word) > 1 and word not in stop_words()
    )


def pairs_in(text: str) -> "Iterator[tuple[str, str]]":
    """Yield a short and a long name where a text says both: ``GitHub Actions (GHA)``, ``GHA (GitHub Actions)``."""
    for before, inside in _compiled(_BOTH).findall(text) if "(" in text else ():
        last = before.rpartition(" ")[2]
        for short, told in ((inside, before), (last, inside)):
            if _compiled(_SHORT).fullmatch(short) and any(map(str.isupper, short)):
                long = " ".join(words_in(_long_form(short, told)))
                if long and long != short.casefold():
                    yield " ".join(words_in(short)), long


def _long_form(short: str, told: str) -> str:
    """Return the end of a text that a short form stands for; empty where none does (Schwartz and Hearst, 2003).

    The letters of the short form stand in it in order, the first at the beginning of a word.
    """
    at = len(told)
    letters = [letter for letter in short.casefold() if letter.isalnum()]
    low = told.casefold()
    for n, letter in reversed([*enumerate(letters)]):
        at = low.rfind(letter, 0, at)
        while n == 0 and at > 0 and low[at - 1].isalnum():
            at = low.rfind(letter, 0, at)
        if at < 0:
            return ""
    long = told[at:]
    return long if 1 < len(long.split()) <= len(letters) + 3 else ""


def is_slip(word: str, other: str) -> bool:
    """Tell whether one of two words, as the index stems them, is likely the other mistyped.

    Counted are letters left out, added, written for another, and neighbours that changed places (Damerau, 1964).
    """
    longer = max(len(word), len(other))
    most = 2 if longer >= LEAST_TWO_SLIPS else 1
    if longer < LEAST_TYPO_LETTERS or abs(len(word) - len(other)) > most or word == other:
        return False
    if longer < LEAST_EXCHANGED and len(word) == len(other) and sorted(word) != sorted(other):
        return False
    before: list[int] = []
    row = [*range(len(other) + 1)]
    for n, letter in enumerate(word, 1):
        now = [n]
        for k, against in enumerate(other, 1):
            cost = min(row[k] + 1, now[-1] + 1, row[k - 1] + (letter != against))
            if n > 1 and k > 1 and letter == other[k - 2] and word[n - 2] == against:
                cost = min(cost, before[k - 2] + 1)
            now.append(cost)
        before, row = row, now
    last: int = row[-1]
    return last <= most


@cache  # to compile these takes time that a prompt without names does not spend
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
