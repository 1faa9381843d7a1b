"""The case against each item of a memory file: signs added up, or a repeat.

Invariant: an item without a sign of its own is doubted only as a detail of a doubted
item, and an item only when every detail below it is doubted too.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from datetime import date

from msgspec import Struct

from nightledger.domain.finding import Doubt, DoubtLabel
from nightledger.domain.proposal import Op
from nightledger.text.checkup.repeats import LONG, find_repeats, is_attribute, weight, wording
from nightledger.text.checkup.signs import BIAS, Sign, decision_signs, signs
from nightledger.text.checkup.units import Unit, UnitKind
from nightledger.text.checkup.view import View, look
from nightledger.text.contradictions import Standing

CERTAIN_ENOUGH = 0.6
"""Confidence from which an item is doubted; standing under a dated report alone stays below it."""
INHERITED = 0.8
"""Share of a doubted item's evidence that stands in for the bias of the details below it: a
detail goes with what is over unless it is itself a rule or meant to last. What only waits
or drifts keeps its details."""
REPEAT_CONFIDENCE = {
    "same_words": 0.93,
    "near_words": 0.85,
    "held": 0.72,
    "pointer_again": 0.62,
}
"""By kind of repeat: how many of its words stand elsewhere, and how much an index of files is worth."""
_REPEAT_REASONS = {
    "same_words": "it says word for word what line {line} says",
    "near_words": "it says in nearly the same words what line {line} says",
    "held": "line {line} says all of it and more",
    "pointer_again": "it only names a file that line {line} names already",
}
CONFLICT_CONFIDENCE = 0.65
"""Which of two that contradict each other holds is the owner's to say; the later one more often does."""
_OPEN = frozenset({"waits", "waits_in", "wait_mark", "task_row"})
_ENDED = frozenset({"box", "struck", "over_label", "over_value", "over_on", "gone"})
_ECHOES = frozenset(
    {"missed", "deadline", "done", "done_end", "over_end", "over_on", "last_look", "last_first", "looked_at"}
)
"""What says in other words, as a second reason, what the first one says."""
_COLONS = (":", "\N{FULLWIDTH COLON}")
_ARCHIVED = frozenset({DoubtLabel.STALE, DoubtLabel.CLOSED, DoubtLabel.CONTRADICTION})


def find_cases(
    units: Sequence[Unit], today: date, signed: Collection[int] = frozenset()
) -> list[Doubt]:  # fmt: skip
    """Give a doubt for each item that signs or repeats speak against, in the file's order.

    Args:
        units: All items of the file.
        today: The date of the check-up.
        signed: Indexes of items that are not to be doubted, because somebody signed them lately.
    """
    elsewhere = _elsewhere(units)
    cases: list[_Case] = []
    found: dict[int, Doubt] = {}
    for index, view in enumerate(look(units, today)):
        above = cases[view.unit.parent] if view.unit.parent >= 0 else None
        cases.append(_UNTOUCHED if index in signed else _case(view, above))
        doubt = None if index in signed else _judge(view.unit, cases[-1], elsewhere.get(index))
        if doubt:
            found[index] = doubt
    return list(_without_orphans(units, found))


class _Case(Struct, frozen=True, kw_only=True):
    odds: float
    signs: tuple[Sign, ...]
    line: int = 0
    with_line: int = 0
    """Line of the doubted item above, where that is what speaks against this one."""


_UNTOUCHED = _Case(odds=BIAS, signs=())


def _case(view: View, above: _Case | None) -> _Case:
    tested = _tested(view.unit.kind)
    shown = sorted((sign for sign in tested if sign.test(view)), key=lambda sign: -sign.weight)
    against = tuple(sign for sign in shown if sign.weight > 0)
    over = above is not None and bool(above.signs) and above.signs[0].label is not DoubtLabel.STALE
    doubted = above is not None and over and above.odds > _logit(CERTAIN_ENOUGH)
    own = sum(sign.weight for sign in shown)
    if above is None or not doubted:
        return _Case(odds=BIAS + own, signs=against, line=view.unit.first)
    return _Case(
        odds=INHERITED * above.odds + own,
        signs=against or above.signs,
        line=view.unit.first,
        with_line=above.line if BIAS + own < _logit(CERTAIN_ENOUGH) else 0,
    )


