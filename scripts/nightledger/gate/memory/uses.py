"""What a home's outcomes and exposures say of each memory, read in one pass.

Invariant: the same bytes up to the same marks give the same uses; a torn last line is read
once it is closed. Nothing is written.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct

from nightledger.codec.rows import HOUR_CHARACTERS, Exposure, OutcomeUse, read_hour, read_rows
from nightledger.domain.retention import (
    FAILURE,
    HOUR_S,
    PERIOD_HOURS,
    SUCCESS,
    Proof,
    Tallies,
    Tally,
    Use,
    active_hours,
    expected_without,
    overall_share,
)
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog

_DAY_CHARACTERS = 10


class Marks(Struct, frozen=True, kw_only=True):
    """How far the ledgers were read, in bytes; whole lines.

    Attributes:
        outcomes: Of the outcomes.
        exposures: Of the exposures.
    """

    outcomes: int
    exposures: int


class Uses(Struct, frozen=True, kw_only=True):
    """What outcomes and exposures add up to.

    Attributes:
        of: By the id that each memory keeps.
        hours: Active hours since 1970, ascending.
        read: How far was read.
        bad_lines: Lines that tell nothing: no record, or an impossible date.
        named: Outcomes that name what was shown before them; where there are none, nothing can prove useful.
    """

    of: Mapping[str, Use]
    hours: tuple[int, ...]
    read: Marks
    bad_lines: int
    named: int


def fold_uses(home: Home, names: Mapping[str, str], until: Marks | None = None) -> Uses:
    """Read outcomes and exposures.

    Args:
        home: Whose.
        names: The id that an edited entry keeps, by its others (``Book.names``).
        until: How far to read; None for all whole lines.

    Raises:
        UnreadableError: One of them is a link, a directory, a FIFO or a device.
    """
    tallies = Tallies(names=names)
    with LineLog(home.outcomes) as outcomes, LineLog(home.exposures) as exposures:
        if until is not None:
            outcomes.end, exposures.end = (
                min(outcomes.end, until.outcomes),
                min(exposures.end, until.exposures),
            )
        named = _read_outcomes(outcomes, tallies)
        _read_exposures(exposures, tallies)
        read = Marks(outcomes=outcomes.end, exposures=exposures.end)
    hours = {text: read_hour(text) for text in tallies.hours}
    overall = overall_share(tallies.tasks)
    return Uses(
        of={name: _use(tally, tallies, overall, hours) for name, tally in tallies.of.items()},
        hours=active_hours(hour for hour in hours.values() if hour is not None),
        read=read,
        bad_lines=tallies.bad_lines + sum(hour is None for hour in hours.values()),
        named=named,
    )


def _read_outcomes(log: LineLog, tallies: Tallies) -> int:
    named = 0
    for rows, bad in read_rows(OutcomeUse, log.chunks(0)):
        tallies.bad_lines += bad
        for row in rows:
            at = row.received_at
            tallies.outcome(
                at[:HOUR_CHARACTERS],
                at,
                f"{row.timestamp[:_DAY_CHARACTERS]} {row.session or ''}",
                row.task_type,
                row.outcome,
                row.shown,
            )
            named += bool(row.shown)
    return named


def _read_exposures(log: LineLog, tallies: Tallies) -> None:
    for rows, bad in read_rows(Exposure, log.chunks(0)):
        tallies.bad_lines += bad
        for row in rows:
            tallies.exposure(row.at[:HOUR_CHARACTERS], row.shown)


def _use(tally: Tally, tallies: Tallies, overall: float, hours: Mapping[str, int | None]) -> Use:
    useful = sum(counts[0] for counts in tally.tasks.values())
    harmful = sum(counts[1] for counts in tally.tasks.values())
    return Use(
        shown=tally.shown,
        useful=useful,
        harmful=harmful,
        expected=expected_without(tally, tallies.tasks, overall) if tally.tasks else overall,
        shown_hour=hours.get(tally.shown_at),
        used_hour=hours.get(tally.used_at[:HOUR_CHARACTERS]),
        last=tally.last,
    )


def read_proofs(
    home: Home, names: Mapping[str, str], hours: Sequence[int], periods: Sequence[int]
) -> dict[int, dict[str, Proof]]:
    """Return what the outcomes of each period of active hours prove, by period and by the id that each memory keeps.

    A session counts once a day for each kind of task and result.

    Args:
        home: Whose.
        names: The id that an edited entry keeps, by its others (``Book.names``).
        hours: Active hours since 1970, ascending.
        periods: Counts of active hours at the end of each period.

    Raises:
        UnreadableError: The outcomes are a link, a directory, a FIFO or a device.
    """
    of_hour = {
        f"{datetime.fromtimestamp(hour * HOUR_S, UTC):%Y-%m-%dT%H}": period
        for period in periods
        for hour in hours[period - PERIOD_HOURS : period]
    }
    found: dict[int, dict[str, Proof]] = {period: {} for period in periods}
    counted: set[tuple[object, ...]] = set()
    with LineLog(home.outcomes) as log:
        for row in (row for rows, _ in read_rows(OutcomeUse, log.chunks(0)) for row in rows):
            period = of_hour.get(row.received_at[:HOUR_CHARACTERS])
            if period is None or row.outcome not in (SUCCESS, FAILURE):
                continue
            for name in {names.get(one, one) for one in row.shown}:
                key = (period, name, row.timestamp[:_DAY_CHARACTERS], row.session, row.task_type, row.outcome)
                if key not in counted:
                    counted.add(key)
                    proof = found[period].setdefault(name, Proof())
                    proof.useful += row.outcome == SUCCESS
                    proof.harmful += row.outcome == FAILURE
    return found
