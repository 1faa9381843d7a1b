import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.homes import make_home

from nightledger.domain.staged_page import dump_page
from nightledger.files.home import Home
from nightledger.files.staged import StagedLine, write_staged
from nightledger.surfaces.hook import running as starting
from nightledger.surfaces.hook.running import SCRIPTS, stage_anew, started

NOW = datetime(2026, 3, 1, 6, 0, 0, tzinfo=UTC)
UNTIL = "2026-03-02T00:00:00Z"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(starting, "stage_anew", lambda *_: True)
    return make_home(tmp_path / "home")


def stage(home: Home, *lines: str, shown: tuple[str, ...] = ("e-" + "a" * 26,)) -> str:
    page = dump_page(lines, UNTIL)
    write_staged(home, page, [StagedLine(shown, "") for _ in lines])
    return page


def count_stagings(monkeypatch: pytest.MonkeyPatch, *, succeeds: bool = True) -> list[Home]:
    ran: list[Home] = []

    def stager(home: Home, _: datetime) -> bool:
        ran.append(home)
        return succeeds

    monkeypatch.setattr(starting, "stage_anew", stager)
    return ran


def records(home: Home) -> list[Any]:
    return [json.loads(line) for line in Path(home.exposures).read_text().splitlines()]


def test_the_staged_page_is_given_and_recorded(home: Home) -> None:
    page = stage(home, "Water the plants (from MEMORY.md:3; landmark)")
    assert started(home, "codex", {"session_id": "s"}, NOW) == page
    assert json.loads(Path(home.exposures).read_text()) == {
        "v": 1,
        "at": "2026-03-01T06:00:00Z",
        "shown": ["e-" + "a" * 26],
        "host": "codex",
        "event": "session_start",
        "session": "s",
        "places": [],
    }


def test_a_host_that_asks_at_each_message_is_staged_for_once_and_recorded_once(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = count_stagings(monkeypatch)
    first = stage(home, "Water the plants (from MEMORY.md:3; landmark)", shown=("e-1",))
    for _ in range(3):
        assert started(home, "openclaw", {"session_id": "s"}, NOW) == first
    assert (len(ran), len(records(home))) == (1, 1)
    other = stage(home, "Air the cellar (from MEMORY.md:4; landmark)", shown=("e-2",))
    for _ in range(2):
        assert started(home, "openclaw", {"session_id": "s"}, NOW) == other
    assert [one["shown"] for one in records(home)] == [["e-1"], ["e-2"]]
    assert started(home, "openclaw", {"session_id": "t"}, NOW) == other
    assert (len(ran), len(records(home))) == (2, 3)
    for _ in range(2):  # other hosts ask when a session begins, or begins again
        assert started(home, "codex", {"session_id": "s"}, NOW) == other
    assert (len(ran), len(records(home))) == (4, 5)


@pytest.mark.parametrize("host", ["codex", "openclaw"])
def test_nothing_is_given_where_the_stager_failed(
    home: Home, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    ran = count_stagings(monkeypatch, succeeds=False)
    stage(home, "Water the plants (from MEMORY.md:3; landmark)")
    for _ in range(2):
        assert started(home, host, {"session_id": "s"}, NOW) == ""
    assert len(ran) == 2
    assert not os.path.exists(home.exposures)


def test_neither_the_environment_nor_the_folder_can_put_code_into_the_stager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_home(tmp_path / "home")
    planted = tmp_path / "planted"
    planted.mkdir()
    (planted / "sitecustomize.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.setenv("PYTHONPATH", str(planted))
    monkeypatch.chdir(planted)
    stage_anew(home, NOW)
    assert not (tmp_path / "ran").exists()
    script = Path(SCRIPTS, "predictive_stager.py")
    done = subprocess.run(
        [sys.executable, "-I", str(script), "--help"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "stage" in done.stdout


def test_the_stager_is_not_waited_for_longer_than_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = make_home(tmp_path / "home")
    slow = tmp_path / "predictive_stager.py"
    slow.write_text(
        "import pathlib, time\npathlib.Path(__file__).with_suffix('.ran').touch()\ntime.sleep(60)\n"
    )
    monkeypatch.setattr(starting, "SCRIPTS", str(tmp_path))
    monkeypatch.setattr(starting, "STAGING_LIMIT_S", 1.0)
    began = time.monotonic()
    assert not stage_anew(home, NOW)
    assert time.monotonic() - began < 20
    assert slow.with_suffix(".ran").exists()
    monkeypatch.setattr(starting, "SCRIPTS", str(tmp_path / "missing"))
    assert not stage_anew(home, NOW)
    monkeypatch.setattr("sys.executable", str(tmp_path / "no-python"))
    assert not stage_anew(home, NOW)
