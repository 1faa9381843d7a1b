"""Calls that say too little, too much, or what nobody can mean: refused with what to write, and nothing is stored."""

import io
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, addition, make_desk
from tests.rows import from_corpus
from tests.surfaces.console import Console

from nightledger.surfaces import cli


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Console:
    """A home whose log has five entries, and which no call here changes."""
    console = Console(desk=make_desk(tmp_path_factory.mktemp("lived")))
    console.desk.applied(addition("One."))
    return console


@from_corpus("surfaces-wrong-calls")
def test_what_is_called_wrongly_is_refused_with_what_to_write(
    lived: Console, words: Sequence[str], status: int, said: str
) -> None:
    before = lived.desk.events(), lived.desk.text()
    told = lived.refused(*words, status=status)
    assert said in told
    assert "hint: " in told or words[0] == "witness"
    assert (lived.desk.events(), lived.desk.text()) == before
    assert not Path(lived.home.outcomes).exists()


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
    words = ("propose", "--reason", "it failed twice", "--stdin", "--home", console.home.root)
    assert cli.main([*words, "--now", "2026-03-01T06:00:00Z"]) in (0, 1, 2)
    assert said in capsys.readouterr().err
    assert console.desk.text() == MEMORY
