import io
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.domain.errors import ConfigurationError, UsageError
from nightledger.surfaces import clock
from nightledger.surfaces.context import CHECKOUT, Context

Out = pytest.CaptureFixture[str]


def context(
    home: str | None = None, now: str | None = None, *, verb: str = "log", as_json: bool = False
) -> Context:
    return Context(verb=verb, home=home, now_text=now, json=as_json)


def test_the_home_is_the_named_one_else_the_environments_else_the_nearest_upward(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NIGHTLEDGER_HOME", str(tmp_path / "b"))
    monkeypatch.chdir(tmp_path)
    assert context("a").home_path == str(tmp_path / "a")
    assert context().home_path == str(tmp_path / "b")
    monkeypatch.delenv("NIGHTLEDGER_HOME")
    with pytest.raises(ConfigurationError, match="no home is named"):
        _ = context().home_path
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "x" / "inner"
    for home in (outer, inner):
        (home / "config/nightledger").mkdir(parents=True)
        (home / "config/nightledger/home.json").touch()
    (inner / "memory").mkdir()
    monkeypatch.chdir(inner / "memory")
    assert context().home_path == str(inner)
    monkeypatch.chdir(inner.parent)
    assert context().home_path == str(outer)
    assert os.path.isdir(os.path.join(CHECKOUT, "scripts"))


def test_a_home_of_another_user_is_not_found_upward_but_by_root(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("NIGHTLEDGER_HOME", raising=False)
    (tmp_path / "config/nightledger").mkdir(parents=True)
    (tmp_path / "config/nightledger/home.json").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(tmp_path).st_uid + 1)
    assert context().home == ""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert context().home == str(tmp_path)


def test_a_given_time_works_in_a_simulated_home_only(tmp_path: Path) -> None:
    make_home(tmp_path / "simulated")
    make_home(tmp_path / "ordinary", simulated=False)
    made = context(str(tmp_path / "simulated"), "2026-03-01T07:30:00.5+01:00")
    assert made.now == datetime(2026, 3, 1, 6, 30, tzinfo=UTC)
    assert (made.moment.boot, made.moment.boot_s) == ("", 0)
    for name in ("ordinary", "missing"):
        with pytest.raises(UsageError, match="--now works only in a simulated home"):
            _ = context(str(tmp_path / name), "2026-03-01T07:30:00Z").now
    assert context(str(tmp_path / "missing"), "2026-03-01T07:30:00Z", verb="init").now.day == 1


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01T00:00:00Z", ""])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a time"):
        clock.parse_now(text)


@pytest.mark.parametrize(
    "text",
    [
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "9999-12-15T00:00:00Z",
        "1970-12-31T23:59:59Z",
        "3000-01-01T00:00:00Z",
        "2999-12-31T23:59:59-23:59",
    ],
)
def test_a_time_from_which_days_cannot_be_counted_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is too far away"):
        clock.parse_now(text)


def test_people_read_lines_and_programs_one_document(capsys: Out) -> None:
    made = context()
    made.print("a line")
    made.emit({"b": 1, "a": "\u00e9"})
    made.note("beside")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("a line\n", "beside\n")
    made = context(as_json=True)
    made.print("a line")
    made.emit({"b": 1, "a": "\u00e9"})
    out = capsys.readouterr().out
    assert "\u00e9" in out
    assert json.loads(out) == {"a": "\u00e9", "b": 1}


def test_a_document_holds_nothing_that_a_terminal_acts_on(capsys: Out) -> None:
    text = "\x1b\x7f\x9b2J\u202e\u2028\u200f\u2066\udce9 \u6f22"
    context(as_json=True).emit([text])
    out = capsys.readouterr().out
    assert all(ord(character) >= 32 or character == "\n" for character in out)
    assert not set("\x7f\x9b\u202e\u2028\u200f\u2066\udce9") & set(out)
    assert "\u6f22" in out
    assert json.loads(out) == [text]


def test_a_person_is_there_when_both_streams_are_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:  # type: ignore[explicit-override]  # typing.override is newer than 3.11
            return True

    assert not context().interactive()
    assert context().quiet
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert not context().interactive()
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert context().interactive()
    assert not context().quiet
