"""Items of a memory file that say again what another item says.

Invariant: of two that say the same, the one with less in it is the repeat, else the
later one; numbers and negations must agree, so that a changed rule is no repeat.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from msgspec import Struct

from nightledger.text.checkup.units import Unit, UnitKind
from nightledger.text.similar import dice, fold, is_negated, numbers, shingles

NEAR = 0.82
"""Dice coefficient from which two items of one file are taken for one: a little above
``similar.NEAR``, because items of one file share their subject and a list its pattern."""
LONG = 36
"""Folded characters from which equal wording is no accident anywhere in a file; shorter
items count under one heading only. A letter of a script without spaces counts for three."""
ATTRIBUTE = 100
"""Letters below which a label with its value is an attribute of the subject above it."""
SAME_ATTRIBUTE = 40
"""Letters from which the same words are no accident, even of a label with its value."""
WORDS = 5
"""Fewest words of an item that another may hold in full."""
INDEX = 0.6
"""Share of a list's items that begin with a name or a quotation, from which it is an index."""
SENTENCE = 20
"""Letters from which four words are a sentence and no phrase."""
MOST_HOLDERS = 40
"""Items compared for one: the work stays linear in a file of one word a thousand times."""
WIDE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]")
"""A letter of a script without spaces."""

_NAMED = re.compile(r"[*_]{0,8}(?:`|\[|https?://|[\"“«「]|[\w.~/-]*[\w~]/[\w./-]|[\w-]+\.[a-z]{1,4}\b)")
_CODE = re.compile(r"`([^`\n]+)`|(?<![\w`])((?:[a-z]{1,32}://|[\w.-]{1,255}/)[^\s`)]+)")
_LETTERS = re.compile(r"[^\W\d_]\w+")
_LABELLED = re.compile(r"[*_`]*[^:：|`]{1,32}[*_`]*\s?[:：](?!//)")  # noqa: RUF001 - a colon of CJK text


class Repeat(Struct, frozen=True, kw_only=True):
    """One item that another makes superfluous.

    Attributes:
        unit: Index of the repeat.
        other: Index of the item that stays.
        kind: ``same_words``, ``near_words`` or ``held``.
    """

    unit: int
    other: int
    kind: str


def find_repeats(units: Sequence[Unit]) -> dict[int, Repeat]:
    """Return the repeats among the items of one file, by the index of the repeat.

    An index or a table goes as a whole or not at all; what stands twice in it is a repeat there.
    """
    found: dict[int, Repeat] = {}
    wordings = [wording(unit) for unit in units]
    same = list(_same(units, wordings))
    copies = {repeat.unit for repeat in same}
    candidates = (*same, *_worded(units, wordings, copies))
    for repeat in candidates:
        if repeat.unit in found or repeat.other in found:
            continue
        if not _is_elsewhere_true(repeat, units[repeat.unit], units[repeat.other]):
            found[repeat.unit] = repeat
    indexes = _indexes(units)
    standing = {
        unit.block for index, unit in enumerate(units) if unit.block in indexes and index not in found
    }
    return {
        index: repeat
        for index, repeat in found.items()
        if units[index].block not in standing or units[index].block == units[repeat.other].block
    }


def _is_elsewhere_true(repeat: Repeat, unit: Unit, other: Unit) -> bool:
    """Say whether a repeat is an attribute of two subjects; a section that stands twice is one subject."""
    if repeat.kind == "same_words" and (
        unit.headings[-1:] == other.headings[-1:] or weight(fold(unit.text)) >= SAME_ATTRIBUTE
    ):
        return False
    return is_attribute(unit, other)


def is_attribute(unit: Unit, other: Unit) -> bool:
    """Say whether an item is told of another subject than the other.

    A label with its value ("Server: atlas") is, elsewhere; so is a short detail of another item.
    """
    apart = unit.headings != other.headings or unit.lead != other.lead
    detail = unit.parent >= 0 and other.parent >= 0 and unit.lead != other.lead
    told = detail or _LABELLED.match(unit.text) is not None
    return apart and told and weight(fold(unit.text)) < ATTRIBUTE


