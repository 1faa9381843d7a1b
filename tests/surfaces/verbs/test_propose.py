import io
import sys

import pytest
from tests.gate.homes import MEMORY
from tests.rows import from_corpus
from tests.surfaces.console import Console

from nightledger.surfaces import cli

BASE = ("propose", "--reason", "it failed twice")


@from_corpus("surfaces-verbs-propose", tuples=True)
def test_a_wrong_call_says_what_to_do(console: Console, words: tuple[str, ...], said: str) -> None:
    ran = console.run(*BASE, *words)
    assert ran.status == 2
    assert said in ran.err
    assert "hint: " in ran.err


@pytest.mark.parametrize(
    ("raw", "said"),
    [(b"caf\xe9", "not UTF-8"), (b"x" * ((1 << 20) + 1), "hint: say it shorter"), (b"\0" * 10, "")],
)
def test_whatever_comes_on_standard_input_is_no_bug(
    console: Console,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    raw: bytes,
    said: str,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    argv = [*BASE, "--stdin", "--home", console.desk.home.root, "--now", "2026-03-01T06:00:00Z"]
    assert cli.main(argv) in (0, 1, 2)
    assert said in capsys.readouterr().err
    assert console.desk.text() == MEMORY
