import importlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from tests.rows import from_corpus

from nightledger.domain.errors import IntegrityError, LockedError, RefusedError
from nightledger.surfaces import cli
from nightledger.surfaces.cli import FIRST_SCREEN

Out = pytest.CaptureFixture[str]


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Make every verb fail in a chosen way."""

    def arm(error: BaseException) -> None:
        def run(*_: object) -> NoReturn:
            raise error

        module = importlib.import_module("nightledger.surfaces.verbs.proposals")
        monkeypatch.setattr(module, "run", run)

    return arm


@pytest.mark.parametrize("words", [[], ["help"], ["--help"], ["-h"]])
def test_the_first_screen_shows_few_verbs(words: list[str], capsys: Out) -> None:
    assert cli.main(words) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if line.startswith("  ")] == list(FIRST_SCREEN)
    assert len(FIRST_SCREEN) == 7


def test_a_verb_that_is_not_there(capsys: Out) -> None:
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
        (
            KeyboardInterrupt(),
            1,
            "error: interrupted\nhint: what was acknowledged is kept; run it again\n",
        ),
        (EOFError(), 1, "error: interrupted\nhint: what was acknowledged is kept; run it again\n"),
        (
            ModuleNotFoundError("x", name="msgspec.json"),
            2,
            "error: the package 'msgspec' is not installed\nhint: make setup\n",
        ),
        (
            OSError(28, "No space left on device", "/x"),
            1,
            "error: /x: No space left on device\nhint: the disk is full; free some room",
        ),
        (
            OSError("odd"),
            1,
            "error: odd\nhint: nothing acknowledged was lost; mend the cause and run it again\n",
        ),
        (PermissionError(13, "Permission denied"), 1, "error: Permission denied\nhint: this user may not"),
    ],
)
def test_every_expected_failure_says_what_and_the_next_step(
    failing: Callable[[BaseException], None], capsys: Out, error: BaseException, status: int, said: str
) -> None:
    failing(error)
    assert cli.main(["proposals"]) == status
    assert capsys.readouterr().err.startswith(said)


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("oops"), ModuleNotFoundError("x", name="nightledger.nowhere")]
)
def test_anything_else_is_a_bug_whose_details_are_in_a_file(
    failing: Callable[[BaseException], None],
    capsys: Out,
    error: BaseException,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    failing(error)
    assert cli.main(["proposals"]) == 70
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert said.startswith("error: this is a bug in 'nightledger proposals'")
    (report,) = tmp_path.glob("nightledger-bug-*.log")
    assert str(report) in said
    assert "Traceback" in report.read_text()
    assert report.stat().st_mode & 0o777 == 0o600


def test_a_terminal_that_is_not_utf8_gets_escapes_and_no_traceback(tmp_path: Path) -> None:
    program = "import sys; from nightledger.surfaces.cli import main; sys.exit(main(sys.argv[1:]))"
    ran = subprocess.run(
        [sys.executable, "-c", program, "proposals", "p-\u6f22", "--home", str(tmp_path / "\u6f22")],
        env={"PYTHONPATH": "scripts", "PYTHONIOENCODING": "ascii", "HOME": str(tmp_path), "PYTHONUTF8": "1"},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 2
    assert b"\\u6f22 does not exist" in ran.stderr


def test_words_with_a_dash_that_are_no_option_are_told_where_to_stand(capsys: Out) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["recall", "-lilac"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "unrecognized arguments: -lilac" in said
    assert "hint: what begins with a dash and is no option stands last, behind --" in said


@from_corpus("surfaces-cli", tuples=True)
def test_options_may_stand_between_words(words: tuple[str, ...], capsys: Out, tmp_path: Path) -> None:
    assert cli.main([*words, "--home", str(tmp_path / "none")]) == 2
    assert "unrecognized" not in capsys.readouterr().err


@from_corpus("surfaces-cli")
def test_what_is_a_part_of_a_verb_answers_by_both_names(typed: str, meant: str) -> None:
    verb, *words = typed.split()
    found, rest = cli.spelled_out(verb, words)
    assert [found, *rest] == meant.split()
