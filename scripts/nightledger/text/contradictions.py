"""What a new statement contradicts in memory, to be shown side by side and offered as a replace.

Three ways are known. The statement names what is left behind ("no longer at 07:00", "from the shed
to the cellar") and the entry says just that. Both say the same of one thing but for one value: its
time, day, port, path. Or one denies what the other says, in the same words.

Invariant: few and sure. Sentences that are merely about the same topic do not contradict each
other; an entry of which the statement would not keep most is never to be replaced.
"""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from msgspec import Struct

from nightledger.text.claims import (
    Claim,
    Denial,
    denials,
    holds_denial,
    is_denied,
    mark,
    read_claim,
    sentences_of,
    weigh,
)
from nightledger.text.similar import Overlaps

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


class _Statement(Struct, frozen=True, kw_only=True):
    """A statement, read once for all entries that it may contradict.

    Attributes:
        left: What it names as left behind.
        claim: What it says.
        holds: Whether it tells of what holds from now on, and not of one occasion or a plan.
        denies: Whether it denies anything.
    """

    left: tuple[Denial, ...]
    claim: Claim
    holds: bool
    denies: bool


class Standing:
    """What memory says, to be asked what a statement contradicts.

    Args:
        entries: Pairs of a name (an id or a line) and one line's wording.
    """

    def __init__(self, entries: Iterable[tuple[str, str]]) -> None:
        self._names: list[str] = []
        self._claims: list[Claim] = []
        self._words = Overlaps()
        for name, text in entries:
            self.add(name, text)

    def add(self, name: str, text: str) -> None:
        """Take in one more entry."""
        claim = read_claim(text)
        self._words.add(claim.words)
        self._names.append(name)
        self._claims.append(claim)

    def contradicted_by(self, statement: str) -> tuple[Contradiction, ...]:
        """Give the entries that a statement of one line contradicts, the surest and most alike first.

        None where an entry says already what the statement says.
        """
        if not self._names:
            return ()
        claim = read_claim(statement)
        words = claim.words
        shared = self._words.shared(words)
        found = []
        read: _Statement | None = None
        for place, count in shared.items():
            entry = self._claims[place]
            if count < max(2, FOUND_SHARE * len(entry.words)) or not self._is_particular(words & entry.words):
                continue
            if claim.order == entry.order and is_denied(claim, entry) == is_denied(entry, claim):
                return ()
            read = _read_statement(claim) if read is None else read
            if verdict := self._judge(read, place):
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

    def _judge(self, read: _Statement, place: int) -> tuple[str, bool] | None:
        entry = self._claims[place]
        entry_denies = holds_denial(entry.text)
        tells_of_past = entry_denies or mark("past").search(entry.text) is not None  # of just that, it may be
        named = [] if tells_of_past else [_leaves(denial, entry) for denial in read.left]
        if any(found is not None for found in named):
            return "the statement names what the entry says as left behind", read.holds and True in named
        for sentence in sentences_of(read.claim, entry):
            for kind in _other_values(sentence, entry):
                sure = _is_sure_of(kind, sentence, entry) and not self._is_one_of_many(place, kind)
                return f"the two give a different {kind} for the same thing", sure and read.holds
            if read.denies != entry_denies and _turns_round(sentence, entry):
                return _DENIED, read.holds and _is_lifted(sentence, entry)
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


def _read_statement(claim: Claim) -> _Statement:
    return _Statement(
        left=tuple(denials(claim)),
        claim=claim,
        holds=mark("one_off").search(claim.text) is None and mark("unsettled").search(claim.text) is None,
        denies=holds_denial(claim.text),
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
    )


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
