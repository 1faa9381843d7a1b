import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from datetime import time as clock_time
from pathlib import Path

import pytest
from tests.homes import make_home
from tests.starting import loaded_by_argparse
from tests.surfaces.verb_calls import call_verb

from nightledger.domain.errors import (
    ConfigurationError,
    IntegrityError,
    LockedError,
    RefusedError,
    UnreadableError,
)
from nightledger.domain.periods import Daily, Period
from nightledger.domain.runs import JobReport
from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.night import Job
from nightledger.surfaces import needs, night_run
from nightledger.surfaces.session import this_machine
from nightledger.surfaces.verbs import night

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
            Job(name=name, schedule=Daily(at=clock_time(3, 5)), run=self._runner(name))
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
    monkeypatch.setattr(needs, "find_needs", lambda _: [])
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


def later(**by: float) -> str:
    return (datetime.fromisoformat(NOW) + timedelta(**by)).isoformat()


def test_a_night_runs_what_is_due_says_so_and_exits_0(home: Home, jobs: Jobs, capsys: Out) -> None:
    assert call(home) == 0
    assert jobs.asked == [
        "link 2026-02-27",
        "consolidate 2026-02-27",
        "link 2026-02-28",
        "consolidate 2026-02-28",
    ]
    assert capsys.readouterr().out.splitlines() == [
        "consolidate 2026-02-27: 2 proposed",
        "consolidate 2026-02-28: 2 proposed",
    ]


def test_a_night_without_proposals_says_why_in_one_line(
    home: Home, jobs: Jobs, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs.report = JobReport(counts={"proposed": 0}, reason="nothing proposed: nothing recurred")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    call(home)
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("consolidate")]
    assert told == [f"consolidate 2026-02-{day}: nothing proposed: nothing recurred" for day in (27, 28)]


