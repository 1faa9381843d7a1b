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
