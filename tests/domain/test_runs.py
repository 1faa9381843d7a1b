from datetime import UTC, datetime, timedelta, timezone

import pytest
from msgspec.structs import replace

from nightledger.domain.moment import Moment
from nightledger.domain.runs import NEVER, Run, RunOutcome, is_stepped, last_done, reckon, retry_at

NOW = datetime(2026, 3, 1, 3, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)


def run(
    period: str,
    outcome: RunOutcome = RunOutcome.DONE,
    *,
    job: str = "consolidate",
    started_at: datetime = NOW,
    boot: str = "",
    boot_s: int = 0,
) -> Run:
    return Run(
        v=2,
        id="r-",
        job=job,
        period=period,
        attempt=1,
        started_at=started_at,
        finished_at=started_at + timedelta(minutes=1),
        outcome=outcome,
        counts={},
        boot=boot,
        boot_s=boot_s,
    )


def failed(times: int, period: str = "2026-02-28") -> list[Run]:
    return [run(period, RunOutcome.FAILED, started_at=NOW + n * HOUR) for n in range(times)]


def test_another_jobs_period_and_a_failed_one_are_not_done() -> None:
    runs = [run("2026-02-26"), run("2026-02-27", RunOutcome.FAILED), run("2026-02-28", job="link")]
    assert last_done(runs, "consolidate", NOW) == "2026-02-26"


def test_a_run_from_the_future_counts_for_nothing() -> None:
    ahead = run("2026-12-01", started_at=NOW + timedelta(days=270))
    assert last_done([run("2026-02-27"), ahead], "consolidate", NOW) == "2026-02-27"


def test_a_clock_set_back_by_less_than_an_hour_does_not_repeat_the_night() -> None:
    assert last_done([run("2026-02-28")], "consolidate", NOW - HOUR) == "2026-02-28"
    assert last_done([run("2026-02-28")], "consolidate", NOW - HOUR - timedelta(seconds=1)) is None


@pytest.mark.parametrize(
    ("failures", "minutes"), [(1, 30), (2, 60), (3, 120), (5, 480), (6, 480), (5000, 480)]
)
def test_the_wait_doubles_from_half_an_hour_to_eight_hours(failures: int, minutes: int) -> None:
    later = NOW + failures * HOUR
    at = retry_at(failed(failures), "consolidate", "2026-02-28", later)
    assert at == NOW + (failures - 1) * HOUR + timedelta(minutes=1 + minutes)


def dated(runs: list[Run], now: Moment) -> list[datetime | None]:
    """Give when each run started as the clock dates it now; None for one that counts for nothing."""
    return [None if run.started_at is NEVER else run.started_at for run in reckon(runs, now, UTC)]


def at(hours: float, boot: str = "", boot_s: int = 0) -> Moment:
    return Moment(at=NOW + hours * HOUR, boot=boot, boot_s=boot_s)


def test_in_one_boot_a_run_is_dated_by_the_clock_of_now() -> None:
    """It began at 03:05, an hour ago; the clock was set back by three hours since, across midnight or not."""
    one = run("2026-02-28", boot="b", boot_s=1_000)
    assert dated([one], at(1 - 3, "b", 4_600)) == [NOW - 3 * HOUR]
    assert dated([one], at(1 - 4, "b", 4_600)) == [None]
    assert dated([replace(one, period="2026-02-27")], at(1 - 4, "b", 4_600)) == [NOW - 4 * HOUR]
    (moved,) = reckon([one], at(1 - 3, "b", 4_600), UTC)
    assert moved.finished_at - moved.started_at == one.finished_at - one.started_at


