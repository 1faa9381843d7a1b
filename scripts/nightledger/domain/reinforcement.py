"""What was reinforced, and by whom: a line of the ledger of reinforcements."""

from dataclasses import dataclass
from enum import StrEnum


class ReinforcementKind(StrEnum):
    """Who reinforced."""

    CURATE = "curate"
    """The nightly job, once in each period of active hours."""
    MERCY = "mercy"
    """The operator, in ``hygiene``: the entries stay and count as made anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforcement:
    """Entries and principles reinforced together; ``memory/system/reinforcements.jsonl``.

    Attributes:
        v: Version of the record, 1.
        kind: Who reinforced.
        period: What it was done for: a count of active hours, or the time of an answer. Each kind
            writes a period once.
        active_hours: Count of the home's active hours then.
        ids: Entries (``e-...``) and principles (``constitution#care``), sorted.
    """

    v: int
    kind: ReinforcementKind
    period: str
    active_hours: int
    ids: tuple[str, ...]
