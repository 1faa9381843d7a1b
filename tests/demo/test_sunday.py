"""A Sunday on a small home; the walk of all days has one, too."""

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from nightledger.demo import sunday
from nightledger.demo.narrator import Narrator
from nightledger.demo.shell import Ran, Shell
from nightledger.demo.stage import keys_beside

MORNING = datetime(2026, 3, 1, 7, 30, tzinfo=UTC)
FORENOON = MORNING + timedelta(hours=3)
LOG = "# Notes\n\n" + "- Looked at the lamp in the long corridor again, it was on as on every day\n" * 40


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(home=tmp_path / "home", keys=keys_beside(tmp_path / "home"))
    (made.home / "memory").mkdir(parents=True)
    begin = made.run("init", "--adopt", "--simulated", "--no-passphrase", now=MORNING - timedelta(days=3))
    assert begin.status == 0
    return made


def write_log(shell: Shell) -> Path:
    log = shell.home / "memory" / "2026-01-05.md"
    log.write_text(LOG)
    assert shell.run("prune", now=MORNING - timedelta(hours=4)).status == 0
    return log


def test_what_is_let_go_is_signed_applied_and_taken_back(shell: Shell) -> None:
    log, told = write_log(shell), io.StringIO()
    assert sunday.tell(shell, Narrator(told), MORNING, FORENOON)
    assert log.read_text() == LOG
    assert "2026-03-01, a Sunday: what is old is proposed to go" in told.getvalue()
    assert "memory/2026-01-05.md has" in told.getvalue()
    assert "instead of 42; its full text is in memory/archive/daily." in " ".join(told.getvalue().split())


def test_a_sunday_on_which_nothing_is_old_is_not_told(shell: Shell) -> None:
    told = io.StringIO()
    assert not sunday.tell(shell, Narrator(told), MORNING, FORENOON)
    assert told.getvalue() == ""


def test_a_step_that_fails_ends_the_walk(shell: Shell) -> None:
    write_log(shell)
    with pytest.raises(sunday.SundayError, match="cooling"):
        sunday.tell(shell, Narrator(io.StringIO()), MORNING, MORNING)


def test_bytes_that_are_not_what_they_were_end_the_walk(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, run = write_log(shell), Shell.run

    def spoiled(self: Shell, *words: str, now: datetime) -> Ran:
        ran = run(self, *words, now=now)
        if words[0] == "undo":
            log.write_text(LOG + "?")
        return ran

    monkeypatch.setattr(Shell, "run", spoiled)
    with pytest.raises(sunday.SundayError, match=r"2026-01-05\.md is not what it was"):
        sunday.tell(shell, Narrator(io.StringIO()), MORNING, FORENOON)
