"""The memory check-up: which items of an existing memory its owner might want out.

Signs against an item are added up; a repeat or a contradiction elsewhere in the file may be surer than they. What would be
left empty when doubtful items go (headings, heads of tables, leads) goes with them.

Invariant: pure; the same file, date and cap give the same doubts in the same order.
Rules, wishes and facts that last are what a memory is for: they are never doubted for
their subject, only when they repeat another item or carry a secret. An item without a sign of its own is doubted only as a
detail of a doubted item, and an item only when every detail below it is doubted too.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.finding import Doubt, DoubtLabel
from nightledger.domain.proposal import Op
from nightledger.text.checkup.danger import find_dangers
from nightledger.text.checkup.signs import BIAS, Sign, View, decision_signs, look, signs
from nightledger.text.checkup.units import (
    LONG,
    Unit,
    UnitKind,
    find_repeats,
    is_attribute,
    read_units,
    weight,
    wording,
)
from nightledger.text.contradictions import OTHER_VALUE, Standing
from nightledger.text.dates import find_dates
from nightledger.text.heads import Heads
from nightledger.text.markdown.blocks import introduces
from nightledger.text.markdown.document import BlockKind, Document, parse_markdown
from nightledger.text.patterns import grouped

CERTAIN_ENOUGH = 0.6
"""Confidence from which an item is doubted; standing under a dated report alone stays below it."""
INHERITED = 0.8
"""Share of a doubted item's evidence that stands in for the bias of the details below it: a
detail goes with what is over unless it is itself a rule or meant to last. What only waits
or drifts keeps its details."""
REPEAT_CONFIDENCE = {"same_words": 0.93, "near_words": 0.85, "held": 0.72}
"""By kind of repeat: how many of its words stand elsewhere."""
CONFLICT_CONFIDENCE = 0.65
"""Which of two that contradict each other holds is the owner's to say; the later one more often does."""
OTHER_KEPT = "other_kept"
"""Sign of a doubt about the newer of two, because the older one is to stay."""
PAIRED = "contradicts"
"""Sign of a doubt of somebody else that says no more than that two items contradict each other: which is asked about is found here."""
_OPEN = frozenset({"waits", "waits_in", "wait_mark", "task_row"})
_ENDED = frozenset({"box", "struck", "over_label", "over_value", "gone"})
_ECHOES = frozenset({"done", "done_end", "last_look", "last_first", "looked_at"})
"""What says in other words, as a second reason, what the first one says."""
_PROSE = frozenset({UnitKind.ITEM, UnitKind.SENTENCE})
_ARCHIVED = frozenset({DoubtLabel.STALE, DoubtLabel.CLOSED, DoubtLabel.CONTRADICTION})


def find_cases(
    units: Sequence[Unit],
    today: date,
    signed: Collection[int] = frozenset(),
    kept: Collection[int] = frozenset(),
    chosen: Collection[Doubt] = (),
    gone: Collection[str] = (),
) -> list[Doubt]:
    """Give a doubt for each item that signs or repeats speak against, in the file's order.

    Args:
        units: All items of the file.
        today: The date of the check-up.
        signed: Indexes of items that are not to be doubted, because somebody signed them lately.
        kept: Indexes of items that stay whatever contradicts them, because their owner said so.
        chosen: Doubts of somebody else about items, of which the surer counts, and pairs that contradict each other.
        gone: Files of the workspace that are not there.
    """
    paired = [doubt for doubt in chosen if PAIRED in doubt.signs]
    lines = {unit.first: index for index, unit in reversed([*enumerate(units)])}
    staying = {lines[doubt.other] for doubt in paired if OTHER_KEPT in doubt.signs and doubt.other in lines}
    pairs = [
        (lines[one.lines[0]], lines[one.other], one.reason)
        for one in paired
        if {one.lines[0], one.other} <= lines.keys()
    ]
    elsewhere = _elsewhere(units, staying.union(kept, signed), pairs)
    cases: list[_Case] = []
    found: dict[int, Doubt] = {}
    for index, view in enumerate(look(units, today, gone)):
        above = cases[view.unit.parent] if view.unit.parent >= 0 else None
        cases.append(_UNTOUCHED if index in signed else _case(view, above))
        doubt = None if index in signed else _judge(view.unit, cases[-1], elsewhere.get(index))
        if doubt:
            found[index] = doubt
    _take_in([one for one in chosen if one not in paired], units, found, staying.union(signed), kept)
    return list(_without_orphans(units, found))


