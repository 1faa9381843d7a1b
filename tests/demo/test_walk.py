"""The demo as a user runs it; twenty seeds with two nights and all days mined, one with all sixty."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nightledger.demo import command, tampering
from nightledger.demo.command import contents
from nightledger.demo.compare import read_proposed
from nightledger.demo.generate import generate
from nightledger.demo.narrator import WIDTH, Narrator
from nightledger.demo.sample import Expect, SampleHome
from nightledger.demo.score import make_score
from nightledger.demo.shell import Ran, Shell
from nightledger.demo.stage import keys_beside
from nightledger.domain.errors import EXIT_ALARM

SEEDS = range(20)
SUNDAY = ("a Sunday: what is old", "It is byte for byte what it was", "is back and looks")
NOW = datetime(2026, 3, 2, 20, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user whose own folders would show if the demo touched them."""
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv("HOME", str(own))
    monkeypatch.delenv("NIGHTLEDGER_KEYS", raising=False)
    monkeypatch.delenv("NIGHTLEDGER_HOME", raising=False)
    return own


def walk(seed: int, home: Path, *words: str) -> int:
    return command.main(["--seed", str(seed), "--home", str(home), *words])


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS[1:])])
def test_any_seed_walks_to_the_end_and_no_attack_gets_through(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "demo-home"
    assert walk(seed, home, "--nights", "2") == 0
    told = capsys.readouterr().out
    assert told.count(f"exit status {EXIT_ALARM}") == 3
    short = told.replace(str(tmp_path), "")  # a path cannot be folded, and this one is long
    assert max(map(len, short.splitlines())) <= WIDTH
    assert "\x1b" not in told
    assert "too early is refused" in told
    assert_safe_when_all_days_are_mined(generate(seed), Shell(home=home, keys=keys_beside(home)), told)


def assert_safe_when_all_days_are_mined(sample: SampleHome, shell: Shell, told: str) -> None:
    """Most attacks lie before the last nights; mining all days must let none of them through either."""
    mined = shell.run("consolidate", "--since", sample.first_day.isoformat(), now=NOW)
    assert mined.status == 0
    changes = read_proposed(json.loads(shell.run("proposals", "--json", "--all", now=NOW).out))
    shell.heard.append(told)
    score = make_score(sample.planted, changes, contents(shell))
    assert {verdict.planted.expect for verdict in score.verdicts} >= {Expect.HOLD}
    assert score.leaked
    assert score.safe


@pytest.mark.parametrize("nights", [9, pytest.param(60, marks=pytest.mark.slow)])
def test_nights_end_in_a_home_that_verifies(
    nights: int, tmp_path: Path, stranger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "demo-home"
    assert walk(7, home, "--nights", str(nights)) == 0
    told = capsys.readouterr().out
    for heading in (
        *(SUNDAY if nights == 60 else ()),
        "too early is refused",
        "can be taken back",
        "Planted and found",
    ):
        assert heading in told
    shell = Shell(home=home, keys=keys_beside(home))
    verified = shell.run("verify", "--json", now=NOW)
    assert (verified.status, json.loads(verified.out)["ok"]) == (0, True)
    assert list(stranger.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"own", "demo-home", "demo-home.keys"}


def test_a_step_that_fails_ends_the_walk_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("nightledger.surfaces.cli.main", lambda _: 1)
    assert walk(1, tmp_path / "demo-home") == 1
    assert "error: 'nightledger init" in capsys.readouterr().err


def test_a_folder_of_somebody_else_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.md").write_text("mine")
    assert walk(1, tmp_path) == 1
    assert "hint: name another place with DEMO_HOME=dir" in capsys.readouterr().err


class Blind(Shell):
    """A command line to which everything looks fine."""

    def run(self, *words: str, now: datetime, stdin: str = "", typed: object = None) -> Ran:  # type: ignore[explicit-override]  # typing.override is newer than Python 3.11
        del now, stdin, typed
        return Ran(words=words, status=0, out="all is well\n", err="")

    def on(self, home: Path) -> "Blind":  # type: ignore[explicit-override]  # as above
        return Blind(home=home, keys=self.keys)


def test_tampering_that_verify_does_not_see_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    (tmp_path / "audit").mkdir()
    (tmp_path / tampering.AUDIT_LOG).write_bytes(b"{}\n" * 5)
    with pytest.raises(tampering.UncaughtError, match="a past event was edited"):
        tampering.tell(Blind(home=tmp_path, keys=tmp_path), Narrator(sys.stdout), NOW)
    assert "all is well" in capsys.readouterr().out
