from collections.abc import Callable
from datetime import time as clock_time
from errno import ENOSPC
from functools import partial
from pathlib import Path

import pytest
from tests.starting import loaded_by, loaded_by_argparse
from tests.surfaces.console import Console

from nightledger.domain.errors import UnreadableError
from nightledger.domain.periods import JobReport, Period, Schedule
from nightledger.night import Job
from nightledger.surfaces import night_run, telling

Fails = Callable[[Exception], list[str]]


def raise_(error: Exception) -> None:
    raise error


@pytest.fixture
def fails(console: Console, monkeypatch: pytest.MonkeyPatch) -> Fails:
    """Have ``link`` fail, two days later; give what each job of a night is asked to do."""

    def arm(error: Exception) -> list[str]:
        asked = list[str]()

        def run(name: str, period: Period) -> JobReport:
            asked.append(f"{name} {period.key}")
            if name == "link":
                raise error
            return JobReport(counts={"proposed": 2, "held": 0}, reason="")

        due = Schedule(at=clock_time(3, 5))
        jobs = [Job(name=name, schedule=due, run=partial(run, name)) for name in ("link", "consolidate")]
        monkeypatch.setattr(night_run, "night_jobs", lambda *_: tuple(jobs))
        console.desk.wait(days=2)
        return asked

    return arm


def test_a_failing_job_is_named_with_the_next_step_and_the_rest_run(console: Console, fails: Fails) -> None:
    asked = fails(UnreadableError("memory/daily is a FIFO", hint="move it away"))
    ran = console.run("night")
    assert ran.status == 1
    assert asked == ["link 2026-03-01", "consolidate 2026-03-01", "consolidate 2026-03-02"]
    assert ran.err.splitlines()[:3] == [
        "error: link 2026-03-01 failed: memory/daily is a FIFO",
        "hint: move it away",
        "hint: it stays due and is tried again by itself; 'nightledger night --retry' tries at once",
    ]
    assert "consolidate 2026-03-02: 2 proposed" in ran.out


def test_a_full_disk_is_told_in_words_once_with_what_to_do(
    console: Console, fails: Fails, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails(full := OSError(ENOSPC, "No space left on device"))
    monkeypatch.setattr(telling, "write_page", lambda *_: raise_(full))
    monkeypatch.setattr(telling, "outlet_of", lambda *_: raise_(full))
    hint = "hint: the disk is full; free some room and run it again (nothing acknowledged was lost)"
    said = console.run("night").err.splitlines()
    assert said[1] == hint
    assert said[-2:] == ["error: No space left on device", hint]
    assert said.count(hint) == 2


def test_a_bug_shows_no_traceback_but_says_where_it_is(console: Console, fails: Fails) -> None:
    fails(ZeroDivisionError("secret words"))
    said = console.refused("night")
    assert "Traceback" not in said
    assert "secret" not in said
    log = Path(console.home.work_dir) / "night-bug.log"
    assert f"the details are in {log}" in said
    assert "ZeroDivisionError" in log.read_text()


def test_as_a_program_with_nothing_due_it_loads_no_third_party_package(console: Console) -> None:
    console.desk.wait(minutes=30)
    now = console.desk.moment.at
    Path(console.home.next_due).write_text(f"{int(now.timestamp())} {int(now.timestamp()) + 3600}\n")
    words = ("night", "--home", console.home.root, "--now", now.isoformat())
    loaded = {name.partition(".")[0] for name in loaded_by(*words)}
    assert "nightledger" in loaded
    costly = {"dataclasses", "inspect", "jsonschema", "msgspec", "pathlib", "typing", "yaml", "zoneinfo"}
    assert loaded_by_argparse() >= loaded & costly
