import json
import sys
from pathlib import Path

import pytest

from nightledger.files.home import Home
from nightledger.night import read_ledger
from nightledger.surfaces.cli import main

Out = pytest.CaptureFixture[str]
TOLD = "import sys; open(sys.argv[1], 'a').write(sys.argv[2] + chr(10))"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    keys = tmp_path / "keys"
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(keys))
    home = Home(tmp_path / "home")
    made = nl(
        home, "init", "--simulated", "--no-passphrase", "--zone", "Europe/Berlin", at="2026-02-09T09:00:00Z"
    )
    assert made == 0
    words = [sys.executable, "-c", TOLD, str(tmp_path / "told"), "{summary}"]
    (keys / "operator.yaml").write_text(json.dumps({"notify": words}))
    (keys / "operator.yaml").chmod(0o600)
    for day, resolution, outcome in (
        (10, "restart_gateway", "failure"),
        (11, "restart_gateway", "failure"),
        (12, "set_tz_explicitly", "success"),
        (13, "set_tz_explicitly", "success"),
    ):
        at = f"2026-02-{day}T12:00:00Z"
        record = ["--task-type", "debug_cron", "--tags", "cron,timezone", "--timestamp", at]
        record += [
            "--resolution",
            resolution,
            "--outcome",
            outcome,
            "--source",
            f"memory/daily/2026-02-{day}.md",
        ]
        assert nl(home, "log", *record, at=at) == 0
    return home


def nl(home: Home, verb: str, *words: str, at: str) -> int:
    return main([verb, "--home", home.root, "--now", at, *words])


def runs_of(home: Home) -> list[tuple[str, str]]:
    runs, _ = read_ledger(home)
    return [(run.job, run.period) for run in runs]


def test_a_night_links_and_consolidates_each_day_and_tells_the_operator_what_waits(
    home: Home, tmp_path: Path, capsys: Out
) -> None:
    capsys.readouterr()
    for day in (10, 11, 12, 13, 14):
        assert nl(home, "night", at=f"2026-02-{day}T03:35:00Z") == 0
    days = [f"2026-02-{day:02d}" for day in (9, 10, 11, 12, 13)]
    assert runs_of(home) == [
        (job, day) for day in days for job in ("link", "consolidate", "curate", "close_day")
    ]
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 1  # the nights before it are empty
    assert printed[-1] == "consolidate 2026-02-13: 1 proposed"
    assert (tmp_path / "told").read_text() == "1 proposal waits\n"
    lesson = Path(home.pending_view).read_text()
    assert "set_tz_explicitly resolved it (2 of 2, 2026-02-12 to 2026-02-13)" in lesson


def test_calling_again_changes_nothing(home: Home, tmp_path: Path) -> None:
    assert nl(home, "night", at="2026-02-14T03:35:00Z") == 0
    before = _kept(home)
    assert nl(home, "night", at="2026-02-14T04:05:00Z") == 0
    assert nl(home, "night", at="2026-02-14T23:35:00Z") == 0
    assert _kept(home) == before
    assert (tmp_path / "told").read_text().count("\n") == 1


def _kept(home: Home) -> dict[Path, bytes]:
    """Give all files, but for what says when somebody looked last and what was told."""
    files = (path for path in Path(home.root).rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files if path.name not in ("next-due", "notified")}


def test_a_sunday_prunes_by_its_own_day(home: Home, capsys: Out) -> None:
    log = Path(home.path("memory")) / "2026-01-21.md"
    log.parent.mkdir(exist_ok=True)
    log.write_text("# Notes\n\n" + "- Looked at the lamp in the long corridor again, it was on\n" * 40)
    assert nl(home, "night", at="2026-02-15T01:59:00Z") == 0  # Sunday, 02:59 in Berlin
    assert "prune" not in {job for job, _ in runs_of(home)}
    capsys.readouterr()
    assert nl(home, "night", at="2026-02-22T02:06:00Z") == 0
    assert [period for job, period in runs_of(home) if job == "prune"] == ["2026-02-14", "2026-02-21"]
    assert "prune 2026-02-21: 1 logs proposed" in capsys.readouterr().out