def _take_in(
    chosen: Collection[Doubt],
    units: Sequence[Unit],
    found: dict[int, Doubt],
    signed: Collection[int],
    kept: Collection[int],
) -> None:
    """Add doubts of somebody else, but none for the sake of an item that is doubted itself, or that was settled."""
    places = {(unit.first, unit.own_last): index for index, unit in enumerate(units)}
    doubted = {units[index].first for index in found}
    for doubt in chosen:
        index = places[doubt.lines]
        surer = index not in found or found[index].confidence < doubt.confidence
        settled = doubt.label is DoubtLabel.CONTRADICTION and index in kept
        if surer and index not in signed and not settled and doubt.other not in doubted:
            found[index] = doubt


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


def says_it_is_over(view: View) -> bool:
    """Return whether an item says itself that what it is about is over."""
    ends = _ENDED if view.unit.kind is not UnitKind.DECISION else {sign.name for sign in decision_signs()}
    return any(sign.name in ends and sign.test(view) for sign in _tested(view.unit.kind))


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _elsewhere(
    units: Sequence[Unit], kept: Collection[int], pairs: Sequence[tuple[int, int, str]]
) -> dict[int, Doubt]:
    """Return the doubts that another item of the file raises; of two that contradict each other about one at a time."""
    found: dict[int, Doubt] = {}
    two_values = (*pairs, *_two_values(units))
    unlike = {frozenset(pair[:2]) for pair in two_values}
    for pair in (*_contradicted(units), *two_values):
        index, other, why = _older_first(units, *pair)
        signs: tuple[str, ...] = ("contradicted",)
        if index in kept:
            index, other, why, signs = other, index, "which you signed or kept", (*signs, OTHER_KEPT)
        if index not in kept:
            line = units[other].first
            reason = f"line {line}, {why}, says otherwise: {pair[2]}"
            found[index] = doubt_of(
                units[index], DoubtLabel.CONTRADICTION, reason, CONFLICT_CONFIDENCE, signs, other=line
            )
    for index, repeat in find_repeats(units).items():
        if frozenset((index, repeat.other)) in unlike:
            continue
        line = units[repeat.other].first
        reason = grouped("doubt-reasons")["repeats"][repeat.kind][0].format(line=line)
        found[index] = doubt_of(
            units[index], DoubtLabel.DUPLICATE, reason, REPEAT_CONFIDENCE[repeat.kind], (repeat.kind,), other=line
        )  # fmt: skip
    return found


def _older_first(units: Sequence[Unit], one: int, other: int, _differs: str) -> tuple[int, int, str]:
    """Return which of two items is to be asked about, the other one, and why: the older, else the one that stands first."""
    days = [_day_of(units[index]) for index in (one, other)]
    if days[0] and days[1] and days[0] != days[1]:
        older, newer = (one, other) if days[0] < days[1] else (other, one)
        return older, newer, f"of {max(days[0], days[1])} and this of {min(days[0], days[1])}"
    return one, other, "which stands later"


def _day_of(unit: Unit) -> date | None:
    """Return the newest day that an item names, else the one of its innermost heading with a date; None for none."""
    for text in (unit.text, unit.lead, *reversed(unit.headings)):
        if days := [found.day for found in find_dates(text)]:
            return max(days)
    return None


def _two_values(units: Sequence[Unit]) -> Iterator[tuple[int, int, str]]:
    """Yield items that a later one gives another value of the same, that one, and what differs."""
    told = [(index, unit) for index, unit in enumerate(units) if unit.kind in _PROSE]
    heads = Heads()
    for index, unit in told:
        heads.add(str(index), unit.text, place=_list_of(unit))
    for index, unit in told:
        earlier = (int(name) for name in heads.clashing(unit.text, place=_list_of(unit)))
        yield from ((other, index, OTHER_VALUE) for other in earlier if other < index)


def _list_of(unit: Unit) -> str:
    return "\n".join((*unit.headings, unit.lead, str(unit.parent)))