def _tested(kind: UnitKind) -> Sequence[Sign]:
    if kind is UnitKind.CODE:
        return ()
    return decision_signs() if kind is UnitKind.DECISION else signs()


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _elsewhere(units: Sequence[Unit]) -> dict[int, Doubt]:
    """Return the doubts that another item of the file raises."""
    found: dict[int, Doubt] = {}
    for index, other, differs in _contradicted(units):
        line = units[other].first
        reason = f"line {line}, which stands later, says otherwise: {differs}"
        found[index] = _doubt(
            units[index], DoubtLabel.CONTRADICTION, reason, CONFLICT_CONFIDENCE, ("contradicted",), other=line
        )
    for index, repeat in find_repeats(units).items():
        line = units[repeat.other].first
        reason = _REPEAT_REASONS[repeat.kind].format(line=line)
        found[index] = _doubt(
            units[index], DoubtLabel.DUPLICATE, reason, REPEAT_CONFIDENCE[repeat.kind], (repeat.kind,), other=line
        )  # fmt: skip
    return found


def _contradicted(units: Sequence[Unit]) -> Iterator[tuple[int, int, str]]:
    """Yield items that a later one surely contradicts, that one, and what differs.

    Items of one list that differ in a value are of several things.
    """
    standing = Standing(())
    for index, unit in enumerate(units):
        if unit.kind not in {UnitKind.ITEM, UnitKind.SENTENCE} or weight(wording(unit)) < LONG:
            continue
        for hit in standing.contradicted_by(unit.text):
            earlier = units[int(hit.entry)]
            of_one_list = (earlier.headings, earlier.lead) == (unit.headings, unit.lead) and not hit.denied
            if hit.sure and not of_one_list and "/" not in earlier.text and not is_attribute(earlier, unit):
                yield int(hit.entry), index, hit.reason
        standing.add(str(index), unit.text)


def _judge(unit: Unit, case: _Case, elsewhere: Doubt | None) -> Doubt | None:
    confidence = 1 / (1 + math.exp(-case.odds))
    if elsewhere and elsewhere.confidence >= confidence:
        return elsewhere
    if confidence < CERTAIN_ENOUGH or not case.signs:
        return None
    if case.with_line:
        reason = f"it belongs to line {case.with_line}, which goes"
        return _doubt(unit, _label(case.signs), reason, confidence, tuple(sign.name for sign in case.signs))
    also = [sign.reason for sign in case.signs[1:] if sign.name not in _ECHOES]
    reason = " and ".join([case.signs[0].reason, *also[:1]])
    return _doubt(unit, _label(case.signs), reason, confidence, tuple(sign.name for sign in case.signs))


def _label(signs: Sequence[Sign]) -> DoubtLabel:
    """Give what the strongest sign says, but never call closed what says itself that it waits."""
    label = signs[0].label
    waits = any(sign.name in _OPEN for sign in signs) and signs[0].name not in _ENDED
    return DoubtLabel.STALE if label is DoubtLabel.CLOSED and waits else label


def _doubt(
    unit: Unit, label: DoubtLabel, reason: str, confidence: float, signs: tuple[str, ...], *, other: int = 0
) -> Doubt:
    return Doubt(
        lines=(unit.first, unit.own_last),
        section=unit.headings,
        label=label,
        reason=reason,
        signs=signs,
        confidence=round(confidence, 4),
        op=Op.ARCHIVE if label in _ARCHIVED else Op.REMOVE,
        other=other,
    )


def _without_orphans(units: Sequence[Unit], found: dict[int, Doubt]) -> Iterator[Doubt]:
    """Drop the doubt about an item as long as something below it, or announced by it, stays."""
    staying = set[int]()
    for index in range(len(units) - 1, -1, -1):
        if index not in found or index in staying or (_announces(units, index) and index + 1 in staying):
            staying.update((index, units[index].parent))
    return (doubt for index, doubt in sorted(found.items()) if index not in staying)


def _announces(units: Sequence[Unit], index: int) -> bool:
    """Say whether a unit leads to the next one: by a colon, or in bold above a list."""
    unit, *following = units[index : index + 2]
    if not following or following[0].headings != unit.headings:
        return False
    bold = unit.kind is UnitKind.SENTENCE and unit.text.startswith(("**", "__"))
    return unit.text.rstrip("*_ ").endswith(_COLONS) or (
        bold and following[0].kind is UnitKind.ITEM and following[0].block == unit.block + 1
    )