def test_a_day_that_a_clock_ahead_ran_too_early_counts_for_nothing_when_it_is_mended() -> None:
    early = run("2026-03-01", started_at=NOW + 24 * HOUR, boot="b", boot_s=1_000)
    assert dated([early], at(24, "b", 1_000 + 24 * 3_600)) == [None]
    # A boot later the clock's line tells it, which stands behind it.
    told = run("2026-03-01", job="clock", started_at=NOW + HOUR, boot="b", boot_s=4_600)
    assert dated([early, told], at(48, "c", 5))[0] is None
    # Written in another boot, it tells as much.
    assert dated([early, replace(told, boot="c", boot_s=9)], at(48, "d", 5))[0] is None
    # Without it, nobody can: the wall clock says that the day was over.
    assert dated([early], at(48, "c", 5)) == [early.started_at]


def test_runs_of_an_earlier_boot_are_dated_by_its_last_reading() -> None:
    """The clock of boot b was two days behind until it was set; c, which began later, does not know of it."""
    behind = run("2026-02-26", started_at=NOW - 48 * HOUR, boot="b", boot_s=100)
    mended = run("2026-02-28", started_at=NOW + HOUR, boot="b", boot_s=100 + 3_600)
    assert dated([behind, mended], at(9, "c", 50)) == [behind.started_at, mended.started_at]
    ahead = run("2026-02-28", started_at=NOW + 5 * HOUR, boot="b", boot_s=100)
    assert dated([ahead, mended], at(9, "c", 50)) == [NOW, mended.started_at]


@pytest.mark.parametrize(
    "period",
    ["", "nonsense", "2026-02-30", "2026-03-01Tnoon", "2026-03-01T03:00", "9999-12-31", "2030-01-01"],
)
def test_a_line_that_somebody_made_up_counts_for_nothing_and_ends_nothing(period: str) -> None:
    """A key that is none ended every night; one for a day to come skipped each night before it."""
    first = datetime(1, 1, 1, tzinfo=UTC)
    odd = run(period, started_at=NOW - 5 * HOUR, boot="b", boot_s=10)
    made_up = [odd, replace(odd, boot=""), replace(odd, started_at=first, boot_s=2**31 - 1)]
    assert reckon(made_up, at(9), UTC) == ()
    good = run("2026-02-28")
    runs = reckon([good, *made_up], at(9), UTC)
    assert len(reckon([replace(odd, job="clock")], at(9), UTC)) == 1
    assert (runs, last_done(runs, "consolidate", NOW + 9 * HOUR)) == ((good,), "2026-02-28")


def test_a_night_in_another_zone_than_the_homes_of_now_counts() -> None:
    """A home that moved from Kiritimati to the other side of the date line."""
    east, west = timezone(14 * HOUR), timezone(-12 * HOUR)
    one = run("2026-02-28", started_at=datetime(2026, 3, 1, 0, 0, tzinfo=east).astimezone(UTC))
    assert reckon([one], at(48), west) == (one,)
    assert reckon([replace(one, started_at=one.started_at - HOUR)], at(48), west) == ()


@pytest.mark.parametrize(
    ("newest", "now", "stepped"),
    [
        (None, at(0), False),
        (run("k"), at(-1), False),
        (run("k"), at(-1.01), True),
        (run("k"), at(500), False),
        (run("k", boot="b", boot_s=100), at(1, "b", 3_700), False),
        (run("k", boot="b", boot_s=100), at(-1.01, "b", 100), True),
        (run("k", boot="b", boot_s=100), at(1.01, "b", 100), True),
        (run("k", boot="b", boot_s=100), at(1.01, "c", 100), False),
        (run("k", boot="b", boot_s=100), at(-1.01, "c", 100), True),
    ],
)
def test_a_step_of_more_than_an_hour_is_told_from_time_that_passed(
    newest: Run | None, now: Moment, *, stepped: bool
) -> None:
    assert is_stepped(newest, now) is stepped


@pytest.mark.parametrize("end", [datetime.max.replace(tzinfo=UTC), NOW + 1000 * HOUR])
def test_a_failure_that_says_it_ends_in_the_future_delays_the_retry_no_longer_than_another(
    end: datetime,
) -> None:
    odd = replace(run("2026-02-28", RunOutcome.FAILED), finished_at=end)
    assert retry_at([odd], "consolidate", "2026-02-28", NOW) == NOW + HOUR / 2
