"""Items of a memory file that say again what another item says.

Invariant: of two that say the same, the one with less in it is the repeat, else the
later one; numbers and negations must agree, so that a changed rule is no repeat.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from nightledger.text.checkup_units import Unit, UnitKind
from nightledger.text.similar import containment, fold, is_negated, numbers, similarity

NEAR = 0.82
"""Dice coefficient from which two items of one file are taken for one: a little above
``similar.NEAR``, because items of one file share their subject and a list its pattern."""
HELD = 0.95
"""Share of a shorter item's wording that one longer item must hold to make it a repeat."""
LONG = 36
"""Folded characters from which equal wording is no accident anywhere in a file; shorter
items count under one heading only. A letter of a script without spaces counts for three."""
ATTRIBUTE = 100
"""Letters below which a label with its value is an attribute of the subject above it."""
WORDS = 5
"""Fewest words of an item that another may hold in full."""
MEANING = 3
"""Letters from which a word carries a meaning of its own."""
STEM = 4
"""Letters that two forms of one word share at least."""
MOST_HOLDERS = 40
"""Items compared for one: the work stays linear in a file of one word a thousand times."""

_PATH = re.compile(r"^[`\[(]*(?P<path>[\w.~/-]*[./][\w./-]+)[`\])]*$")
_CODE = re.compile(r"`([^`\n]+)`|(?<![\w`])((?:[a-z]+://|[\w.-]+/)[^\s`)]+)")
_LABELLED = re.compile(r"[*_`]*[^:：|`]{1,32}[*_`]*\s?[:：]")  # noqa: RUF001 - a colon of CJK text
_WIDE = re.compile("[\u0e00-\u0eff\u1000-\u109f\u2e80-\ua4cf\uac00-\ud7af\uf900-\ufaff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One item that another makes superfluous.

    Attributes:
        unit: Index of the repeat.
        other: Index of the item that stays.
        kind: ``same_words``, ``near_words``, ``held`` or ``pointer_again``.
        likeness: 0..1.
    """

    unit: int
    other: int
    kind: str
    likeness: float


def find_repeats(units: Sequence[Unit]) -> dict[int, Repeat]:
    """Give the repeats among the items of one file, by the index of the repeat."""
    found: dict[int, Repeat] = {}
    wordings = [wording(unit) for unit in units]
    same = list(_same(units, wordings))
    copies = {repeat.unit for repeat in same}
    candidates = (*same, *_pointers(units), *_worded(units, wordings, copies))
    for repeat in candidates:
        if repeat.unit in found or repeat.other in found:
            continue
        if repeat.kind == "same_words" or not is_attribute(units[repeat.unit], units[repeat.other]):
            found[repeat.unit] = repeat
    return found


def is_attribute(unit: Unit, other: Unit) -> bool:
    """Say whether an item is a label with its value ("Server: atlas") of another subject than the other."""
    apart = unit.headings != other.headings or unit.lead != other.lead
    return apart and _LABELLED.match(unit.text) is not None and weight(fold(unit.text)) < ATTRIBUTE


def wording(unit: Unit) -> str:
    """Give what is compared: the folded text, of a row its cells in order."""
    return fold(" ".join(unit.cells) if unit.cells else unit.text)


def weight(folded: str) -> int:
    """Give the length of folded wording in letters, one of a script without spaces for three."""
    return len(folded) + 2 * len(_WIDE.findall(folded))


def _same(units: Sequence[Unit], wordings: Sequence[str]) -> Iterator[Repeat]:
    """Equal wording: of long items anywhere, of short ones under one heading or in a copied run."""
    first: dict[str, int] = {}
    equal = {index: first.setdefault(text, index) for index, text in enumerate(wordings) if text}
    for index, other in equal.items():
        if index != other and units[index].kind is not UnitKind.COMMENT:
            long = _is_long(wordings[index]) and not is_attribute(units[index], units[other])
            together = (
                units[index].headings == units[other].headings and units[index].lead == units[other].lead
            )
            if long or together or _is_copied(equal, index):
                yield Repeat(unit=index, other=other, kind="same_words", likeness=1.0)


def _is_long(text: str) -> bool:
    return weight(text) >= LONG or len(text.split()) >= WORDS


def _is_copied(equal: dict[int, int], index: int) -> bool:
    """Say whether a neighbour repeats the neighbour of what this one repeats."""
    return any(index + step != equal.get(index + step) == equal[index] + step for step in (-1, 1))


def _worded(units: Sequence[Unit], wordings: Sequence[str], copies: Collection[int]) -> Iterator[Repeat]:
    """An item whose words a longer one has too, found through its two rarest words."""
    words = [_words(text) for text in wordings]
    holders: dict[str, list[int]] = {}
    for index, own in enumerate(words):
        for word in own:
            holders.setdefault(word, []).append(index)
    for index, text in enumerate(wordings):
        if index in copies or not _is_prose(units[index], text):
            continue
        rare = sorted(words[index], key=lambda word: (len(holders[word]), word))[:2]
        candidates = dict.fromkeys(other for word in rare for other in holders[word][:MOST_HOLDERS])
        for other in candidates:
            longer = (len(wordings[other]), -other) > (len(text), -index)
            more = not longer or not _says_no_more(units, wordings, words, index, other)
            kind = "" if more else _kind(text, wordings[other])
            if kind:
                yield Repeat(unit=index, other=other, kind=kind, likeness=similarity(text, wordings[other]))
                break


def _kind(shorter: str, longer: str) -> str:
    if similarity(shorter, longer) >= NEAR:
        return "near_words"
    return "held" if containment(shorter, longer) >= HELD else ""


def _words(text: str) -> dict[str, None]:
    """Give the words, and of scripts without spaces the letter pairs, in order."""
    found: dict[str, None] = {}
    for word in text.split():
        if _WIDE.search(word):
            found.update(dict.fromkeys(word[at : at + 2] for at in range(max(1, len(word) - 1))))
        else:
            found[word] = None
    return found


def _is_prose(unit: Unit, text: str) -> bool:
    return unit.kind not in {UnitKind.COMMENT, UnitKind.CODE} and not unit.ordered and weight(text) >= LONG and (
        len(text.split()) >= WORDS or _WIDE.search(text) is not None
    )  # fmt: skip


def _says_no_more(
    units: Sequence[Unit], wordings: Sequence[str], words: Sequence[Collection[str]], shorter: int, longer: int
) -> bool:  # fmt: skip
    """Say whether the shorter item names nothing that the longer one does not.

    A word of one item in place of another's ("draft" for "published") makes another
    claim, however alike the rest is; another ending of a word does not. What stands in
    backticks, a path or an address must be there letter for letter.
    """
    inner, outer = wordings[shorter], wordings[longer]
    if units[longer].kind is UnitKind.CODE or _names(units[shorter]) - _names(units[longer]):
        return False
    if numbers(inner) - numbers(outer) or is_negated(inner) != is_negated(outer):
        return False
    return all(_is_in(word, words[longer]) for word in words[shorter])


def _names(unit: Unit) -> set[str]:
    return {code or address for code, address in _CODE.findall(unit.text)}


def _is_in(word: str, words: Collection[str]) -> bool:
    if word in words or len(word) < MEANING:
        return True
    stem = word[: max(STEM, len(word) - 3)]
    return not _WIDE.search(word) and len(word) >= STEM and any(other.startswith(stem) for other in words)


def _pointers(units: Sequence[Unit]) -> Iterator[Repeat]:
    """An item that is only a path which an earlier item names already."""
    named: dict[str, int] = {}
    for index, unit in enumerate(units):
        path = _PATH.match(unit.text.strip("*_ ")) if unit.kind is UnitKind.ITEM else None
        if path and path["path"] in named:
            yield Repeat(unit=index, other=named[path["path"]], kind="pointer_again", likeness=1.0)
        for name in _names(unit):
            named.setdefault(name, index)
