import json
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.domain.attention import Need
from nightledger.domain.decision import Moment
from nightledger.domain.errors import LockedError, UnreadableError
from nightledger.domain.periods import Calendar, JobReport, Period, RunOutcome, Schedule
from nightledger.files.home import Home
from nightledger.night import Job, NightReport, read_ledger, run_due

NIGHTLY = Schedule(at=clock_time(3, 5))
NOW = datetime(2026, 3, 1, 3, 30, tzinfo=UTC)


class Clock:
    """A clock that moves a second with each look."""

    def __init__(self, at: datetime = NOW, boot: str = "") -> None:
        self.at, self.boot = at, boot

    def __call__(self) -> Moment:
        self.at += timedelta(seconds=1)
        boot_s = int((self.at - NOW).total_seconds()) + 100_000 if self.boot else 0
        return Moment(at=self.at, boot=self.boot, boot_s=boot_s)


class Worker:
    """A job that remembers its periods and fails where it is told to."""

    def __init__(self, name: str, fails: dict[str, Exception] | None = None) -> None:
        self.name, self.fails = name, fails or {}
        self.periods: list[str] = []

    def run(self, period: Period) -> JobReport:
        self.periods.append(period.key)
        if period.key in self.fails:
            raise self.fails[period.key]
        return JobReport(counts={"proposed": 1}, reason="")

    def job(self) -> Job:
        return Job(name=self.name, schedule=NIGHTLY, run=self.run)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "home", created_at="2026-02-25T23:30:00Z")


def calendar(*workers: Worker, limit: int = 7) -> Calendar:
    schedules = {worker.name: NIGHTLY for worker in workers}
    return Calendar(schedules=schedules, zone=UTC, since=date(2026, 2, 26), limit=limit)


def call(
    home: Home, *workers: Worker, at: datetime = NOW, limit: int = 7, retry: bool = False
) -> NightReport:
    jobs = [worker.job() for worker in workers]
    return run_due(home, jobs, calendar(*workers, limit=limit), Clock(at), retry=retry)


def test_each_period_is_run_once_and_written_down(home: Home) -> None:
    link, consolidate = Worker("link"), Worker("consolidate")
    report = call(home, link, consolidate)
    assert link.periods == consolidate.periods == ["2026-02-26", "2026-02-27", "2026-02-28"]
    assert (report.still_due, report.failures) == (0, ())
    assert report.next_at == datetime(2026, 3, 2, 3, 5, tzinfo=UTC)
    again = call(home, link, consolidate, at=NOW + timedelta(hours=5))
    assert again.runs == ()
    assert len(link.periods) == 3
    assert read_ledger(home)[0] == report.runs


def test_the_ledger_has_one_line_a_run_in_the_published_form(home: Home) -> None:
    call(home, Worker("consolidate"))
    lines = Path(home.runs).read_text().splitlines()
    assert len(lines) == 3
    record = json.loads(lines[0])
    assert record["id"].startswith("r-")
    assert {key: record[key] for key in record if key != "id"} == {
        "v": 2,
        "job": "consolidate",
        "period": "2026-02-26",
        "attempt": 1,
        "started_at": "2026-03-01T03:30:02Z",
        "finished_at": "2026-03-01T03:30:03Z",
        "outcome": "done",
        "counts": {"proposed": 1},
        "reason": "",
        "boot": "",
        "boot_s": 0,
    }


def test_a_failing_job_is_written_down_and_the_rest_run(home: Home) -> None:
    link = Worker("link", {"2026-02-27": UnreadableError("memory/x is a directory")})
    consolidate = Worker("consolidate")
    report = call(home, link, consolidate)
    assert link.periods == ["2026-02-26", "2026-02-27"]
    assert consolidate.periods == ["2026-02-26", "2026-02-27", "2026-02-28"]
    ((failed, _),) = report.failures
    assert failed.outcome is RunOutcome.FAILED
    assert failed.reason == "memory/x is a directory"
    assert report.still_due == 2
    assert report.next_at == failed.finished_at + timedelta(minutes=30)


def test_a_failed_period_is_tried_again_and_then_the_later_ones(home: Home) -> None:
    link = Worker("link", {"2026-02-27": UnreadableError("no")})
    call(home, link)
    assert call(home, link, at=NOW + timedelta(minutes=5)).runs == ()
    link.fails.clear()
    report = call(home, link, at=NOW + timedelta(minutes=31))
    assert [(run.period, run.attempt) for run in report.runs] == [("2026-02-27", 2), ("2026-02-28", 1)]
    assert len({run.id for run in read_ledger(home)[0]}) == 4


def test_of_a_bug_only_its_kind_is_written_down(home: Home) -> None:
    report = call(home, Worker("link", {"2026-02-26": ValueError("some text of an agent")}))
    assert report.failures[0][0].reason == "a bug: ValueError"
    assert "agent" not in Path(home.runs).read_text()


@pytest.mark.parametrize("error", [LockedError("held"), ModuleNotFoundError("rich")])
def test_what_is_not_the_jobs_fault_ends_the_call_and_leaves_the_period_due(
    home: Home, error: Exception
) -> None:
    link = Worker("link", {"2026-02-27": error})
    with pytest.raises(type(error)):
        call(home, link)
    assert [run.period for run in read_ledger(home)[0]] == ["2026-02-26"]


def test_a_job_that_fails_needs_the_operator_until_it_succeeds(home: Home) -> None:
    link = Worker("link", {"2026-02-28": UnreadableError("no")})
    fails = [item.mark for item in call(home, link).needs if item.need is Need.FAILED]
    assert fails == ["failed link 2026-02-28"]
    waiting = call(home, link, at=NOW + timedelta(minutes=5)).needs
    assert [item.mark for item in waiting] == ["failed link 2026-02-28"]
    link.fails.clear()
    assert call(home, link, at=NOW + timedelta(minutes=40)).needs == ()


def test_a_torn_or_foreign_line_is_reported_and_the_rest_counts(home: Home) -> None:
    link = Worker("link")
    call(home, link)
    with Path(home.runs).open("ab") as stream:
        stream.write(b'{"v": 1, "job": "link"}\nnot json\n{"v": 1, "jo')
    report = call(home, link, at=NOW + timedelta(days=1))
    assert [run.period for run in report.runs] == ["2026-03-01"]
    assert [line for line, _ in report.bad_lines] == [4, 5, 6]
    assert read_ledger(home)[0][-1].period == "2026-03-01"