def _indexes(units: Sequence[Unit]) -> set[int]:
    """Give the blocks that are tables, or lists most of whose items begin with a name or a quotation."""
    items = Counter(unit.block for unit in units if unit.kind is UnitKind.ITEM)
    named = Counter(unit.block for unit in units if unit.kind is UnitKind.ITEM and _NAMED.match(unit.text))
    tables = {unit.block for unit in units if unit.kind is UnitKind.ROW}
    return tables | {block for block, count in items.items() if named[block] >= INDEX * count}


def wording(unit: Unit) -> str:
    """Give what is compared: the folded text, of a row its cells in order."""
    return fold(" ".join(unit.cells) if unit.cells else unit.text)


def weight(folded: str) -> int:
    """Give the length of folded wording in letters, one of a script without spaces for three."""
    return len(folded) + 2 * len(WIDE.findall(folded))


def _same(units: Sequence[Unit], wordings: Sequence[str]) -> Iterator[Repeat]:
    """Equal wording: of long items anywhere, of short ones under one heading."""
    first: dict[str, int] = {}
    equal = {index: first.setdefault(text, index) for index, text in enumerate(wordings) if text}
    for index, other in equal.items():
        if index != other and units[index].kind is not UnitKind.COMMENT:
            one, first_one = units[index], units[other]
            together = one.headings == first_one.headings and one.lead == first_one.lead
            if together or (_is_long(wordings[index]) and not is_attribute(one, first_one)):
                yield Repeat(unit=index, other=other, kind="same_words")


def _is_long(text: str) -> bool:
    words = len(text.split())
    return weight(text) >= LONG or words >= WORDS or (words == WORDS - 1 and len(text) >= SENTENCE)


def _worded(units: Sequence[Unit], wordings: Sequence[str], copies: Collection[int]) -> Iterator[Repeat]:
    """An item whose words a longer one has too, found through its two rarest words."""
    said = [_words_of(text) for text in wordings]
    holders = defaultdict[str, list[int]](list)
    for index, words in enumerate(said):
        for word in words:
            holders[word].append(index)
    for index, (unit, text) in enumerate(zip(units, wordings, strict=True)):
        if index in copies or not _is_prose(unit, text):
            continue
        rare = sorted(said[index], key=lambda word: (len(holders[word]), word))[:2]
        for other in dict.fromkeys(other for word in rare for other in holders[word][:MOST_HOLDERS]):
            longer = (len(wordings[other]), -other) > (len(text), -index)
            if longer and said[index] <= said[other] and _claims_no_more(unit, units[other]):
                near = dice(shingles(text), shingles(wordings[other])) >= NEAR
                yield Repeat(unit=index, other=other, kind="near_words" if near else "held")
                break


def _words_of(folded: str) -> frozenset[str]:
    """Return the words of a wording; of scripts without spaces pairs of letters."""
    pairs = (
        [w[at : at + 2] for at in range(max(1, len(w) - 1))] if WIDE.search(w) else [w]
        for w in folded.split()
    )
    return frozenset(chain.from_iterable(pairs))


def _is_prose(unit: Unit, folded: str) -> bool:
    is_told = unit.kind not in {UnitKind.COMMENT, UnitKind.CODE} and not unit.ordered
    several = len(folded.split()) >= WORDS or WIDE.search(folded) is not None
    return is_told and weight(folded) >= LONG and several


def _claims_no_more(shorter: Unit, longer: Unit) -> bool:
    """Return whether the shorter item names nothing, counts nothing and denies nothing else than the longer.

    What stands in backticks, a path or an address must be there letter for letter. "Anna before Bruno" is not
    "Bruno before Anna".
    """
    one, other = (
        dict.fromkeys(word for word in _LETTERS.findall(unit.text) if word[0].isupper())
        for unit in (shorter, longer)
    )
    return (
        longer.kind is not UnitKind.CODE
        and names_of(shorter) <= names_of(longer)
        and numbers(wording(shorter)) <= numbers(wording(longer))
        and is_negated(wording(shorter)) == is_negated(wording(longer))
        and [word for word in one if word in other] == [word for word in other if word in one]
    )


def names_of(unit: Unit) -> set[str]:
    """Return what stands in backticks, paths and addresses."""
    return {code or address for code, address in _CODE.findall(unit.text)}