def test_when_nothing_is_due_it_is_quiet_and_loads_nothing(
    home: Home, jobs: Jobs, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(home)
    capsys.readouterr()
    monkeypatch.setitem(sys.modules, "nightledger.surfaces.night_run", None)
    assert call(home, now=later(minutes=30)) == 0
    assert capsys.readouterr() == ("", "")
    assert len(jobs.asked) == 4


def test_a_mark_is_believed_for_an_hour_and_not_in_the_first_minutes_of_one(
    home: Home, jobs: Jobs, capsys: Out
) -> None:
    """Whoever can write the home can write the mark, and write it anew each time."""
    for looked_at in (datetime(2026, 3, 1, 4, 9, tzinfo=UTC), datetime(2026, 3, 1, 5, 11, tzinfo=UTC)):
        at = int(looked_at.timestamp())
        Path(home.next_due).write_text(
            f"{at - 60 * (60 if looked_at.minute == 11 else 1)} {at + 20 * 3600}\n"
        )
        jobs.asked.clear()
        assert call(home, now=looked_at.isoformat()) == 0
        assert Path(home.next_due).read_text().startswith(f"{at} ")
    assert capsys.readouterr().err == ""


def test_at_the_next_night_it_runs_again(home: Home, jobs: Jobs) -> None:
    call(home)
    assert call(home, now="2026-03-02T03:04:59Z") == 0
    assert len(jobs.asked) == 4
    assert call(home, now="2026-03-02T03:05:00Z") == 0
    assert jobs.asked[4:] == ["link 2026-03-01", "consolidate 2026-03-01"]


@pytest.mark.parametrize("mark", ["", "x y\n", "1 2 3\n", "\u00e9", "99999999999999 99999999999999\n"])
def test_a_mark_that_means_nothing_is_passed_over(home: Home, jobs: Jobs, mark: str) -> None:
    Path(home.next_due).write_text(mark)
    assert call(home) == 0
    assert len(jobs.asked) == 4


@pytest.mark.parametrize(
    "put", [os.mkfifo, lambda path: os.symlink("/dev/zero", path)], ids=["fifo", "device"]
)
def test_what_is_no_file_gives_way_to_the_mark(home: Home, jobs: Jobs, put: Callable[[str], None]) -> None:
    Path(home.next_due).parent.mkdir(exist_ok=True)
    put(home.next_due)
    assert call(home) == call(home) == 0
    assert len(jobs.asked) == 4


def test_a_mark_from_a_clock_that_was_ahead_is_passed_over(home: Home, jobs: Jobs) -> None:
    year = later(days=300)
    assert call(home, now=year) == 0
    jobs.asked.clear()
    assert call(home) == 0
    assert jobs.asked[:2] == ["link 2026-02-27", "consolidate 2026-02-27"]


def test_a_mark_that_looks_too_far_ahead_is_passed_over(home: Home, jobs: Jobs) -> None:
    now = int(datetime.fromisoformat(NOW).timestamp())
    Path(home.next_due).write_text(f"{now - 1} {now + 27 * 3600}\n")
    call(home)
    assert len(jobs.asked) == 4


def test_settings_that_changed_since_make_it_look_again(home: Home, jobs: Jobs) -> None:
    call(home)
    marked_at = os.stat(home.next_due).st_mtime
    Path(home.settings).write_text("nightly_at: 03:40\n")
    os.utime(home.settings, (marked_at + 10, marked_at + 10))
    monitored = Path(home.next_due).read_text()
    call(home, now=later(minutes=1))
    assert Path(home.next_due).read_text() != monitored
    assert len(jobs.asked) == 4


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


def test_what_failed_waits_unless_the_operator_asks(home: Home, jobs: Jobs) -> None:
    jobs.error = UnreadableError("no")
    call(home)
    jobs.asked.clear()
    assert call(home, now=later(minutes=10)) == 0
    assert jobs.asked == []
    jobs.error = None
    assert call(home, "--retry", now=later(minutes=10)) == 0
    assert jobs.asked == ["link 2026-02-27", "link 2026-02-28"]


def test_an_integrity_alarm_exits_4(home: Home, jobs: Jobs) -> None:
    jobs.error = IntegrityError("line 7 was edited")
    assert call(home) == 4


def test_a_bug_shows_no_traceback_but_says_where_it_is(home: Home, jobs: Jobs, capsys: Out) -> None:
    jobs.error = ZeroDivisionError("secret words")
    assert call(home) == 1
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert "secret" not in err
    log = Path(home.work_dir) / "night-bug.log"
    assert f"the details are in {log}" in err
    assert "ZeroDivisionError" in log.read_text()


def test_a_missing_dependency_reaches_the_command_line(home: Home, jobs: Jobs) -> None:
    jobs.error = ModuleNotFoundError("no module", name="rich")
    with pytest.raises(ModuleNotFoundError):
        call(home)


def test_a_second_night_at_the_same_time_is_told_to_come_back(home: Home, jobs: Jobs) -> None:
    with Lock(home.lock_path("night")), pytest.raises(LockedError) as caught:
        call(home)
    assert caught.value.exit_status == 75
    assert jobs.asked == []


def test_a_missing_home_names_the_command_that_makes_one(tmp_path: Path, jobs: Jobs) -> None:
    with pytest.raises(ConfigurationError) as caught:
        call(Home(tmp_path / "nowhere"))
    assert "nightledger init" in caught.value.hint
    assert jobs.asked == []


def test_another_machine_writes_nothing_into_the_home(
    home: Home, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.surfaces.home.this_machine", lambda: "elsewhere")
    with pytest.raises(RefusedError, match="is written by"):
        call(home)
    assert jobs.asked == []
    assert not Path(home.runs).exists()


def test_many_missed_nights_are_made_up_over_several_calls(home: Home, jobs: Jobs, capsys: Out) -> None:
    late = later(days=20)
    call(home, now=late)
    assert len(jobs.asked) == 14
    assert "periods are still due; the next call goes on with them." in capsys.readouterr().out
    call(home, now=late)
    assert len(jobs.asked) == 28


def test_json_is_one_document_in_every_case(home: Home, jobs: Jobs, capsys: Out) -> None:
    call(home, json_too=True)
    first = json.loads(capsys.readouterr().out)
    assert len(jobs.asked) == 4
    assert [run["job"] for run in first["runs"]] == ["link", "consolidate"] * 2
    assert first["next_at"] == "2026-03-02T03:05:00Z"
    call(home, json_too=True, now=later(minutes=1))
    assert json.loads(capsys.readouterr().out) == {
        "runs": [],
        "still_due": 0,
        "next_at": "2026-03-02T03:05:00Z",
    }


def test_a_dry_run_lists_what_is_due_and_does_nothing(home: Home, jobs: Jobs, capsys: Out) -> None:
    before = sorted(Path(home.root).rglob("*"))
    assert call(home, "--dry-run") == 0
    assert capsys.readouterr().out.splitlines()[0] == "link 2026-02-27, due since 2026-02-28 03:05 UTC"
    assert jobs.asked == []
    assert sorted(Path(home.root).rglob("*")) == before
    call(home)
    capsys.readouterr()
    assert call(home, "--dry-run") == 0
    assert capsys.readouterr().out == "Nothing is due.\n"


def test_a_person_at_a_terminal_is_told_when_something_is_due(
    home: Home, jobs: Jobs, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(home)
    capsys.readouterr()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    call(home, now=later(minutes=1))
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("Nothing is in this home yet: no memory in MEMORY.md, no daily logs")
    assert told[-1] == "Nothing is due before 2026-03-02 03:05 UTC."
    assert len(jobs.asked) == 4


def test_a_foreign_line_of_the_ledger_is_reported(home: Home, jobs: Jobs, capsys: Out) -> None:
    Path(home.runs).write_text("not json\n")
    call(home)
    assert "memory/system/runs.jsonl:1 is no run and counts for nothing" in capsys.readouterr().err
    assert len(jobs.asked) == 4


def test_the_operator_is_notified_of_a_failure_once(
    home: Home, jobs: Jobs, keys: Path, tmp_path: Path
) -> None:
    script = f"import sys; open({str(tmp_path / 'told')!r}, 'a').write(sys.argv[1] + chr(10))"
    operator = {"notify": [sys.executable, "-c", script, "{summary}"]}
    (keys / "operator.yaml").write_text(json.dumps(operator))
    (keys / "operator.yaml").chmod(0o600)
    (keys / home.identity.id).mkdir(mode=0o700)
    jobs.error = UnreadableError("no")
    call(home, now="2026-02-28T03:30:00Z")
    call(home, now="2026-02-28T04:30:00Z")
    assert (tmp_path / "told").read_text() == "1 job failed\n"


def test_a_notifier_that_cannot_run_is_said_and_exits_1(
    home: Home, jobs: Jobs, keys: Path, capsys: Out
) -> None:
    assert jobs.asked == []
    (keys / "operator.yaml").write_text("notify: [/no/such/program]\n")
    (keys / "operator.yaml").chmod(0o600)
    assert call(home, now=later(days=3)) == 1
    assert "error: /no/such/program cannot be run" in capsys.readouterr().err


def test_the_mark_is_in_utc_seconds(home: Home, jobs: Jobs) -> None:
    call(home)
    written, due = map(int, Path(home.next_due).read_text().split())
    assert jobs.asked
    assert datetime.fromtimestamp(written, UTC) == datetime.fromisoformat(NOW)
    assert datetime.fromtimestamp(due, UTC) == datetime(2026, 3, 2, 3, 5, tzinfo=UTC)


def test_as_a_program_with_nothing_due_it_loads_no_third_party_package(home: Home) -> None:
    now = int(datetime.fromisoformat(NOW).timestamp())
    Path(home.next_due).write_text(f"{now} {now + 3600}\n")
    words = ["night", "--home", home.root, "--now", NOW]
    program = (
        f"import sys; from nightledger.surfaces.cli import add_options, main; assert main({words!r}) == 0;"
        " print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    scripts = Path(night.__file__).parents[3]
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(scripts)},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(ran.stdout.split())
    assert "nightledger" in loaded
    assert loaded_by_argparse() >= loaded & {
        "dataclasses",
        "inspect",
        "jsonschema",
        "msgspec",
        "pathlib",
        "typing",
        "yaml",
        "zoneinfo",
    }
