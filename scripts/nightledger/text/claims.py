"""What one sentence says, as far as it can be compared with another: its words, its values, its denials.

Invariant: the same text gives the same claim on every machine; words are cut to stems, so that
"copies" and "copied" are one, and a value (a time, a port, a path) is never cut.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from nightledger.text.patterns import pattern, words
from nightledger.text.similar import CJK
from nightledger.text.statements.cues import cue_words

_TOKEN = re.compile(rf"[^\W_{CJK}](?:[\w.:/@%+'-]*[\w%])?|~?/[\w./@%+-]{{0,511}}\w|[{CJK}]")
"""Words, values and paths; a longer path is cut, because a line of slashes alone is tried from each of them."""
_LIST_MARK = re.compile(r"^\s*(?:[-*+>]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?")
_SENTENCE = re.compile(r"(?<=[.!?\u3002])\s+(?=\S)|(?<=\u3002)|\s+\u2014\s+")
_LABEL = re.compile(r"^(?:[^:.]{1,40}:\s+)+(?=\S)")
"""What names the subject or the kind of a sentence: "Change: ..."."""
_LETTERS = re.compile(r"[^\W\d_]+")
_BRACKETS = re.compile(r"\([^()]*\)")
_ENDINGS = (("ying", "y"), ("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
"""Endings of English verbs and nouns; most plurals of German, Spanish and French lose their ``s`` by them, too."""
_UNSPACED = re.compile(f"[{CJK}]")
HALF = 0.5
"""Words of Chinese and Japanese have two characters on average."""
WORDS_KEPT = 1 << 15
"""Most words of a log come again; reading each once saves a quarter of the time."""
_SHORTEST_STEM = 3
_LONGEST_DENIAL = 6
"""Words of a phrase that names what is left behind; a longer one tells a story."""
MOST_DENIALS = 32
"""Phrases of one text that are read as leaving something behind: each is compared with all the rest of it."""
MOST_SENTENCES = 64
"""Sentences of one text that are compared one by one; what has more of them on one line is no statement."""
_VALUES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("date", re.compile(r"\d{4}-\d\d(?:-\d\d)?.*")),
    ("time", re.compile(r"\d{1,2}:\d\d(?::\d\d)?(?:am|pm)?|\d{1,2}(?:am|pm)")),
    ("address", re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/\d+)?")),
    ("version", re.compile(r"v\d+(?:\.\d+)*|\d+(?:\.\d+){2,}")),
    ("number", re.compile(r"\d+(?:[.,]\d+)*%?[a-z]{0,3}")),
    ("mail", re.compile(r"[^/][^/@]*+@[^/]++")),
    ("path", re.compile(r"~?/[!-~]++|[!-.0-~]*+/[!-.0-~]*+/[!-~]*+")),
    ("name", re.compile(r".*\w\.[a-z]{2,}(?:[:/].*)?")),
)
"""Kinds of values, the most particular first."""


_DENIALS = (
    ("left_no_longer", True),
    ("left_any_more", True),
    ("beside_not", False),
    ("beside_instead", False),
    ("left_moved", True),
    ("left_replaces", True),
    ("left_replaced", True),
    ("left_was_replaced", True),
    ("left_renamed", True),
)
"""Patterns of what is left behind, and whether they tell of a change or only of a contrast."""


def mark(name: str) -> re.Pattern[str]:
    """Return a pattern of words by which a sentence shows that something changed (``config/words/change-patterns.json``)."""
    return pattern("change-patterns", name)


@cache
def _function_words() -> frozenset[str]:
    """Return the words that most sentences share."""
    return frozenset(words("change-words")["function_words"]).union(*cue_words().stop_words.values())


@cache
def _opposites() -> dict[str, str]:
    """Return stems that deny another one, with that one."""
    return dict(pair.split() for pair in words("change-words")["opposites"])


class Claim(Struct, frozen=True, kw_only=True):
    """One sentence or one line.

    Attributes:
        text: Its wording without list marker and emphasis.
        order: Stems and values in the order in which they stand.
        stems: Its words, cut to stems, without function words.
        values: By kind, ``time`` for one, its values.
    """

    text: str
    order: tuple[str, ...]
    stems: frozenset[str]
    values: dict[str, frozenset[str]]

    @property
    def words(self) -> frozenset[str]:
        """Give stems and values together."""
        return frozenset(self.order)

    def around(self, value: str) -> frozenset[str]:
        """Give what stands at a value: up to two words before it and one after."""
        places = [at for at, word in enumerate(self.order) if word == value]
        return frozenset(
            word for at in places for word in (*self.order[max(0, at - 2) : at], *self.order[at + 1 : at + 2])
        )


class Denial(Struct, frozen=True, kw_only=True):
    """What a sentence says is no more: "no longer at 07:00", "from the shed to the cellar".

    Attributes:
        words: Of the phrase, as in a claim.
        outside: Of the rest of the sentence.
        changed: Whether the sentence says that it changed, and not only what it is not.
    """

    words: frozenset[str]
    outside: frozenset[str]
    changed: bool


def read_claim(text: str) -> Claim:
    """Give the claim of a line or sentence; whatever its marks, one without words has empty sets."""
    plain = _LIST_MARK.sub("", text).replace("**", "").replace("`", "").replace("\u2019", "'").strip()
    order: list[str] = []
    values: dict[str, set[str]] = {}
    for token in _TOKEN.findall(plain.lower()):
        kind, form = _read_word(token.strip("'."))
        if kind:
            kind = "port" if kind == "number" and order[-1:] == ["port"] else kind
            values.setdefault(kind, set()).add(form)
        if form:
            order.append(form)
    said = frozenset(order)
    return Claim(
        text=plain,
        order=tuple(order),
        stems=said.difference(*values.values()),
        values={kind: frozenset(found) for kind, found in values.items()},
    )


@lru_cache(maxsize=WORDS_KEPT)
def _read_word(word: str) -> tuple[str, str]:
    """Give a word's kind as a value, and the form in which it counts: the value, or the stem; empty for none."""
    if kind := kind_of(word):
        return kind, word.rstrip("s") if kind == "day" else word
    stem = _stem(word)
    return "", _opposites().get(stem, stem) if _has_meaning(word) else ""


