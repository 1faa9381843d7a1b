import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.domain.errors import UsageError
from nightledger.surfaces.context import Context

Out = pytest.CaptureFixture[str]


def context(
    home: str | None = None, now: str | None = None, *, verb: str = "log", as_json: bool = False
) -> Context:
    return Context(verb=verb, home=home, now_text=now, json=as_json)


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


def test_a_document_holds_nothing_that_a_terminal_acts_on(capsys: Out) -> None:
    text = "\x1b\x7f\x9b2J\u202e\u2028\u200f\u2066\udce9 \u6f22"
    context(as_json=True).emit([text])
    out = capsys.readouterr().out
    assert all(ord(character) >= 32 or character == "\n" for character in out)
    assert not set("\x7f\x9b\u202e\u2028\u200f\u2066\udce9") & set(out)
    assert "\u6f22" in out
    assert json.loads(out) == [text]
