"""Two sentences that give one head different values: "The owner of the press is Ida", "The owner of the press is Bo".

A head is what a sentence says before the value: a subject with a word of its own, a verb, and what the value hangs on.
Both can only be true where a head has several values; so one is needed that has one: by grammar ("the owner of
the press is", "was born in the city of"), because the value is a number, or because a label stands once in its list. What
most have several of ("is a member of", "is used for") is in no list of ours or barred by one (``config/words/head-words.json``).

Invariant: pure. The two differ in one run of words, in which nothing limits the claim; a head that has three values has several.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile

from msgspec import Struct

from nightledger.text.patterns import words
from nightledger.text.similar import CJK

_TOKEN = re.compile(rf"[{CJK}]|[^\s{CJK}\uff0c\u3002\uff1a]+")
_EDGE = " \t.,;:!?\"'()[]*_`\u201c\u201d\u2018\u2019"
_SENTENCE = re.compile(
    r"(?<!\b[A-Z][.])(?<!\b[A-Z][a-z][.])(?<=[.!?;])\s+(?=[^a-z\s])|(?<=\u3002)|\s\u2014\s"
)
"""Where a sentence ends; after an initial, "Dr." or "Inc." before a small letter none does."""
_LABELLED = re.compile(
    r"[\W_]{0,4}(?P<label>[^:\uff1a|`]{2,40}?)[*_]*\s?[:\uff1a][*_]*\s+(?P<value>\S[^:\uff1a]{0,80})$"
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
"""A day before a sentence tells since when it holds, and not of what."""
_POSSESSIVE = ("'s", "\u2019s")
MOST_VALUE = 9
"""Words of a value: longer names are rare; what is longer tells a story. Our choice."""
MOST_HEAD = 24
"""Words before a verb: a longer sentence has no one subject. Our choice."""
MOST_SAID = 64
"""Sentences with one subject and verb that are compared; of what more is said, each is about something else."""
MOST_SENTENCES = 64
"""Sentences read of one text: what has more of them on one line is no statement."""


class Said(Struct, frozen=True, kw_only=True):
    """One sentence, cut behind its first verb or its label.

    Attributes:
        key: The words up to the verb and with it, in lower case, without an article; of a label also where it stands.
        rest: The words behind it, as they are written; never empty.
        definite: Whether there is one such subject: "the owner", "Ida's owner".
        relational: Whether the subject is of something: "the owner of the press", "Ida's salary".
    """

    key: tuple[str, ...]
    rest: tuple[str, ...]
    definite: bool
    relational: bool

    @property
    def verb(self) -> str:
        """The verb, or a colon."""
        return self.key[-1]


class Heads:
    """Texts by their heads, to be asked which of them give a head another value.

    Args:
        texts: Pairs of a name and a text, as for `add`.
    """

    def __init__(self, texts: Iterable[tuple[str, str]] = ()) -> None:
        self._said: defaultdict[tuple[str, ...], list[tuple[str, Said]]] = defaultdict(list)
        for name, text in texts:
            self.add(name, text)

    def add(self, name: str, text: str, *, place: str = "") -> None:
        """Take in a text.

        Args:
            name: What the caller calls it.
            text: One line, without list marker.
            place: The list that it stands in: a label means the same only there; empty leaves labels out.
        """
        for said in read_heads(text, place):
            self._said[said.key].append((name, said))

    def clashing(self, text: str, *, place: str = "") -> tuple[str, ...]:
        """Return the names of the texts that give a head of this one another value, in the order in which they came."""
        found: dict[str, None] = {}
        for said in read_heads(text, place):
            known = self._said.get(said.key, ())
            if len(known) > MOST_SAID:
                continue
            other = {name: value for name, one in known if (value := other_value(one, said))}
            is_once = said.verb != ":" or len({name for name, _ in known}) <= 2  # noqa: PLR2004 - these two
            if is_once and len(set(other.values())) == 1:
                found.update(dict.fromkeys(other))
        return tuple(found)


def read_heads(text: str, place: str = "") -> Iterator[Said]:
    """Yield the sentences of a text that have a head, `MOST_SENTENCES` at most; with a place its label, too."""
    label = _LABELLED.match(text) if place else None
    if label:
        key = (place, *label["label"].lower().split(), ":")
        yield Said(key=key, rest=_words(label["value"]), definite=True, relational=False)
    for part in _SENTENCE.split(text, maxsplit=MOST_SENTENCES)[:MOST_SENTENCES]:
        tokens = _words(part)
        subject = [*takewhile(lambda word: word not in _listed("verbs"), tokens[: MOST_HEAD + 1])]
        if len(subject) <= MOST_HEAD and len(subject) + 1 < len(tokens):
            yield from _read_head(subject, tokens[len(subject) :])


def _read_head(written: Sequence[str], behind: Sequence[str]) -> Iterator[Said]:
    subject = [word.lower() for word in written if not _DAY.fullmatch(word)]
    # IF is a name, and so is May behind another word
    first = [word.lower() for word in written[:1] if not word.isupper()]
    limited = any(word.endswith("%") or word in _listed("limits") for word in (*first, *written))
    if limited or _listed("pronouns").issuperset(subject):
        return
    has_article = subject[0] in _listed("articles")
    relational = not _listed("relations").isdisjoint(subject) or any(w.endswith(_POSSESSIVE) for w in subject)
    yield Said(
        key=(*subject[has_article:], behind[0]),
        rest=tuple(behind[1:]),
        definite=has_article or relational,
        relational=relational,
    )


def other_value(one: Said, other: Said) -> tuple[str, ...]:
    """Return the value that the first of two sentences of one key gives where the second gives another.

    Empty where both may be true: they say the same, or one says more than the other, or of something else.
    """
    first, second = ([word.lower() for word in said.rest] for said in (one, other))
    begin = _alike(first, second)
    end = _alike(first[begin:][::-1], second[begin:][::-1])
    values = first[begin : len(first) - end], second[begin : len(second) - end]
    old, new = map(set, values)
    if not all(map(_is_value, values)) or old <= new or old >= new:
        return ()
    written = [said.rest[begin] for said in (one, other)]
    return tuple(values[0]) if _has_one_value(one, first[:begin], written) else ()


def _has_one_value(said: Said, between: Sequence[str], written: Sequence[str]) -> bool:
    """Return whether a head has one value.

    Args:
        said: One of the two sentences.
        between: What both say between the verb and the value.
        written: The first word of each value.
    """
    binding = _listed("verbs") | _listed("binding") | _listed("articles")
    at = next((n for n in reversed(range(len(between))) if between[n] in binding), -1)
    hangs_on = between[at] if at >= 0 else said.verb
    numbers = all(re.search(r"\d", word) for word in written)
    if hangs_on in _listed("copulas") or hangs_on == ":":
        return said.definite and (said.relational or numbers or all(word[0].isupper() for word in written))
    several = at > 0 and between[at - 1] in _listed("several")
    return numbers or (hangs_on in _listed("binding") and not several)


def _is_value(value: Sequence[str]) -> bool:
    return 0 < len(value) <= MOST_VALUE and _listed("barred").isdisjoint(value)


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for token in _TOKEN.findall(text) if (word := token.strip(_EDGE)))


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(words("head-words")[name])