def _has_meaning(word: str) -> bool:
    is_letter = len(word) == 1 and word.isascii()
    return word not in _function_words() and not is_letter and mark("negation").fullmatch(word) is None


def weigh(words: Iterable[str]) -> float:
    """Give how many words these are; a character of a script without spaces is half a word."""
    return sum(HALF if _UNSPACED.match(word) else 1.0 for word in words)


def kind_of(word: str) -> str:
    """Give what kind of value a word in lower case is: ``time``, ``day``, ``path``, ...; empty for a plain word."""
    if not {word, word.rstrip("s")}.isdisjoint(words("change-words")["weekdays"]):
        return "day"
    if word.isalpha():
        return ""
    return next((kind for kind, value in _VALUES if value.fullmatch(word)), "")


def is_denied(claim: Claim, other: Claim) -> bool:
    """Say whether a claim denies rather than asserts what another says about the same thing.

    A negation counts when the next word with a meaning is one of the other's: "without a copy" turns
    "a copy goes to" round, "without delay" does not. What stands in brackets only adds to a claim.
    """
    text = _BRACKETS.sub(" ", claim.text).lower()
    turned = _is_turned(text)
    ends = (match.end() for match in islice(mark("negation").finditer(text), MOST_DENIALS))
    return any(word in other.words or not word for word in (_word_after(text, end) for end in ends)) != turned


def _word_after(text: str, place: int) -> str:
    """Return the next word with a meaning after a place of a text in lower case; empty for none."""
    forms = (_read_word(match[0].strip("'."))[1] for match in _TOKEN.finditer(text, place))
    return next(filter(None, forms), "")


def holds_denial(text: str) -> bool:
    """Say whether a text denies anything at all."""
    return _is_turned(text.lower()) or mark("negation").search(text) is not None


def _is_turned(text: str) -> bool:
    return any(_stem(word) in _opposites() for word in _LETTERS.findall(text))


def sentences_of(claim: Claim, other: Claim) -> Iterator[Claim]:
    """Yield the first `MOST_SENTENCES` sentences of a claim, without what stands in brackets.

    Of a label, which names a subject ("Change: ..."), only the words that the other claim has count.
    """
    parts = _SENTENCE.split(_BRACKETS.sub(" ", claim.text), maxsplit=MOST_SENTENCES)
    for part in parts[:MOST_SENTENCES]:
        label = _LABEL.match(part)
        own = read_claim(part[label.end() :] if label else part)
        named = tuple(word for word in read_claim(label[0]).order if word in other.words) if label else ()
        stems = own.stems | (other.stems & frozenset(named))
        yield replace(own, text=part, order=(*named, *own.order), stems=stems)


def denials(claim: Claim) -> Iterator[Denial]:
    """Give what the claim names as left behind, `MOST_DENIALS` at most."""
    for changed, match in islice(_phrases(claim.text), MOST_DENIALS):
        rest = claim.text[: match.start("old")] + " " + claim.text[match.end("old") :]
        yield Denial(words=read_claim(match["old"]).words, outside=read_claim(rest).words, changed=changed)


def _phrases(text: str) -> Iterator[tuple[bool, re.Match[str]]]:
    for name, changed in _DENIALS:
        for match in mark(name).finditer(text):
            if 0 < len(read_claim(match["old"]).words) <= _LONGEST_DENIAL:
                yield changed, match


def _stem(word: str) -> str:
    if not (word.isascii() and word.isalpha()):
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(instead) >= _SHORTEST_STEM:
            word = word[: len(word) - len(ending)] + instead
            break
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST_STEM else word