def _contradicted(units: Sequence[Unit]) -> Iterator[tuple[int, int, str]]:
    """Yield items that a later one surely contradicts, that one, and what differs.

    Items of one list that differ in a value are of several things.
    """
    standing = Standing(())
    for index, unit in enumerate(units):
        if unit.kind not in _PROSE or weight(wording(unit)) < LONG:
            continue
        for hit in standing.contradicted_by(unit.text):
            earlier = units[int(hit.entry)]
            of_one_list = (earlier.headings, earlier.lead) == (unit.headings, unit.lead) and not hit.denied
            elsewhere = hit.sure and not of_one_list and hit.reason != OTHER_VALUE
            if elsewhere and "/" not in earlier.text and not is_attribute(earlier, unit):
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
        return doubt_of(unit, _label(case.signs), reason, confidence, tuple(sign.name for sign in case.signs))
    also = [sign.reason for sign in case.signs[1:] if sign.name not in _ECHOES]
    reason = " and ".join([case.signs[0].reason, *also[:1]])
    return doubt_of(unit, _label(case.signs), reason, confidence, tuple(sign.name for sign in case.signs))


def _label(signs: Sequence[Sign]) -> DoubtLabel:
    """Give what the strongest sign says, but never call closed what says itself that it waits."""
    label = signs[0].label
    waits = any(sign.name in _OPEN for sign in signs) and signs[0].name not in _ENDED
    return DoubtLabel.STALE if label is DoubtLabel.CLOSED and waits else label


def doubt_of(
    unit: Unit, label: DoubtLabel, reason: str, confidence: float, signs: tuple[str, ...], *, other: int = 0
) -> Doubt:
    """Return a doubt about one item, by its own lines."""
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
    return introduces(unit.text) or (
        bold and following[0].kind is UnitKind.ITEM and following[0].block == unit.block + 1
    )


_Shell = tuple[tuple[tuple[int, int], ...], tuple[int, int], tuple[str, ...]]
"""Runs of lines that go, the lines that they stand for, the headings above."""


def find_shells(document: Document, units: Sequence[Unit], doubts: Sequence[Doubt]) -> list[Doubt]:
    """Give a doubt for each shell, as certain as the least certain doubt that empties it.

    A heading under which nothing stood yet stays: it waits for its first item.

    Args:
        document: The parsed file.
        units: Its items.
        doubts: The doubts found so far; those that replace leave their lines filled.
    """
    going = {
        line: doubt
        for doubt in doubts
        if doubt.op is not Op.REPLACE
        for line in range(doubt.lines[0], doubt.lines[1] + 1)
    }
    heads = {n for one in document.sections for n in range(one.heading[0], one.heading[1] + 1)}
    rules = [block.first_line for block in document.blocks if block.kind is BlockKind.RULE]
    counted = {n for n, line in enumerate(document.lines, 1) if line.strip()}.difference(heads, rules)
    shells: list[Doubt] = []
    found = (*_table_heads(document, units), *_leads(document, units), *_sections(document, rules))
    for spans, (first, last), headings in found:
        lines = [line for line in range(first, last + 1) if line in counted]
        emptied = [going[line] for line in lines if line in going]
        waits = spans[0][0] in heads and all("empty" in doubt.signs for doubt in emptied)
        if lines and len(emptied) == len(lines) and not waits and spans[0][1] not in going:
            new = [_shell(span, headings, emptied) for span in spans]
            going |= {line: one for one in new for line in range(one.lines[0], one.lines[1] + 1)}
            shells += new
    return shells


def _shell(lines: tuple[int, int], headings: tuple[str, ...], emptied: Sequence[Doubt]) -> Doubt:
    return Doubt(
        lines=lines,
        section=headings,
        label=max(emptied, key=lambda doubt: doubt.lines[1] - doubt.lines[0]).label,
        reason="nothing is left under it",
        signs=("shell",),
        confidence=min(doubt.confidence for doubt in emptied),
        op=Op.ARCHIVE if any(doubt.op is Op.ARCHIVE for doubt in emptied) else Op.REMOVE,
    )


def _table_heads(document: Document, units: Sequence[Unit]) -> Iterator[_Shell]:
    headings = {unit.block: unit.headings for unit in units}
    for index, block in enumerate(document.blocks):
        if block.kind is BlockKind.TABLE and index in headings:
            head = block.first_line, block.first_line + 1
            yield (head,), (block.first_line + 2, block.last_line), headings[index]


