"""What outcomes of some active hours say of each memory: which proved useful lately.

Invariant: as in ``gate/memory/uses.py`` a session counts once a day for each kind of task and result, and
nothing is written.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from nightledger.codec.rows import OutcomeUse, read_rows
from nightledger.domain.active import HOUR_S
from nightledger.domain.curation import PERIOD_HOURS, Proof
from nightledger.domain.uses import FAILURE, SUCCESS
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog

_DAY_CHARACTERS = 10
_HOUR = "%Y-%m-%dT%H"
_HOUR_CHARACTERS = 13


def read_proofs(
    home: Home, names: Mapping[str, str], hours: Sequence[int], periods: Sequence[int]
) -> dict[int, dict[str, Proof]]:
    """Give what the outcomes of each period say, by period and by the id that each memory keeps.

    Args:
        home: Whose.
        names: The id that an edited entry keeps, by its others (``Book.names``).
        hours: Active hours since 1970, ascending.
        periods: Counts of active hours at the end of each period.

    Raises:
        UnreadableError: The outcomes are a link, a directory, a FIFO or a device.
    """
    of_hour = {
        f"{datetime.fromtimestamp(hour * HOUR_S, UTC):{_HOUR}}": period
        for period in periods
        for hour in hours[period - PERIOD_HOURS : period]
    }
    found: dict[int, dict[str, Proof]] = {period: {} for period in periods}
    counted: set[tuple[int, str, str, str, str]] = set()
    with LineLog(home.outcomes) as log:
        for rows, _ in read_rows(OutcomeUse, log.chunks(0)):
            for row in rows:
                period = of_hour.get(row.received_at[:_HOUR_CHARACTERS])
                if period is not None and row.shown and row.outcome in (SUCCESS, FAILURE):
                    _count(row, period, names, found[period], counted)
    return found


def _count(
    row: OutcomeUse,
    period: int,
    names: Mapping[str, str],
    proofs: dict[str, Proof],
    counted: set[tuple[int, str, str, str, str]],
) -> None:
    source = f"{row.timestamp[:_DAY_CHARACTERS]} {row.session or ''}"
    for name in {names.get(one, one) for one in row.shown}:
        key = (period, name, source, row.task_type, row.outcome)
        if key in counted:
            continue
        counted.add(key)
        proof = proofs.setdefault(name, Proof())
        if row.outcome == SUCCESS:
            proof.useful += 1
        else:
            proof.harmful += 1
