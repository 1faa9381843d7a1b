"""Pairs of items that say the opposite of each other, word for word.

Invariant: precise and few. Only a negation or only the numbers may differ; everything
looser is left to the operator's eyes, because most near-equal rules are both meant.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nightledger.text.checkup.repeats import LONG, is_attribute, weight, wording
from nightledger.text.checkup.units import Unit, UnitKind
from nightledger.text.similar import numbers

_TURNS = re.compile(
    r"\b(?:not|never|dont|doesnt|cannot|cant|without|nicht|kein\w*|nie(?:mals)?|ne|pas|jamais|nunca|jamás|não|нельзя|не|никогда|mai|niet|geen|nooit)\b"
    r"|[不没沒勿]|ない|ません|않|안 "
)
"""Words that turn a rule round."""
_AUXILIARY = re.compile(
    r"\b(?:no|longer|mehr|plus|non|always|immer|toujours|siempre|sempre|всегда|altijd|do|does|should|must)\b"
)
"""Words that stand in their place when they do not."""
_NUMBER = re.compile(r"\d+(?: \d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two items that cannot both hold.

    Attributes:
        unit: Index of the earlier one.
        other: Index of the later one, which usually corrects it.
        kind: ``turned_round`` or ``other_number``.
    """

    unit: int
    other: int
    kind: str


def find_conflicts(units: Sequence[Unit]) -> dict[int, Conflict]:
    """Give the items that a later one contradicts, by the index of the earlier."""
    found: dict[int, Conflict] = {}
    for kind, bare in (("turned_round", _without_turn), ("other_number", _without_numbers)):
        last: dict[str, int] = {}
        for index, text in _sentences(units):
            key = bare(text)
            before = last.get(key)
            if key and before is not None and before not in found and _differ(kind, units, before, index):
                found[before] = Conflict(unit=before, other=index, kind=kind)
            last[key] = index
    return found


def _sentences(units: Sequence[Unit]) -> Iterator[tuple[int, str]]:
    for index, unit in enumerate(units):
        text = wording(unit)
        if unit.kind in {UnitKind.ITEM, UnitKind.SENTENCE} and weight(text) >= LONG:
            yield index, text


def _without_turn(text: str) -> str:
    return " ".join(_AUXILIARY.sub(" ", _TURNS.sub(" ", text)).split())


def _without_numbers(text: str) -> str:
    return " ".join(_NUMBER.sub("#", text).split()) if numbers(text) else ""


def _differ(kind: str, units: Sequence[Unit], first: int, second: int) -> bool:
    one, two = wording(units[first]), wording(units[second])
    if is_attribute(units[first], units[second]):
        return False
    if kind == "turned_round":
        return bool(_TURNS.search(one)) != bool(_TURNS.search(two))
    siblings = units[first].headings == units[second].headings and units[first].lead == units[second].lead
    return one != two and not siblings and "/" not in units[first].text
