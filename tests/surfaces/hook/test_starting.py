import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.homes import make_home, write_state

from nightledger.domain.staging.page import dump_page, parse_page
from nightledger.files.home import Home
from nightledger.files.hook_state import KEPT_S, PromptState, read_state
from nightledger.files.staged import StagedLine, write_staged
from nightledger.surfaces.hook import starting
from nightledger.surfaces.hook.events import SCRIPTS
from nightledger.surfaces.hook.exchange import MAX_CONTEXT_BYTES, give_context
from nightledger.surfaces.hook.starting import stage_anew, started

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


def test_the_stager_runs_first_unless_the_host_does_not_wait(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = count_stagings(monkeypatch)
    page = stage(home, "Water the plants (from MEMORY.md:3; landmark)")
    assert started(home, "hermes", {}, NOW, anew=False) == page
    assert ran == []
    assert started(home, "hermes", {}, NOW) == page
    assert ran == [home]


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


def test_nothing_staged_is_nothing_shown(home: Home) -> None:
    stage(home)
    assert started(home, "codex", {}, NOW) == ""
    assert not os.path.exists(home.exposures)


def test_of_a_page_beyond_what_a_host_takes_whole_the_first_lines_are_given(home: Home) -> None:
    lines = [f"line {n} " + "x" * 230 for n in range(60)]
    page = dump_page(lines, UNTIL)
    write_staged(home, page, [StagedLine([f"e-{n}"], "") for n in range(60)])
    text = started(home, "codex", {}, NOW)
    assert MAX_CONTEXT_BYTES - 300 < len(text) <= MAX_CONTEXT_BYTES
    found = parse_page(text)
    assert found is not None
    told = len(found.lines)
    assert list(found.lines) == lines[:told]
    (record,) = records(home)
    assert record["shown"] == sorted(f"e-{n}" for n in range(told))
    assert started(home, "codex", {}, NOW, most=200) == ""
    assert give_context("claude_code", "SessionStart", "x" * MAX_CONTEXT_BYTES)
    assert give_context("claude_code", "SessionStart", "x" * (MAX_CONTEXT_BYTES + 1)) == b""
    assert give_context("codex", "SessionStart", "\u6e29" * (MAX_CONTEXT_BYTES // 3 + 1)) == b""
    assert give_context("codex", "SessionStart", "\udcff")


def test_the_ledger_says_which_lines_were_shown(home: Home) -> None:
    Path(home.handoff).parent.mkdir(parents=True, exist_ok=True)
    handoff = home.relative(home.handoff)
    Path(home.handoff).write_text("- call the plumber\n")
    page = dump_page(["Call the plumber (from x; y)", "A fair (from calendar work; soon)", "Odd"], UNTIL)
    write_staged(
        home,
        page,
        [
            StagedLine((), handoff, f"{handoff}:3-4"),
            StagedLine((), "", "calendar work"),
            StagedLine((), "a.md", "a.md:x"),
        ],
    )
    started(home, "codex", {"session_id": "s"}, NOW)
    assert records(home)[0]["places"] == [{"path": handoff, "lines": [3, 4]}]
    Path(home.handoff).write_text("- call the plumber again\n")
    started(home, "codex", {"session_id": "s"}, NOW)
    assert records(home)[1]["places"] == []


def test_what_a_start_showed_is_in_the_ring_of_its_session(home: Home) -> None:
    page = dump_page(["Call the plumber (from memory/a.md:7; open)"], UNTIL)
    write_staged(home, page, [StagedLine(("e-1",), "memory/a.md", "memory/a.md:7")])
    started(home, "codex", {"session_id": "s"}, NOW)
    state = read_state(home, "s")
    assert state.was_shown() == {"e-1", "memory/a.md:7"}
    assert state.prompts == ()

    Path(home.work_dir, "prompts", "s.json").unlink()
    Path(home.work_dir, "prompts").rmdir()
    Path(home.work_dir, "prompts").write_text("")
    assert started(home, "codex", {"session_id": "s"}, NOW) == page


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


def test_a_start_drops_what_old_sessions_left(home: Home) -> None:
    for session in ("old", "new"):
        write_state(home, session, PromptState(("word",), ()))
    old = Path(home.work_dir, "prompts", "old.json")
    long_ago = NOW.timestamp() - KEPT_S - 1
    os.utime(old, (long_ago, long_ago))
    os.utime(old.with_name("new.json"), (NOW.timestamp(), NOW.timestamp()))
    started(home, "codex", {}, NOW)
    assert read_state(home, "old").prompts == ()
    assert read_state(home, "new").prompts == ("word",)
    old.parent.rename(old.parent.with_name("gone"))
    old.parent.write_text("")
    assert started(home, "codex", {}, NOW) == ""


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
