import importlib
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import pytest
from tests.homes import make_home
from tests.rows import from_corpus
from tests.starting import SCRIPTS

from nightledger.domain.errors import IntegrityError, LockedError, RefusedError, UsageError
from nightledger.surfaces import cli
from nightledger.surfaces.context import Context, this_machine

Out = pytest.CaptureFixture[str]
INTERRUPTED = "error: interrupted\nhint: what was acknowledged is kept; run it again\n"


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    """Run a verb that fails in a chosen way."""

    def run(*_: object) -> NoReturn:
        raise error

    module = importlib.import_module("nightledger.surfaces.verbs.proposals")
    monkeypatch.setattr(module, "run", run)
    return cli.main(["proposals"])


@pytest.mark.parametrize("words", [[], ["help"], ["--help"], ["-h"]])
def test_the_first_screen_shows_few_verbs(words: list[str], capsys: Out) -> None:
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if line.startswith("  ")] == list(cli.FIRST_SCREEN)
    assert len(cli.FIRST_SCREEN) == 7


def test_streams_that_are_closed_are_read_as_empty_and_written_to_nowhere(tmp_path: Path) -> None:
    home = make_home(tmp_path / "home", machine=this_machine()).root
    called = f"'{sys.executable}' '{SCRIPTS}/command.py' log --stdin --home '{home}'"
    for closed in ("<&-", ">&- 2>&-", "<&- >&- 2>&-"):
        ran = subprocess.run(["/bin/sh", "-c", f"{called} {closed}"], stdin=subprocess.DEVNULL, check=False)
        assert ran.returncode == 0, closed


def test_every_verb_of_the_list_has_a_function_and_a_help_and_no_other_is_there(capsys: Out) -> None:
    for verb in (verb for rows in cli.verbs().values() for verb in rows):
        _, about = cli.find_verb(verb)
        assert "\nReads   " in about or verb == "log", verb
    listed = {verb for rows in cli.verbs().values() for verb in rows} | {"hook"}
    assert {one.stem for one in Path(cli.__file__).with_name("verbs").glob("[!_]*.py")} <= listed
    assert cli.main(["reviw"]) == 2
    assert capsys.readouterr().err == (
        "error: there is no verb 'reviw'\nhint: did you mean 'nightledger review'?\n"
    )
    assert cli.main(["xyzzy"]) == 2
    assert "help --all lists every verb" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (RefusedError("no", hint="do this"), 1, "error: no\nhint: do this\n"),
        (RefusedError("no"), 1, "error: no\n"),
        (IntegrityError("bad"), 4, "error: bad\nhint: run 'nightledger verify' to see the first bad place\n"),
        (LockedError("held"), 75, "error: held\nhint: another run is at work; try again in a moment\n"),
        (RefusedError("a\n  b\x1b[2J"), 1, "error: a\n  b\\u{1b}[2J\n"),
        (KeyboardInterrupt(), 1, INTERRUPTED),
        (EOFError(), 1, INTERRUPTED),
        (ModuleNotFoundError("x", name="msgspec.json"), 2,
         "error: the package 'msgspec' is not installed\nhint: make setup\n"),
        (OSError(28, "No space left on device", "/x"), 1,
         "error: /x: No space left on device\nhint: the disk is full; free some room"),
        (OSError("odd"), 1, "error: odd\nhint: nothing acknowledged was lost; mend the cause and run it again\n"),
        (PermissionError(13, "Permission denied"), 1, "error: Permission denied\nhint: this user may not"),
    ],
)  # fmt: skip
def test_every_expected_failure_says_what_and_the_next_step(
    monkeypatch: pytest.MonkeyPatch, capsys: Out, error: BaseException, status: int, said: str
) -> None:
    assert failing(monkeypatch, error) == status
    assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("oops"), ModuleNotFoundError("x", name="nightledger.nowhere")]
)
def test_anything_else_is_a_bug_whose_details_are_in_a_file(
    capsys: Out, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert failing(monkeypatch, error) == 70
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert said.startswith("error: this is a bug in 'nightledger proposals'")
    (report,) = tmp_path.glob("nightledger-bug-*.log")
    assert str(report) in said
    assert "Traceback" in report.read_text()
    assert report.stat().st_mode & 0o777 == 0o600


def test_a_terminal_that_is_not_utf8_gets_escapes_and_no_traceback(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, SCRIPTS / "command.py", "proposals", "p-\u6f22", "--home", str(tmp_path / "\u6f22")],
        env={"PYTHONIOENCODING": "ascii", "HOME": str(tmp_path), "PYTHONUTF8": "1"},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 2
    assert b"\\u6f22 does not exist" in ran.stderr


@from_corpus("surfaces-cli", tuples=True)
def test_options_may_stand_between_words(words: tuple[str, ...], capsys: Out, tmp_path: Path) -> None:
    assert cli.main([*words, "--home", str(tmp_path / "none")]) == 2
    assert "unrecognized" not in capsys.readouterr().err


@from_corpus("surfaces-cli")
def test_what_is_a_part_of_a_verb_answers_by_both_names(typed: str, meant: str) -> None:
    verb, *words = typed.split()
    found, rest = cli.spelled_out(verb, words)
    assert [found, *rest] == meant.split()


def test_a_given_time_works_in_a_simulated_home_only(tmp_path: Path) -> None:
    def context(name: str, verb: str = "log", now: str = "2026-03-01T07:30:00.5+01:00") -> Context:
        return Context(verb=verb, home=str(tmp_path / name), now_text=now, json=False)

    make_home(tmp_path / "simulated")
    make_home(tmp_path / "ordinary", simulated=False)
    made = context("simulated")
    assert made.now == datetime(2026, 3, 1, 6, 30, tzinfo=UTC)
    assert (made.moment.boot, made.moment.boot_s) == ("", 0)
    for name in ("ordinary", "missing"):
        with pytest.raises(UsageError, match="--now works only in a simulated home"):
            _ = context(name).now
    assert context("missing", verb="init").now.day == 1


def test_a_document_holds_nothing_that_a_terminal_acts_on(capsys: Out) -> None:
    text = "\x1b\x7f\x9b2J\u202e\u2028\u200f\u2066\udce9 \u6f22"
    Context(verb="log", home=None, now_text=None, json=True).emit([text])
    out = capsys.readouterr().out
    assert all(ord(character) >= 32 or character == "\n" for character in out)
    assert not set("\x7f\x9b\u202e\u2028\u200f\u2066\udce9") & set(out)
    assert "\u6f22" in out
    assert json.loads(out) == [text]
