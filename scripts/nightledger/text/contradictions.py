"""What a new statement contradicts in memory, to be shown side by side and offered as a replace.

Four ways are known. The statement names what is left behind ("no longer at 07:00", "from the shed
to the cellar") and the entry says just that. Both say the same of one thing but for one value: its
time, day, port, path. One denies what the other says, in the same words. Or both give one head two values (``heads``).

Invariant: few and sure. Sentences that are merely about the same topic do not contradict each
other; an entry of which the statement would not keep most is never to be replaced. Words are cut to stems, so that
"copies" and "copied" are one; a value (a time, a port, a path) is never cut.
"""

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cache, cached_property, lru_cache
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from nightledger.text.heads import Heads, read_heads
from nightledger.text.patterns import pattern, words
from nightledger.text.similar import CJK, CJK_LETTER, Overlaps
from nightledger.text.statements.cues import cue_words

_TOKEN = re.compile(rf"[^\W_{CJK}](?:[\w.:/@%+'-]*[\w%])?|~?/[\w./@%+-]{{0,511}}\w|[{CJK}]")
"""Words, values and paths; a longer path is cut, because a line of slashes alone is tried from each of them."""
_LIST_MARK = re.compile(r"^\s*(?:[-*+>]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?")
_SENTENCE = re.compile(r"(?<=[.!?\u3002])\s+(?=\S)|(?<=\u3002)|\s\u2014\s")
_LABEL = re.compile(r"^(?:[^:.]{1,40}:\s+)+(?=\S)")
"""What names the subject or the kind of a sentence: "Change: ..."."""
_LETTERS = re.compile(r"[^\W\d_]+")
_BRACKETS = re.compile(r"\([^()]*\)")
_ENDINGS = (("ying", "y"), ("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""))
"""Endings of English verbs and nouns; most plurals of German, Spanish and French lose their ``s`` by them, too."""
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


class Claim(Struct, frozen=True, kw_only=True, dict=True):
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

    @cached_property
    def words(self) -> frozenset[str]:
        """Stems and values together."""
        return frozenset(self.order)

    @cached_property
    def left(self) -> tuple["Denial", ...]:
        """What it names as left behind."""
        return tuple(denials(self))

    @cached_property
    def denies(self) -> bool:
        """Whether it denies anything at all."""
        return _is_turned(self.text.lower()) or mark("negation").search(self.text) is not None

    @cached_property
    def lasts(self) -> bool:
        """Whether it tells of what holds from now on, and not of one occasion or a plan."""
        return not any(mark(name).search(self.text) for name in ("one_off", "unsettled"))

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
    return sum(HALF if CJK_LETTER.match(word) else 1.0 for word in words)


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
    """Yield phrases of what is left behind, and whether each tells of a change (``left_``) or only of a contrast (``beside_``)."""
    for name in (name for name in words("change-patterns") if name.startswith(("left_", "beside_"))):
        for match in mark(name).finditer(text):
            if 0 < len(read_claim(match["old"]).words) <= _LONGEST_DENIAL:
                yield name.startswith("left_"), match


def _stem(word: str) -> str:
    if not (word.isascii() and word.isalpha()):
        return word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) + len(instead) >= _SHORTEST_STEM:
            word = word[: len(word) - len(ending)] + instead
            break
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST_STEM else word


FOUND_SHARE = 0.5
"""Share of an entry's words that a statement must have before the two are compared at all."""
KEPT = 0.6
"""Share of an entry's other words that a statement must keep that names what is left behind, ..."""
COVERED = 0.75
"""... or share of all its words that it must have."""
SAME_SLOT = 0.75
"""Share of an entry's words, without values, that a statement must have that gives another value."""
MARKED = 0.4
"""The same the other way, so that the statement says little else, where it says that something changed, ..."""
UNMARKED = 0.8
"""... and where it does not: then only the value may differ."""
FEWEST = 3
"""Words that the two must share, whatever the shares; one less where the statement says that something changed."""
IN_ORDER = 0.75
"""Share of the shared words that stand in the same order in a claim and its denial."""
RARE_SHARE = 20
"""A shared word must be rare: in at most one of so many entries, or in `RARE`."""
RARE = 2
_DATED = frozenset({"date"})
"""Values that differ from one event to the next and say nothing of what holds."""
_DENIED = "one of the two denies what the other says"
OTHER_VALUE = "the two give one subject different values"
_SETTLED = frozenset({"time", "day"})
"""Values that a sentence gives of a habit: another one in the same words is a change without further mark."""
_COUNTED = frozenset({"number", "version"})
"""Values that are counted anew: another one is a change only where the sentence says so, or says nothing else."""


class Contradiction(Struct, frozen=True, kw_only=True):
    """An entry of memory that a statement contradicts.

    Attributes:
        entry: What the caller named the entry.
        text: The entry's wording.
        likeness: Share of the entry's words that the statement has; 0..1, rounded to 4 decimals.
        reason: What differs, for the operator.
        sure: Whether the statement can take the entry's place; else the two are only to be seen together.
        denied: Whether one of the two denies what the other says.
    """

    entry: str
    text: str
    likeness: float
    reason: str
    sure: bool
    denied: bool = False


class Standing:
    """What memory says, to be asked what a statement contradicts.

    Args:
        entries: Pairs of a name (an id or a line) and one line's wording.
    """

    def __init__(self, entries: Iterable[tuple[str, str]]) -> None:
        self._names: list[str] = []
        self._claims: list[Claim] = []
        self._words = Overlaps()
        self._heads = Heads()
        for name, text in entries:
            self.add(name, text)

    def add(self, name: str, text: str) -> None:
        """Take in one more entry."""
        claim = read_claim(text)
        self._words.add(claim.words)
        self._heads.add(str(len(self._names)), claim.text)
        self._names.append(name)
        self._claims.append(claim)

    def contradicted_by(self, statement: str) -> tuple[Contradiction, ...]:
        """Give the entries that a statement of one line contradicts, the surest and most alike first.

        None where an entry says already what the statement says.
        """
        if not self._names:
            return ()
        claim = read_claim(statement)
        shared = self._words.shared(claim.words)
        of_one_head = {int(place) for place in self._heads.clashing(claim.text)}
        found = []
        for place, count in shared.items():
            entry = self._claims[place]
            alike = count >= max(2, FOUND_SHARE * len(entry.words)) or place in of_one_head
            if not alike or not self._is_particular(claim.words & entry.words):
                continue
            if claim.order == entry.order and is_denied(claim, entry) == is_denied(entry, claim):
                return ()
            verdict = self._judge(claim, place)
            if verdict is None and place in of_one_head:
                verdict = OTHER_VALUE, claim.lasts and _SENTENCE.search(entry.text) is None
            if verdict:
                found.append(
                    Contradiction(
                        entry=self._names[place],
                        text=entry.text,
                        likeness=round(count / len(entry.words), 4),
                        reason=verdict[0],
                        sure=verdict[1],
                        denied=verdict[0] == _DENIED,
                    )
                )
        return tuple(sorted(found, key=lambda hit: (not hit.sure, -hit.likeness, hit.entry)))

    def _is_particular(self, shared: frozenset[str]) -> bool:
        most = max(RARE, len(self._names) // RARE_SHARE)
        return any(self._words.having(word) <= most for word in shared)

    def _judge(self, claim: Claim, place: int) -> tuple[str, bool] | None:
        entry = self._claims[place]
        tells_of_past = entry.denies or mark("past").search(entry.text) is not None  # of just that, it may be
        named = [] if tells_of_past else [_leaves(denial, entry) for denial in claim.left]
        if any(found is not None for found in named):
            return "the statement names what the entry says as left behind", claim.lasts and True in named
        for sentence in sentences_of(claim, entry):
            for kind in _other_values(sentence, entry):
                sure = _is_sure_of(kind, sentence, entry) and not self._is_one_of_many(place, kind)
                return f"the two give a different {kind} for the same thing", sure and claim.lasts
            if claim.denies != entry.denies and _turns_round(sentence, entry):
                return _DENIED, claim.lasts and _is_lifted(sentence, entry)
        return None

    def _is_one_of_many(self, place: int, kind: str) -> bool:
        """Say whether memory gives the value for several things in the same words: then which one is meant is open."""
        entry = self._claims[place]
        return any(
            other != place
            and count >= SAME_SLOT * len(entry.stems)
            and self._claims[other].values.get(kind, entry.values[kind]) != entry.values[kind]
            for other, count in self._words.shared(entry.stems).items()
        )


def _leaves(denial: Denial, entry: Claim) -> bool | None:
    """Say whether a statement leaves behind what the entry says and keeps the rest of it; None where it does neither."""
    rest = entry.words - denial.words
    kept = rest & denial.outside
    if not denial.words <= entry.words or denial.words <= denial.outside or bool(kept) != bool(rest):
        return None
    if weigh(kept | denial.words) >= FEWEST and (
        len(kept) >= KEPT * len(rest) or len(kept | denial.words) >= COVERED * len(entry.words)
    ):
        return True
    return False if denial.changed else None


def _other_values(sentence: Claim, entry: Claim) -> Iterator[str]:
    """Give the kinds of which the sentence gives one value where the entry gives another."""
    for kind in sorted(entry.values.keys() & sentence.values.keys() - _DATED):
        old, new = entry.values[kind], sentence.values[kind] - entry.values[kind]
        if len(old) == len(new) == 1 and _is_same_slot(sentence, entry, kind, (min(old), min(new))):
            yield kind


def _is_same_slot(sentence: Claim, entry: Claim, kind: str, pair: tuple[str, str]) -> bool:
    old, new = pair
    shared = sentence.stems & entry.stems
    # a label with a value is of what the heading above names
    marked = _is_marked(sentence) and ": " not in entry.text
    needed = MARKED if (marked and kind not in _COUNTED) or kind in _SETTLED else UNMARKED
    return (
        old.lstrip("~") not in new
        and new.lstrip("~") not in old
        and weigh(shared) >= FEWEST - marked
        and len(shared) >= min(SAME_SLOT * len(entry.stems), len(entry.stems) - marked)
        and (len(shared) >= needed * len(sentence.stems) or old in sentence.words)
        and _binds(sentence, new) == _binds(entry, old)
        and bool(sentence.around(new) & entry.around(old))
        and not (kind in _COUNTED and _is_of_subject(sentence, new) and _is_of_subject(entry, old))
    )


def _is_of_subject(claim: Claim, value: str) -> bool:
    """Say whether a value stands before the verb: "press 3 was built by Ida" is of another thing than press 4."""
    return any(value in said.key for said in read_heads(claim.text))


def _is_marked(sentence: Claim) -> bool:
    return mark("changed").search(sentence.text) is not None


def _is_sure_of(kind: str, sentence: Claim, entry: Claim) -> bool:
    bare = [tuple(word for word in claim.order if word in claim.stems) for claim in (sentence, entry)]
    return kind not in _COUNTED or _is_marked(sentence) or bare[0] == bare[1]


def _binds(claim: Claim, value: str) -> frozenset[str]:
    found = mark("relation").findall(claim.text.lower())
    return frozenset(word for word, bound in found if bound.startswith(value))


def _turns_round(sentence: Claim, entry: Claim) -> bool:
    shared = sentence.words & entry.words
    return (
        weigh(shared) >= FEWEST
        and len(shared) >= max(UNMARKED * len(entry.words), KEPT * len(sentence.words))
        and sentence.values == entry.values
        and is_denied(sentence, entry) != is_denied(entry, sentence)
        and _in_order(sentence, entry, shared) >= IN_ORDER * len(shared)
    )


def _is_lifted(sentence: Claim, entry: Claim) -> bool:
    return mark("lifted").search(sentence.text) is not None or sentence.stems == entry.stems


def _in_order(one: Claim, other: Claim, shared: frozenset[str]) -> int:
    """Return how many of the shared words stand in runs that both have in the same order."""
    first, second = ([word for word in claim.order if word in shared] for claim in (one, other))
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks)
