"""Run the jobs that are due, in order, and write down what came of each.

Invariant: a period is done when its line is in the run ledger, on disk; whatever dies
before that is due again. A job that fails is written down too, and the others run.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from operator import attrgetter

from msgspec import Struct

from nightledger.codec.canonical import canonical
from nightledger.codec.records import dump_line
from nightledger.domain import periods
from nightledger.domain.attention import Item, Need
from nightledger.domain.decision import Moment
from nightledger.domain.errors import LockedError, NightledgerError
from nightledger.domain.settings import Settings
from nightledger.domain.words import content_id, read_moment
from nightledger.files.configuration import home_zone
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.line_log import append_records

MAX_LEDGER_BYTES = 64 << 20
"""Two runs a night for 400 years; a larger file is no ledger of ours."""


MAX_REASON_CHARACTERS = 500
LATELY = timedelta(days=90)
"""Longer than any period that a night makes up for."""


class Job(Struct, frozen=True, kw_only=True):
    """A job that runs by itself.

    Attributes:
        name: As the run ledger has it.
        schedule: When it is due.
        run: Does one period; raises when it could not.
    """

    name: str
    schedule: periods.Schedule
    run: Callable[[periods.Period], periods.JobReport]


class NightReport(Struct, frozen=True, kw_only=True):
    """What one call did.

    Attributes:
        runs: The runs of this call, in order, failed ones among them.
        failures: Those that failed, each with what it raised.
        needs: What of it the operator should know: periods that were missed, jobs that fail.
        still_due: Periods that are due and were not done.
        next_at: When the next call has something to do; aware, UTC.
        bad_lines: Lines of the ledger that could not be read, and why.
    """

    runs: tuple[periods.Run, ...]
    failures: tuple[tuple[periods.Run, Exception], ...]
    needs: tuple[Item, ...]
    still_due: int
    next_at: datetime
    bad_lines: tuple[tuple[int, str], ...]


def read_ledger(home: Home) -> tuple[tuple[periods.Run, ...], tuple[tuple[int, str], ...]]:
    """Give the runs of a home, oldest first, and the lines that are none, with why."""
    from nightledger.codec.rows import read_runs
    from nightledger.trust.event import collector_at_rest

    raw = read_optional(home.runs, MAX_LEDGER_BYTES, within=home.root)
    with collector_at_rest():
        return read_runs(raw or b"")


def lately(runs: Sequence[periods.Run], now: datetime) -> tuple[periods.Run, ...]:
    """Leave out what was done long ago and tells nothing about what is due: each job's newest such period stays.

    Args:
        runs: Of a ledger, oldest first.
        now: Aware, UTC.
    """
    since = now - LATELY
    old = [run for run in runs if run.started_at < since and run.outcome is periods.RunOutcome.DONE]
    newest = {run.job: run for run in sorted(old, key=attrgetter("period"))}
    left_out = {id(run) for run in old} - {id(run) for run in newest.values()}
    return tuple(run for run in runs if id(run) not in left_out)


def calendar_of(
    home: Home, settings: Settings, schedules: Mapping[str, periods.Schedule]
) -> periods.Calendar:
    """Give by what the home counts its periods.

    Raises:
        ConfigurationError: No home, or a zone that this machine does not know.
    """
    zone = home_zone(home, settings)
    since = periods.log_day(read_moment(home.identity.created_at), zone)
    return periods.Calendar(schedules=schedules, zone=zone, since=since, limit=settings.catch_up_periods)


def run_due(
    home: Home,
    jobs: Sequence[Job],
    calendar: periods.Calendar,
    clock: Callable[[], Moment],
    *,
    retry: bool = False,
) -> NightReport:
    """Run what is due. The caller holds the night's lock.

    Args:
        home: Where.
        jobs: In the order in which they run.
        calendar: By what their periods are counted.
        clock: Reads the clocks.
        retry: Try at once what failed a moment ago.

    Raises:
        LockedError: Another command holds the home; what was done until then is written down.
        ModuleNotFoundError: A dependency is missing.
        NotDurableError: The ledger could not be written.
    """
    runs, bad_lines = read_ledger(home)
    now = clock().at
    runs = lately(runs, now)
    counted = periods.reckon(runs, now, calendar.zone)
    due = periods.duties(calendar, counted, now, retry=retry)
    missed = periods.find_missed(calendar, counted, now)
    by_name = {job.name: job for job in jobs}
    failures: list[tuple[periods.Run, Exception]] = []
    done: list[periods.Run] = []
    for duty in due:
        if any(failed.job == duty.job for failed, _ in failures):
            continue
        run, error = _run_one(by_name[duty.job], duty, clock)
        append_records(home.runs, dump_line(run))
        done.append(run)
        failures += [(run, error)] if error else []
    now = clock().at
    all_runs = periods.reckon((*runs, *done), now, calendar.zone)
    return NightReport(
        runs=tuple(done),
        failures=tuple(failures),
        needs=needs_of(missed, periods.failing(calendar, all_runs, now)),
        still_due=periods.count_due(calendar, all_runs, now),
        next_at=periods.next_look_at(calendar, all_runs, now),
        bad_lines=bad_lines,
    )


def _run_one(
    job: Job, duty: periods.Duty, clock: Callable[[], Moment]
) -> tuple[periods.Run, Exception | None]:
    started = clock()
    error: Exception | None = None
    report = periods.JobReport(counts={})
    try:
        report = job.run(duty.period)
    except (LockedError, ModuleNotFoundError):
        raise  # neither is the job's fault: another run is at work, or 'make setup' is due
    except Exception as found:  # noqa: BLE001 - whatever a job raises, the others run and the ledger says so
        error = found
    identity = canonical([job.name, duty.period.key, duty.attempt])
    run = periods.Run(
        v=2,
        id=content_id("r", identity),
        job=job.name,
        period=duty.period.key,
        attempt=duty.attempt,
        started_at=started.at,
        finished_at=clock().at,
        outcome=periods.RunOutcome.FAILED if error else periods.RunOutcome.DONE,
        counts=report.counts,
        reason=_reason(error) if error else report.reason,
        boot=started.boot,
        boot_s=started.boot_s,
    )
    return run, error


def _reason(error: Exception) -> str:
    """Say in one line why a run failed; of a bug only its kind, for its text may be anybody's."""
    if isinstance(error, (NightledgerError, OSError)):
        return " ".join(str(error).split())[:MAX_REASON_CHARACTERS]
    return f"a bug: {type(error).__name__}"


def needs_of(missed: Mapping[str, datetime], failed: Sequence[periods.Run]) -> tuple[Item, ...]:
    """Say what of the schedule needs the operator.

    Args:
        missed: Periods that were missed, with since when.
        failed: For each job that fails, its first failure.
    """
    fails = [Item(need=Need.FAILED, key=f"{run.job} {run.period}", since=run.started_at) for run in failed]
    return (*fails, *(Item(need=Need.MISSED, key=key, since=since) for key, since in missed.items()))
