"""The ledger of reinforcements: what curate and the operator's mercy keep fresh.

Invariant: append-only, one line for each kind and period; a rerun of a period appends
nothing, so reinforcing twice changes nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from nightledger.codec.records import decode_lines, dump_line
from nightledger.domain.reinforcement import Reinforcement, ReinforcementKind
from nightledger.domain.states import Book
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforced:
    """Reinforcements of one entry or principle.

    Attributes:
        times: How many.
        curated_hour: Count of active hours at the newest by curation; 0 for none.
        spared_hour: The same of the operator's mercy.
    """

    times: int = 0
    curated_hour: int = 0
    spared_hour: int = 0


NOT_REINFORCED = Reinforced()


def read_reinforced(home: Home, book: Book) -> dict[str, Reinforced]:
    """Return the reinforcements by the id that each entry keeps."""
    found: dict[str, Reinforced] = {}
    for line in read_reinforcements(home):
        spares = line.kind is ReinforcementKind.MERCY
        for name in line.ids:
            kept = book.names.get(name, name)
            old = found.get(kept, NOT_REINFORCED)
            found[kept] = Reinforced(
                times=old.times + 1,
                curated_hour=old.curated_hour if spares else max(old.curated_hour, line.active_hours),
                spared_hour=max(old.spared_hour, line.active_hours) if spares else old.spared_hour,
            )
    return found


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
