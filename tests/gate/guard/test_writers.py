import os
from pathlib import Path

import pytest
from tests.gate.homes import Desk

from nightledger.domain.drift import Writer
from nightledger.gate.guard import writers
from nightledger.gate.guard.writers import Guess, Scene, guess_writer

COMMIT = "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0"


def guess(desk: Desk, added: str = "- Boat.\n", **roots: str) -> Guess:
    return guess_writer(desk.home, "MEMORY.md", desk.memory.read_bytes(), added, Scene(roots=roots))


def test_without_a_trace_it_is_unknown(desk: Desk) -> None:
    assert guess(desk) == Guess()
    assert "unknown" in guess(desk).sentence


def test_marks_of_a_tool_are_the_strongest_trace(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "find_commit", lambda *_: COMMIT)
    found = guess(desk, "## Promoted From Short-Term Memory (2026-03-01)\n")
    assert (found.writer, found.commit) == (Writer.DREAMING, COMMIT)
    assert guess(desk, "## Nightly memory extraction\n").writer is Writer.EXTRACTION


def test_a_commit_that_holds_the_bytes_says_git(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "find_commit", lambda *_: COMMIT)
    found = guess(desk)
    assert (found.writer, found.commit) == (Writer.GIT, COMMIT)
    assert "b6fc4c620b67" in found.sentence


def test_a_session_at_work_when_the_file_was_written_says_an_agent(desk: Desk, tmp_path: Path) -> None:
    session = tmp_path / "claude" / "projects" / "garden" / "one.jsonl"
    session.parent.mkdir(parents=True)
    session.write_text("{}")
    os.utime(session, ns=(desk.memory.stat().st_mtime_ns,) * 2)
    found = guess(desk, claude_code=str(tmp_path / "claude"))
    assert found.writer is Writer.SESSION
    assert "claude_code" in found.sentence


def test_another_owner_says_another_user(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.stat

    def other(path: str) -> os.stat_result:
        status = list(real(path))
        status[4] = 4242 if str(path).endswith("MEMORY.md") else 7
        return os.stat_result(status)

    monkeypatch.setattr(os, "stat", other)
    found = guess(desk)
    assert found.writer is Writer.USER
    assert "user 4242" in found.sentence


def test_of_a_file_that_is_gone_nobody_is_known(desk: Desk) -> None:
    desk.memory.unlink()
    found = guess_writer(desk.home, "MEMORY.md", b"", "", Scene())
    assert (found.writer, "gone" in found.sentence) == (Writer.UNKNOWN, True)
