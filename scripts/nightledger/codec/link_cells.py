"""Tallies as whole numbers: what became of each resolution in some records.

Invariant: adding up is all that happens here; what the numbers mean is in
``domain/links.py``. No imports but the layout, because ``recall`` starts here.
"""

from nightledger.codec.link_layout import (
    NO_SOURCE,
    PARTIAL,
    RESOLUTION_SHIFT,
    RESULT_SHIFT,
    SHOWN,
    TALLY_CELLS,
)

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COUNTS = 7
"""Numbers before the sources: resolution, successes, partials, failures, shown successes,
shown failures, last day."""
LAST_DAY = 6
_FIRST_RESULT = 1
_FIRST_SHOWN = 4


class Part:
    """What one segment knows of one link.

    Attributes:
        first: The tag that sorts first.
        second: The other one.
        sessions: Sessions that this segment counts for the link.
        tallies: For each resolution, or for the best ones, seven counts and its newest records,
            ascending; numbers are those of this segment.
        resolutions: How many resolutions there are.
        last_day: Newest log day, an ordinal.
    """

    __slots__ = ("first", "last_day", "resolutions", "second", "sessions", "tallies")

    def __init__(self, pair: "tuple[str, str]", sessions: int, tallies: list[list[int]]) -> None:
        self.first, self.second = pair
        self.sessions = sessions
        self.tallies = tallies
        self.resolutions = len(tallies)
        self.last_day = max([cells[LAST_DAY] for cells in tallies])


def tally_records(
    records: "Iterable[int]", facts: "Sequence[int]", days: "Sequence[int]"
) -> "list[list[int]]":
    """Count records by resolution.

    Args:
        records: Numbers of records, ascending.
        facts: ``resolution << 3 | result << 1 | shown`` of each record.
        days: Log day of each record.

    Returns:
        For each resolution its ``COUNTS`` numbers, followed by all of its records, ascending.
    """
    found: dict[int, list[int]] = {}
    for record in records:
        fact = facts[record]
        resolution = fact >> RESOLUTION_SHIFT
        cells = found.get(resolution)
        if cells is None:
            cells = found[resolution] = [resolution, 0, 0, 0, 0, 0, 0]
        result = fact >> RESULT_SHIFT & 3
        cells[_FIRST_RESULT + result] += 1
        if fact & SHOWN and result != PARTIAL:
            cells[_FIRST_SHOWN + (result >> 1)] += 1
        day = days[record]
        if day > cells[LAST_DAY]:  # noqa: PLR1730 - max() would take a third of the time of this loop
            cells[LAST_DAY] = day
        cells.append(record)
    return list(found.values())


def unpack_tallies(stored: "Sequence[int]", count: int) -> "list[list[int]]":
    """Give the first tallies of a row's cells: counts, and the newest records, ascending.

    Args:
        stored: ``TALLY_CELLS`` numbers a resolution, the best first.
        count: How many tallies to give at most.
    """
    return [
        [
            *stored[at : at + COUNTS],
            *(cell for cell in stored[at + COUNTS : at + TALLY_CELLS] if cell != NO_SOURCE),
        ]
        for at in range(0, min(len(stored), count * TALLY_CELLS), TALLY_CELLS)
    ]
