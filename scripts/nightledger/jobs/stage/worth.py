"""Which lines of a daily log are worth a place on a page.

The estimate of the nightly consolidation (``text/statements``) says how glad its owner is of a line months
later. Of some lines it is no measure: what an assistant answered in an exported chat was said to whoever
asked then, and a question tells nothing.

Invariant: a line and its estimate alone decide; no line names a product, person or topic.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from nightledger.domain.daylog import DayLog

TELLING = 0.1
"""Estimate from which a line tells something later on; below it are reports that all is done or well,
readings and forms. Of all lines that were judged one in ten is worth keeping (``text/statements/weights.py``)."""
_ASKS = ("?", "\uff1f", "\u061f")
_CLOSING = "*_ \"'`)]\u2019\u201d\u00bb\u300d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What the lines of one log are worth.

    Attributes:
        telling: Lines that tell something later on.
        answers: Lines of an assistant's turn in an exported chat: no part of what is staged.
    """

    telling: frozenset[int]
    answers: frozenset[int]


def worth_of(log: DayLog, chances: Mapping[int, float]) -> Worth:
    """Give what the lines of a log are worth.

    Args:
        log: As it was read.
        chances: The estimate of each line of prose, as ``estimate_lines`` gives it.
    """
    answers = frozenset(line.number for line in log.lines if line.turn == "assistant")
    telling = frozenset(
        line.number
        for line in log.lines
        if chances.get(line.number, 0.0) >= TELLING and not line.content.rstrip(_CLOSING).endswith(_ASKS)
    )
    return Worth(telling=telling - answers, answers=answers)
