"""The memory check-up: which items of an existing memory its owner might want out.

Invariant: pure; the same file, date and cap give the same doubts in the same order.
Rules, wishes and facts that last are what a memory is for: they are never doubted for
their subject, only when they repeat another item or carry a secret.
"""

import math
from collections.abc import Collection, Sequence
from datetime import date

from msgspec.structs import replace

from nightledger.domain.finding import Doubt, DoubtLabel
from nightledger.text.checkup.case import find_cases
from nightledger.text.checkup.danger import find_dangers
from nightledger.text.checkup.repeats import wording
from nightledger.text.checkup.shells import find_shells
from nightledger.text.checkup.units import Unit, read_units
from nightledger.text.markdown.document import Document, parse_markdown

BANDS = 10
"""Doubts within a tenth of certainty count as equally sure; the estimate is no finer."""
GRAVE_RANK = 1.0
"""Rank from which a doubt is about a secret or an order to an agent; nothing else is surer than .99."""
_FIRST = {DoubtLabel.SECRET: 2.0, DoubtLabel.INJECTION: 1.0}


def check_memory(
    document: str, *, today: date, cap_characters: int | None = None, signed: Collection[str] = ()
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
    """
    parsed = parse_markdown(document)
    units = read_units(parsed)
    dangers = find_dangers(parsed, units)
    held = {line for danger in dangers for line in range(danger.lines[0], danger.lines[1] + 1)}
    cases = [doubt for doubt in find_cases(units, today, _signed(units, signed)) if _is_free(doubt, held)]
    shells = find_shells(parsed, units, [*dangers, *cases])
    over = 0 if cap_characters is None else len(document) - cap_characters
    found = [_ranked(parsed, doubt, over) for doubt in (*dangers, *cases, *shells)]
    return tuple(sorted(found, key=lambda doubt: (-doubt.rank, doubt.lines)))


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
