import io
import sys

import pytest
from tests.gate.homes import MEMORY
from tests.surfaces.console import Console

from nightledger.surfaces import cli

BASE = ("propose", "--reason", "it failed twice")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--remove",), "--remove needs --entry"),
        (("--text", " \n"), "the entry is empty"),
        (("--text", "x", "--source", "a.md"), "is not PATH:LINE"),
        (("--text", "x", "--source", ":3"), "is not PATH:LINE"),
        (("--text", "x", "--source", "a.md:\u00b2"), "is not PATH:LINE"),
        (("--text", "x", "--source", "MEMORY.md:999"), "MEMORY.md has no line 999"),
        (("--text", "x", "--source", "MEMORY.md:0"), "MEMORY.md has no line 0"),
        (("--text", "x", "--source", f"MEMORY.md:{'9' * 5000}"), "MEMORY.md has no line 1"),
    ],
)
def test_a_wrong_call_says_what_to_do(console: Console, words: tuple[str, ...], said: str) -> None:
    ran = console.run(*BASE, *words)
    assert ran.status == 2
    assert said in ran.err
    assert "hint: " in ran.err


@pytest.mark.parametrize(
    ("raw", "said"),
    [(b"caf\xe9", "not UTF-8"), (b"x" * ((1 << 20) + 1), "more than 1048576 bytes"), (b"\0" * 10, "")],
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
