from collections.abc import Callable
from datetime import datetime
from datetime import time as clock_time
from pathlib import Path

import pytest
from tests.homes import make_home
from tests.starting import loaded_by, loaded_by_argparse
from tests.surfaces.calling import call_verb

from nightledger.domain.errors import (
    UnreadableError,
)
from nightledger.domain.periods import JobReport, Period, Schedule
from nightledger.files.home import Home
from nightledger.night import Job
from nightledger.surfaces import night_run, telling
from nightledger.surfaces.session import this_machine

NOW = "2026-03-01T03:30:00Z"
Out = pytest.CaptureFixture[str]


class Jobs:
    """Jobs of a night that note what they were asked to do."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.error: Exception | None = None
        self.report = JobReport(counts={"proposed": 2, "held": 0}, reason="")

    def __call__(self, *_: object) -> tuple[Job, ...]:
        return tuple(
            Job(name=name, schedule=Schedule(at=clock_time(3, 5)), run=self._runner(name))
            for name in ("link", "consolidate")
        )

    def _runner(self, name: str) -> Callable[[Period], JobReport]:
        def run(period: Period) -> JobReport:
            self.asked.append(f"{name} {period.key}")
            if self.error is not None and name == "link":
                raise self.error
            return self.report

        return run


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Jobs:
    found = Jobs()
    monkeypatch.setattr(night_run, "night_jobs", found)
    monkeypatch.setattr(night_run, "find_alarms", lambda _: [])  # they read a log, and this home has none
    monkeypatch.setattr(telling, "find_needs", lambda _: [])
    return found


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path / "home", created_at="2026-02-27T09:00:00Z", machine=this_machine(), zone="UTC")


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    (tmp_path / "keys").mkdir(mode=0o700)
    return tmp_path / "keys"


def call(home: Home, *words: str, now: str = NOW, json_too: bool = False) -> int:
    return call_verb("night", home.root, *words, now=now, as_json=json_too)


def test_a_failing_job_is_named_with_the_next_step_and_the_rest_run(
    home: Home, jobs: Jobs, capsys: Out
) -> None:
    jobs.error = UnreadableError("memory/daily is a FIFO", hint="move it away")
    assert call(home) == 1
    assert jobs.asked == ["link 2026-02-27", "consolidate 2026-02-27", "consolidate 2026-02-28"]
    captured = capsys.readouterr()
    assert captured.err.splitlines() == [
        "error: link 2026-02-27 failed: memory/daily is a FIFO",
        "hint: move it away",
        "hint: it stays due and is tried again by itself; 'nightledger night --retry' tries at once",
    ]
    assert "consolidate 2026-02-28: 2 proposed" in captured.out


def test_a_bug_shows_no_traceback_but_says_where_it_is(home: Home, jobs: Jobs, capsys: Out) -> None:
    jobs.error = ZeroDivisionError("secret words")
    assert call(home) == 1
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert "secret" not in err
    log = Path(home.work_dir) / "night-bug.log"
    assert f"the details are in {log}" in err
    assert "ZeroDivisionError" in log.read_text()


def test_as_a_program_with_nothing_due_it_loads_no_third_party_package(home: Home) -> None:
    now = int(datetime.fromisoformat(NOW).timestamp())
    Path(home.next_due).write_text(f"{now} {now + 3600}\n")
    loaded = {name.partition(".")[0] for name in loaded_by("night", "--home", home.root, "--now", NOW)}
    assert "nightledger" in loaded
    costly = {"dataclasses", "inspect", "jsonschema", "msgspec", "pathlib", "typing", "yaml", "zoneinfo"}
    assert loaded_by_argparse() >= loaded & costly
