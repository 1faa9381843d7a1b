"""The ledger of reinforcements: what curate and the operator's mercy keep fresh.

Invariant: append-only, one line for each kind and period; a rerun of a period appends
nothing, so reinforcing twice changes nothing.
"""

from collections.abc import Iterable

from nightledger.codec.records import decode_lines, dump_line
from nightledger.domain.curation import Reinforcement, ReinforcementKind
from nightledger.files.append import append_records
from nightledger.files.home import Home
from nightledger.files.reading import read_optional

MAX_BYTES = 1 << 28
"""Some 500 bytes for each 40 active hours: more than a thousand years."""


def read_reinforcements(home: Home) -> tuple[Reinforcement, ...]:
    """Give what was reinforced, in order; of a kind's period that stands twice the first, no bad line."""
    raw = read_optional(home.reinforcements, MAX_BYTES, within=home.root) or b""
    first: dict[tuple[str, str], Reinforcement] = {}
    for line in decode_lines(Reinforcement, raw):
        first.setdefault((line.kind, line.period), line)
    return tuple(first.values())


def reinforce(
    home: Home, kind: ReinforcementKind, period: str, active_hours: int, ids: Iterable[str]
) -> bool:
    """Append what was reinforced, unless its period was written; the caller holds the home's lock.

    Args:
        home: Whose.
        kind: Who reinforces.
        period: What for.
        active_hours: Count of the home's active hours.
        ids: Entries and principles; of none nothing is written.

    Returns:
        Whether a line was written; it is on disk then.
    """
    named = tuple(sorted(set(ids)))
    written = {(line.kind, line.period) for line in read_reinforcements(home)}
    if not named or (kind, period) in written:
        return False
    record = Reinforcement(v=1, kind=kind, period=period, active_hours=active_hours, ids=named)
    append_records(home.reinforcements, dump_line(record))
    return True
