"""The memory check-up: which items of an existing memory its owner might want out.

Invariant: pure; the same file, date and cap give the same doubts in the same order.
Rules, wishes and facts that last are what a memory is for: they are never doubted for
their subject, only when they repeat another item or carry a secret.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date

from nightledger.domain.doubt import Doubt
from nightledger.text.checkup.case import find_cases
from nightledger.text.checkup.danger import find_dangers
from nightledger.text.checkup.rank import rank_doubts
from nightledger.text.checkup.repeats import wording
from nightledger.text.checkup.shells import find_shells
from nightledger.text.checkup.units import Unit, read_units
from nightledger.text.markdown.document import Document, parse_markdown


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
    return rank_doubts((_sized(parsed, doubt) for doubt in (*dangers, *cases, *shells)), over_characters=over)


def _signed(units: Sequence[Unit], texts: Collection[str]) -> frozenset[int]:
    """Give the items that stand, in the same words, in one of the texts."""
    wordings = {wording(unit) for text in texts for unit in read_units(parse_markdown(text))}
    return frozenset(index for index, unit in enumerate(units) if wording(unit) in wordings)


def _is_free(doubt: Doubt, held: Collection[int]) -> bool:
    return not any(line in held for line in range(doubt.lines[0], doubt.lines[1] + 1))


def _sized(document: Document, doubt: Doubt) -> Doubt:
    return replace(doubt, characters=len(document.text(*doubt.lines)) - len(doubt.after))
