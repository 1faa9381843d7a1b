from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.codec.records import dump_line
from nightledger.domain.periods import Run, RunOutcome
from nightledger.files.home import Home
from nightledger.surfaces.context import CHECKOUT
from nightledger.surfaces.doctor.checks import Check, State
from nightledger.surfaces.doctor.schedule import check_nights, check_schedule
from nightledger.surfaces.unattended import Place, cron_text, launchd_files, systemd_files

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def bin_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", f"{programs}:/bin")
    return programs


def crontab(bin_dir: Path, text: str, status: int = 0) -> None:
    (bin_dir / "table").write_text(text)
    program = bin_dir / "crontab"
    program.write_text(f'#!/bin/sh\n[ "$1" = -l ] || exit 9\ncat "{bin_dir}/table"\nexit {status}\n')
    program.chmod(0o700)


def checks(home: Home, tmp_path: Path) -> list[Check]:
    place = Place(checkout=CHECKOUT, home=home.root)
    return list(check_schedule(home, place, str(tmp_path / "user"), NOW))


def test_the_printed_lines_are_recognised_in_a_crontab(bin_dir: Path, tmp_path: Path) -> None:
    home = make_home(tmp_path / "my home 5%", simulated=False)
    crontab(bin_dir, cron_text(Place(checkout=CHECKOUT, home=home.root)))
    found = checks(home, tmp_path)
    assert [(c.state, c.message) for c in found] == [
        (State.GOOD, "cron calls night"),
        (State.GOOD, "cron calls stage"),
        (State.GOOD, "cron calls guard"),
        (State.GOOD, "cron calls apply"),
    ]


def test_lines_that_are_commented_out_or_of_another_home_call_nothing(bin_dir: Path, tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", simulated=False)
    other = Place(checkout=CHECKOUT, home="/somewhere/else")
    mine = Place(checkout=CHECKOUT, home=home.root)
    crontab(bin_dir, cron_text(other) + cron_text(mine).replace("\n", "\n#"))
    found = checks(home, tmp_path)
    assert [c.state for c in found] == [State.BAD]
    assert (
        "Not scheduled: no cron, systemd or launchd entry found for night, stage, guard and apply"
        in found[0].message
    )
    assert "schedule --print cron" in found[0].fix


@pytest.mark.parametrize("kind", ["systemd", "launchd"])
def test_units_in_their_place_are_recognised(kind: str, bin_dir: Path, tmp_path: Path) -> None:
    assert bin_dir.is_dir()
    home = make_home(tmp_path / "home", simulated=False)
    place = Place(checkout=CHECKOUT, home=home.root)
    for file in systemd_files(place) if kind == "systemd" else launchd_files(place):
        path = tmp_path / "user" / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)
    assert [c.message for c in checks(home, tmp_path)] == [
        f"{kind} calls {name}" for name in ("night", "stage", "guard", "apply")
    ]


@pytest.mark.parametrize(("ago", "state"), [(5, State.NOTE), (27, State.BAD), (-5, State.BAD)])
def test_a_run_of_late_says_that_something_else_calls(
    ago: int, state: State, bin_dir: Path, tmp_path: Path
) -> None:
    assert bin_dir.is_dir()
    home = make_home(tmp_path / "home", simulated=False)
    at = NOW - timedelta(hours=ago)
    run = Run(
        v=2,
        id="r-" + "a" * 26,
        job="link",
        period="2026-02-28",
        attempt=1,
        started_at=at,
        finished_at=at,
        outcome=RunOutcome.DONE,
        counts={},
    )
    Path(home.runs).write_bytes(dump_line(run))
    assert [c.state for c in checks(home, tmp_path)] == [state]
    (night,) = check_nights(home, NOW)
    assert (night.state, "verif" in night.message) == (State.GOOD if ago == 5 else State.BAD, True)
