from datetime import UTC, datetime, timedelta

import pytest

from nightledger.domain.runs import Run, RunOutcome, attempts, last_done, retry_at

NOW = datetime(2026, 3, 1, 3, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)


def run(
    period: str,
    outcome: RunOutcome = RunOutcome.DONE,
    *,
    job: str = "consolidate",
    started_at: datetime = NOW,
) -> Run:
    return Run(
        v=1,
        id="r-",
        job=job,
        period=period,
        attempt=1,
        started_at=started_at,
        finished_at=started_at + timedelta(minutes=1),
        outcome=outcome,
        counts={},
    )


def failed(times: int, period: str = "2026-02-28") -> list[Run]:
    return [run(period, RunOutcome.FAILED, started_at=NOW + n * HOUR) for n in range(times)]


def test_before_the_first_run_nothing_is_done() -> None:
    assert last_done([], "consolidate", NOW) is None


def test_the_newest_period_done_counts_in_whatever_order_the_lines_stand() -> None:
    assert (
        last_done([run("2026-02-27"), run("2026-02-28"), run("2026-02-26")], "consolidate", NOW)
        == "2026-02-28"
    )


def test_another_jobs_period_and_a_failed_one_are_not_done() -> None:
    runs = [run("2026-02-26"), run("2026-02-27", RunOutcome.FAILED), run("2026-02-28", job="link")]
    assert last_done(runs, "consolidate", NOW) == "2026-02-26"


def test_a_run_from_the_future_counts_for_nothing() -> None:
    ahead = run("2026-12-01", started_at=NOW + timedelta(days=270))
    assert last_done([run("2026-02-27"), ahead], "consolidate", NOW) == "2026-02-27"


def test_a_clock_set_back_by_less_than_an_hour_does_not_repeat_the_night() -> None:
    assert last_done([run("2026-02-28")], "consolidate", NOW - HOUR) == "2026-02-28"
    assert last_done([run("2026-02-28")], "consolidate", NOW - HOUR - timedelta(seconds=1)) is None


def test_attempts_are_counted_for_one_job_and_period() -> None:
    runs = [*failed(2), run("2026-02-28"), run("2026-02-27"), run("2026-02-28", job="link")]
    assert attempts(runs, "consolidate", "2026-02-28") == 3


def test_a_period_that_did_not_fail_has_no_retry() -> None:
    assert retry_at([run("2026-02-28")], "consolidate", "2026-02-28", NOW) is None
    assert retry_at(failed(1), "consolidate", "2026-02-27", NOW) is None
    assert retry_at(failed(1), "link", "2026-02-28", NOW) is None


@pytest.mark.parametrize(
    ("failures", "minutes"), [(1, 30), (2, 60), (3, 120), (5, 480), (6, 480), (5000, 480)]
)
def test_the_wait_doubles_from_half_an_hour_to_eight_hours(failures: int, minutes: int) -> None:
    later = NOW + failures * HOUR
    at = retry_at(failed(failures), "consolidate", "2026-02-28", later)
    assert at == NOW + (failures - 1) * HOUR + timedelta(minutes=1 + minutes)


def test_a_failure_from_the_future_does_not_delay_the_retry() -> None:
    assert retry_at(failed(5), "consolidate", "2026-02-28", NOW - 2 * HOUR) is None
