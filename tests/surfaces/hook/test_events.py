"""The way through the hook inside one process; test_running.py takes it as hosts do."""

import _thread
import io
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.surfaces.hook.indexed import make_indexed

from nightledger.domain.errors import NightledgerError
from nightledger.domain.staging.page import dump_page
from nightledger.files.home import Home
from nightledger.files.staged import StagedLine, write_staged
from nightledger.surfaces.hook import events, running, starting
from nightledger.surfaces.hook.events import answer_event, full_command

SENSOR = "which unit does the greenhouse sensor report for its thresholds?"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(starting, "stage_anew", lambda *_: True)
    return make_indexed(tmp_path / "home")


class Ended(BaseException):
    """Stands for the end of the process."""


def answer(home: Home, host: str, event: str, now: str = "", **sent: Any) -> bytes:
    return answer_event(home.root, host, event, json.dumps(sent).encode(), now_text=now)


def test_each_event_reaches_its_part(home: Home) -> None:
    assert b"Fahrenheit" in answer(home, "codex", "UserPromptSubmit", prompt=SENSOR)
    assert b"deny" in answer(home, "codex", "PreToolUse", tool_input={"file_path": home.memory_md})
    assert answer(home, "codex", "SessionStart") == b""
    assert answer(home, "codex", "Stop") == b""


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


def test_a_home_that_is_none_is_an_error_that_the_caller_swallows(tmp_path: Path) -> None:
    with pytest.raises(NightledgerError):
        answer_event(str(tmp_path), "codex", "UserPromptSubmit", b"{}")


def test_the_command_that_proposes_is_a_full_path(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = tmp_path / "my bin"
    binary.mkdir()
    monkeypatch.setattr(sys, "executable", str(binary / "python"))
    assert full_command(home, "propose") == (
        f"'{binary}/python' {os.path.join(events.SCRIPTS, 'command.py')} propose --home {home.root}"
    )
    (binary / "nightledger").write_text("#!/bin/sh\n")
    (binary / "nightledger").chmod(0o755)
    assert full_command(home, "propose") == f"'{binary}/nightledger' propose --home {home.root}"


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    codes: list[int] = []

    def end(code: int) -> None:
        codes.append(code)
        raise Ended

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(_thread, "start_new_thread", lambda *_: 0)
    monkeypatch.setattr(signal, "setitimer", lambda *_: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return codes


def test_a_machine_without_a_thread_to_spare_has_the_signal_left(
    home: Home, ended: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_thread, "start_new_thread", fail)
    monkeypatch.setattr("nightledger.surfaces.hook.payload.read_stdin", lambda: b"{}")
    with pytest.raises(Ended):
        running.main(["--home", home.root, "--now", "", "hermes", "pre_tool_call"])
    assert ended == [0]


def written(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    out = io.BytesIO()
    monkeypatch.setattr(os, "write", lambda _, content: out.write(bytes(content[:7])))
    return out


def test_the_answer_is_written_whole_and_the_process_ends(
    home: Home, ended: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = json.dumps({"tool_input": {"path": home.memory_md}}).encode()
    monkeypatch.setattr("nightledger.surfaces.hook.payload.read_stdin", lambda: sent)
    out = written(monkeypatch)
    with pytest.raises(Ended):
        running.main(["--home", home.root, "--now", "", "hermes", "pre_tool_call"])
    assert json.loads(out.getvalue())["action"] == "block"
    monkeypatch.setenv("NIGHTLEDGER_HOME", home.root)
    monkeypatch.setattr(sys, "argv", ["prompt_hook.py", "hermes", "pre_tool_call"])
    out = written(monkeypatch)
    with pytest.raises(Ended):
        running.main()
    assert out.getvalue()
    assert ended == [0, 0]


@pytest.mark.parametrize("words", [[], ["a"], ["a", "b", "c"], ["codex", "Stop"], ["emacs", "SessionStart"]])
def test_words_that_name_no_event_end_with_nothing(
    words: list[str], ended: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = written(monkeypatch)
    with pytest.raises(Ended):
        running.main(words)
    assert (out.getvalue(), ended) == (b"", [0])


def test_whatever_fails_ends_the_same_way(
    home: Home, ended: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(events, "answer_event", fail)
    monkeypatch.setattr("nightledger.surfaces.hook.payload.read_stdin", lambda: b"")
    with pytest.raises(Ended):
        running.main(["--home", home.root, "codex", "UserPromptSubmit"])
    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(Ended):
        running.end(b"answer")
    with pytest.raises(Ended):
        running._give_up(0, None)
    assert ended == [0, 0, 0]
