import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nightledger.demo.shell import Shell

NOW = datetime(2026, 3, 1, 7, 30, tzinfo=UTC)


def test_a_failing_command_gives_its_status_and_its_words(tmp_path: Path) -> None:
    shell = Shell(home=tmp_path / "home", keys=tmp_path / "keys")
    ran = shell.run("no-such-verb", now=NOW)
    assert ran.status == 2
    assert "error: there is no verb 'no-such-verb'" in ran.err
    assert ran.out == ""


def test_a_wrong_option_is_a_status_and_not_an_exit(tmp_path: Path) -> None:
    assert Shell(home=tmp_path, keys=tmp_path).run("init", "--no-such-option", now=NOW).status == 2


def test_streams_and_environment_are_put_back(tmp_path: Path) -> None:
    before = sys.stdin, sys.stdout, sys.stderr, os.environ.get("NIGHTLEDGER_KEYS")
    Shell(home=tmp_path, keys=tmp_path).run("no-such-verb", now=NOW, stdin="x")
    assert (sys.stdin, sys.stdout, sys.stderr, os.environ.get("NIGHTLEDGER_KEYS")) == before


def test_another_home_keeps_the_keys(tmp_path: Path) -> None:
    shell = Shell(home=tmp_path / "a", keys=tmp_path / "k")
    assert shell.on(tmp_path / "b") == Shell(home=tmp_path / "b", keys=tmp_path / "k")


def test_what_a_person_types_is_echoed_as_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(_: list[str]) -> int:
        return 0 if (sys.stdin.isatty(), sys.stdout.isatty(), input("sure? ")) == (True, True, "y") else 1

    monkeypatch.setattr("nightledger.surfaces.cli.main", ask)
    ran = Shell(home=tmp_path, keys=tmp_path).run("review", now=NOW, typed=["y"])
    assert (ran.status, ran.out) == (0, "sure? y\n")


def test_a_person_who_types_no_more_ends_the_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(_: list[str]) -> int:
        with pytest.raises(EOFError):
            input("and now? ")
        return 0

    monkeypatch.setattr("nightledger.surfaces.cli.main", ask)
    assert Shell(home=tmp_path, keys=tmp_path).run("review", now=NOW, typed=[]).status == 0


def test_all_that_was_printed_is_kept(tmp_path: Path) -> None:
    shell = Shell(home=tmp_path, keys=tmp_path)
    shell.on(tmp_path / "b").run("no-such-verb", now=NOW)
    assert "no-such-verb" in "".join(shell.heard)
