"""What a session is given at its start, in this process; test_running.py asks as hosts do."""

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
from tests.surfaces.hook.indexed import make_indexed

from nightledger.domain.exposure import dump_page
from nightledger.files.home import Home
from nightledger.files.staged import write_staged
from nightledger.surfaces.hook import running
from nightledger.surfaces.hook.running import SCRIPTS, answer_event, stage_anew, started

PLANTS = "Water the plants (from MEMORY.md:3; landmark)"
SENSOR = "which unit does the greenhouse sensor report for its thresholds?"
NOW = datetime(2026, 3, 1, 6, 0, 0, tzinfo=UTC)
UNTIL = "2126-03-02T00:00:00Z"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(running, "stage_anew", lambda *_: True)
    return make_indexed(tmp_path / "home")


def stage(home: Home, *lines: str, shown: tuple[str, ...] = ("e-" + "a" * 26,)) -> str:
    page = dump_page(lines, UNTIL)
    write_staged(home, page, [(shown, "", "") for _ in lines])
    return page


def count_stagings(monkeypatch: pytest.MonkeyPatch, *, succeeds: bool = True) -> list[Home]:
    ran: list[Home] = []

    def stager(home: Home, _: datetime) -> bool:
        ran.append(home)
        return succeeds

    monkeypatch.setattr(running, "stage_anew", stager)
    return ran


def records(home: Home) -> list[Any]:
    return [json.loads(line) for line in Path(home.exposures).read_text().splitlines()]


def test_the_staged_page_is_given_and_recorded(home: Home) -> None:
    page = stage(home, PLANTS)
    assert started(home, "codex", {"session_id": "s"}, NOW) == page
    told = {"shown": ["e-" + "a" * 26], "host": "codex", "event": "session_start", "session": "s"}
    assert records(home) == [{"v": 1, "at": "2026-03-01T06:00:00Z", "places": [], **told}]


def test_a_host_that_asks_at_each_message_is_staged_for_once_and_recorded_once(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = count_stagings(monkeypatch)
    first = stage(home, PLANTS, shown=("e-1",))
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
    stage(home, PLANTS)
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
    monkeypatch.setattr(running, "SCRIPTS", str(tmp_path))
    monkeypatch.setattr(running, "STAGING_LIMIT_S", 1.0)
    began = time.monotonic()
    assert not stage_anew(home, NOW)
    assert time.monotonic() - began < 20
    assert slow.with_suffix(".ran").exists()
    monkeypatch.setattr(running, "SCRIPTS", str(tmp_path / "missing"))
    assert not stage_anew(home, NOW)
    monkeypatch.setattr("sys.executable", str(tmp_path / "no-python"))
    assert not stage_anew(home, NOW)


# ---------------------------------------------------------------- through an event


def answer(home: Home, host: str, event: str, now: str = "", **sent: Any) -> bytes:
    return answer_event(home.root, host, event, json.dumps(sent).encode(), now_text=now)


def test_the_first_turn_of_hermes_gets_what_is_staged_too(home: Home) -> None:
    page = stage(home, PLANTS, shown=())
    first = {"user_message": SENSOR, "is_first_turn": True}
    text = json.loads(answer(home, "hermes", "pre_llm_call", session_id="h", extra=first))["context"]
    assert text.startswith(page)
    assert text.endswith("</reference-notes>")
    assert sorted(one["event"] for one in records(home)) == ["prompt", "session_start"]
    stage(home, *(f"line {n} " + "x" * 230 for n in range(60)), shown=())
    both = json.loads(answer(home, "hermes", "pre_llm_call", session_id="h2", extra=first))["context"]
    assert "line 30 " in both
    assert "line 59 " not in both
    assert both.endswith("</reference-notes>")
    for turn in (False, 1, "yes", None):
        extra = {"user_message": "hello", "is_first_turn": turn}
        assert answer(home, "hermes", "pre_llm_call", session_id="h", extra=extra) == b""


@pytest.mark.parametrize("platform", ["subagent", "cron"])
def test_where_hermes_shows_no_memory_nothing_is_shown(home: Home, platform: str) -> None:
    stage(home, PLANTS, shown=())
    sent = {"user_message": SENSOR, "is_first_turn": True, "platform": platform}
    assert answer(home, "hermes", "pre_llm_call", session_id="h", extra=sent) == b""
    assert not Path(home.exposures).exists()
    assert answer(home, "hermes", "pre_llm_call", session_id="h", extra={**sent, "platform": "cli"})


def test_a_page_is_as_long_as_openclaw_has_room_for(home: Home) -> None:
    page = stage(home, *(f"line {n} " + "x" * 230 for n in range(9)))
    size = len(page)
    for room, lines in ((100_000, 9), (size, 9), (size - 1, 8), (10, 0), (-1, 0), (True, 9), ("few", 9)):
        given = answer(home, "openclaw", "agent:bootstrap", session_id=f"s{room}", room=room)
        assert given.count(b"- line ") == lines


def test_the_time_may_be_given_in_a_simulated_home_only(tmp_path: Path) -> None:
    simulated = make_indexed(tmp_path / "simulated", simulated=True)
    answer(simulated, "codex", "UserPromptSubmit", now="2026-03-01T06:00:00Z", prompt=SENSOR)
    assert records(simulated)[0]["at"] == "2026-03-01T06:00:00Z"
    home = make_indexed(tmp_path / "home")
    answer(home, "codex", "UserPromptSubmit", now="1999-03-01T06:00:00Z", prompt=SENSOR)
    assert records(home)[0]["at"] > "2026"