def _leads(document: Document, units: Sequence[Unit]) -> Iterator[_Shell]:
    """A sentence with a colon, whose list or the next block it announces."""
    for unit, following in pairwise(units):
        if introduces(unit.text):
            block = document.blocks[following.block]
            if unit.last > unit.own_last:
                yield ((unit.first, unit.own_last),), (following.first, unit.last), unit.headings
            elif following.block == unit.block + 1:
                yield ((unit.first, unit.own_last),), (block.first_line, block.last_line), unit.headings


def _sections(document: Document, rules: Sequence[int]) -> Iterator[_Shell]:
    """A heading with the rules below it; the title of the file is none."""
    for at, section in enumerate(document.sections[1:]):
        if at or section.level > 1:
            inside = (line for line in rules if section.body[0] <= line <= section.body[1])
            spans = (section.heading, *((line, line) for line in inside))
            yield spans, (section.heading[1] + 1, section.last_line), section.path


BANDS = 10
"""Doubts within a tenth of certainty count as equally sure; the estimate is no finer."""
GRAVE_RANK = 1.0
"""Rank from which a doubt is about a secret or an order to an agent; nothing else is surer than .99."""
_FIRST = {DoubtLabel.SECRET: 2.0, DoubtLabel.INJECTION: 1.0}


def check_memory(  # noqa: PLR0913 - the file, and what is known of it
    document: str,
    *,
    today: date,
    cap_characters: int | None = None,
    signed: Collection[str] = (),
    kept: Collection[str] = (),
    chosen: Collection[Doubt] = (),
    gone: Collection[str] = (),
) -> tuple[Doubt, ...]:
    r"""Give the doubtful items of a memory file, the one to look at first first.

    Secrets and orders to an agent come first, then the surest; where the file is over
    the host's cap, of equally sure ones those that free the most.

    Args:
        document: The file's text; lines are split on ``\n`` only.
        today: The date of the check-up in the home's zone; nothing after it is known.
        cap_characters: What the host shows the agent; None where there is no cap.
        signed: Texts that somebody signed lately: an item that stands in one of them, in the
            same words, is doubted for nothing but a danger.
        kept: Texts of which the operator said that they stay although another item contradicts them.
        chosen: Doubts about items of this file that a model chose.
        gone: Files of the workspace that are not there.
    """
    parsed = parse_markdown(document)
    units = read_units(parsed)
    dangers = find_dangers(parsed, units)
    held = {line for danger in dangers for line in range(danger.lines[0], danger.lines[1] + 1)}
    found = find_cases(units, today, _signed(units, signed), _signed(units, kept), chosen, gone)
    cases = [doubt for doubt in found if _is_free(doubt, held)]
    shells = find_shells(parsed, units, [*dangers, *cases])
    over = 0 if cap_characters is None else len(document) - cap_characters
    ranked = [_ranked(parsed, doubt, over) for doubt in (*dangers, *cases, *shells)]
    return tuple(sorted(ranked, key=lambda doubt: (-doubt.rank, doubt.lines)))


def rank_of(label: DoubtLabel, confidence: float, characters: int, over_characters: int) -> float:
    """Return the rank of one doubt or of a group of them, 0..3, rounded to 4 decimals.

    Over the cap the certainty is cut to its band, and the share of the excess that would
    go fills the band; under it the certainty itself ranks.
    """
    sure = confidence
    if over_characters > 0:
        share = min(1.0, max(0, characters) / over_characters)
        sure = (math.floor(min(confidence, 0.9999) * BANDS) + 0.99 * share) / BANDS
    return round(_FIRST.get(label, 0.0) + sure, 4)


def _signed(units: Sequence[Unit], texts: Collection[str]) -> frozenset[int]:
    """Give the items that stand, in the same words, in one of the texts."""
    wordings = {wording(unit) for text in texts for unit in read_units(parse_markdown(text))}
    return frozenset(index for index, unit in enumerate(units) if wording(unit) in wordings)


def _is_free(doubt: Doubt, held: Collection[int]) -> bool:
    return not any(line in held for line in range(doubt.lines[0], doubt.lines[1] + 1))


def _ranked(document: Document, doubt: Doubt, over_characters: int) -> Doubt:
    size = len(document.text(*doubt.lines)) - len(doubt.after)
    rank = rank_of(doubt.label, doubt.confidence, size, over_characters)
    return replace(doubt, characters=size, rank=rank)
