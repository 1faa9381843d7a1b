"""What a pass of curation reinforces, and what it would let go: after each forty active hours.

Invariant: pure, and a function of the period and of what had happened until its end; a pass that
runs thrice, late, or after several periods reinforces each of them once and the same way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nightledger.domain.measures import well_connected_from
from nightledger.domain.retention import Memory, recency

PERIOD_HOURS = 40
"""Active hours between two passes (FACTS, elfmem: curate each 40 active hours)."""
REINFORCED = 5
"""Entries that a period reinforces (FACTS: top 5 reinforced)."""
ARCHIVED_BELOW = 0.05
"""Recency under which an entry is proposed for the archive (FACTS: archive at recency < .05)."""
WEAK_BELOW = 0.10
"""Confidence under which a link is weak (FACTS: weak edges < .10 pruned)."""
MOST_ARCHIVED = 20
"""Entries that one pass proposes for the archive (FACTS, after months of use: at most 20 proposals)."""


def periods_due(now_hour: int, last: int | None) -> tuple[int, ...]:
    """Give the periods that are over and were not curated, by the count of active hours at their end.

    Before the first pass only the newest one counts: what a home did before it was curated is not
    made up for.

    Args:
        now_hour: Count of active hours up to now.
        last: End of the newest period that was curated; None before the first.
    """
    newest = now_hour // PERIOD_HOURS * PERIOD_HOURS
    if not newest or (last is not None and newest <= last):
        return ()
    first = newest if last is None else last // PERIOD_HOURS * PERIOD_HOURS + PERIOD_HOURS
    return tuple(range(first, newest + 1, PERIOD_HOURS))


@dataclass(slots=True)
class Proof:
    """What outcomes of one period say of one entry, each session once a day and kind of task.

    Attributes:
        useful: Successes after it was shown.
        harmful: Failures after it was shown.
    """

    useful: int = 0
    harmful: int = 0


def most_useful(proofs: Mapping[str, Proof], utilities: Mapping[str, float]) -> tuple[str, ...]:
    """Give the entries that a period reinforces: those that proved most useful in it, five at most.

    An entry that failed as often as it helped is none of them, however often it was shown.

    Args:
        proofs: By id.
        utilities: Of every entry that stands; ties go to the higher, then to the smaller id.
    """
    proved = [
        (proof.harmful - proof.useful, -utilities[name], name)
        for name, proof in proofs.items()
        if name in utilities and proof.useful > proof.harmful
    ]
    return tuple(name for *_, name in sorted(proved)[:REINFORCED])


def fades(memories: Sequence[Memory], degrees: Sequence[int], now_hour: int) -> list[int]:
    """Give the places of the entries that have faded, the most faded first.

    Args:
        memories: Entries that stand.
        degrees: How well each is connected (``domain/measures.py``).
        now_hour: Count of active hours up to now.
    """
    least = well_connected_from(degrees)
    faded = []
    for at, (memory, degree) in enumerate(zip(memories, degrees, strict=True)):
        fresh = recency(memory.tier.rate, now_hour - max(memory.created_hour, memory.used_hour))
        if fresh < ARCHIVED_BELOW and not memory.immune and degree < least:
            faded.append((fresh, at))
    return [at for _, at in sorted(faded)]
