"""The way through the hook inside one process; test_running.py takes it as hosts do."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.hook.indexed import make_indexed

from nightledger.domain.staged_page import dump_page
from nightledger.files.home import Home
from nightledger.files.staged import StagedLine, write_staged
from nightledger.surfaces.hook import running as starting
from nightledger.surfaces.hook.running import answer_event

SENSOR = "which unit does the greenhouse sensor report for its thresholds?"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(starting, "stage_anew", lambda *_: True)
    return make_indexed(tmp_path / "home")


def answer(home: Home, host: str, event: str, now: str = "", **sent: Any) -> bytes:
    return answer_event(home.root, host, event, json.dumps(sent).encode(), now_text=now)


def test_the_first_turn_of_hermes_gets_what_is_staged_too(home: Home) -> None:
    page = dump_page(["Water the plants (from MEMORY.md:3; landmark)"], "2126-03-02T00:00:00Z")
    write_staged(home, page, [StagedLine((), "")])
    first = {"user_message": SENSOR, "is_first_turn": True}
    text = json.loads(answer(home, "hermes", "pre_llm_call", session_id="h", extra=first))["context"]
    assert text.startswith(page)
    assert text.endswith("</reference-notes>")
    recorded = [json.loads(line)["event"] for line in Path(home.exposures).read_text().splitlines()]
    assert sorted(recorded) == ["prompt", "session_start"]
    long = dump_page([f"line {n} " + "x" * 230 for n in range(60)], "2126-03-02T00:00:00Z")
    write_staged(home, long, [StagedLine((), "") for _ in range(60)])
    both = json.loads(answer(home, "hermes", "pre_llm_call", session_id="h2", extra=first))["context"]
    assert "line 30 " in both
    assert "line 59 " not in both
    assert both.endswith("</reference-notes>")
    for turn in (False, 1, "yes", None):
        extra = {"user_message": "hello", "is_first_turn": turn}
        assert answer(home, "hermes", "pre_llm_call", session_id="h", extra=extra) == b""


@pytest.mark.parametrize("platform", ["subagent", "cron"])
def test_where_hermes_shows_no_memory_nothing_is_shown(home: Home, platform: str) -> None:
    page = dump_page(["Water the plants (from MEMORY.md:3; landmark)"], "2126-03-02T00:00:00Z")
    write_staged(home, page, [StagedLine((), "")])
    sent = {"user_message": SENSOR, "is_first_turn": True, "platform": platform}
    assert answer(home, "hermes", "pre_llm_call", session_id="h", extra=sent) == b""
    assert not Path(home.exposures).exists()
    assert answer(home, "hermes", "pre_llm_call", session_id="h", extra={**sent, "platform": "cli"})


def test_a_page_is_as_long_as_openclaw_has_room_for(home: Home) -> None:
    page = dump_page([f"line {n} " + "x" * 230 for n in range(9)], "2126-03-02T00:00:00Z")
    write_staged(home, page, [StagedLine((f"e-{n}",), "") for n in range(9)])
    for room, lines in (
        (100_000, 9),
        (len(page), 9),
        (len(page) - 1, 8),
        (10, 0),
        (-1, 0),
        (True, 9),
        ("few", 9),
    ):
        given = answer(home, "openclaw", "agent:bootstrap", session_id=f"s{room}", room=room)
        assert given.count(b"- line ") == lines


def test_the_time_may_be_given_in_a_simulated_home_only(tmp_path: Path) -> None:
    simulated = make_indexed(tmp_path / "simulated", simulated=True)
    answer(simulated, "codex", "UserPromptSubmit", now="2026-03-01T06:00:00Z", prompt=SENSOR)
    assert json.loads(Path(simulated.exposures).read_text())["at"] == "2026-03-01T06:00:00Z"
    home = make_indexed(tmp_path / "home")
    answer(home, "codex", "UserPromptSubmit", now="1999-03-01T06:00:00Z", prompt=SENSOR)
    assert json.loads(Path(home.exposures).read_text())["at"] > "2026"
