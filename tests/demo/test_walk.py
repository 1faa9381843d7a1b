"""The demo as a user runs it: once as it is recorded, and in worlds in which something must fail."""

import json
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nightledger.demo import walk
from nightledger.demo.shell import WIDTH, Narrator, Ran, Shell
from nightledger.demo.story import WORLD, load_story
from nightledger.demo.walk import Scene, keys_beside
from nightledger.domain.errors import EXIT_ALARM

NOW = datetime(2026, 3, 12, 20, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user whose own folders would show if the demo touched them."""
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.setenv("HOME", str(own))
    monkeypatch.delenv("NIGHTLEDGER_KEYS", raising=False)
    monkeypatch.delenv("NIGHTLEDGER_HOME", raising=False)
    return own


OTHERS = (
    ("may_miss: 3", "may_miss: 0"),
    ("words: need no approval", "words: waits for Kofi's yes"),
    ("answer: call_by_full_path", "answer: buy_a_new_host"),
    ("words: share every album", "words: the album is built"),
    ("text: From now on never use a photo", "text: From now on use no photo"),
)
"""Answers that the world does not give: what is worth keeping, poison, what is recalled; what an agent was given through a tool is kept
here, and the owner's sentence is none of the transcript's."""


def run(home: Path, world: Path = WORLD) -> int:
    return walk.main(["--home", str(home)], world)


def test_the_walk_tells_its_story_holds_all_checks_and_leaves_a_home_that_verifies(
    tmp_path: Path, stranger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "demo-home"
    assert run(home) == 0
    told = capsys.readouterr().out
    short = told.replace(str(tmp_path), "")  # a path cannot be folded, and this one is long
    assert max(map(len, short.splitlines())) <= WIDTH
    assert len(told.splitlines()) < 350, "its story is short enough to be read"
    assert "\x1b" not in told
    named = "talk in Claude Code, import claude-code --yes, It came from s-0301.jsonl:6, is adopted, rewrites a line"
    for part in f"{named}, is staged, session, cooled, tampers".split(", "):
        assert part in told
    assert told.count(f"exit status {EXIT_ALARM}") == 4
    assert "  rejected" in told
    assert "All 18 checks hold." in told
    assert Path(told.splitlines()[-1]).read_bytes().startswith(b"<!doctype html>"), "it ends with the report"
    verified = Shell(home=home, keys=keys_beside(home)).run("verify", "--json", now=NOW)
    assert (verified.status, json.loads(verified.out)["ok"]) == (0, True)
    assert list(stranger.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"own", "demo-home", "demo-home.keys"}


def test_checks_that_do_not_hold_are_named_and_fail_the_demo(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A world whose answers are others, so that an honest comparison must find fault."""
    world = shutil.copytree(WORLD, tmp_path / "world")
    answers = world / "story.yaml"
    told = answers.read_text(encoding="utf-8")
    for honest, other in OTHERS:
        assert honest in told
        told = told.replace(honest, other)
    answers.write_text(told, encoding="utf-8")
    assert run(tmp_path / "demo-home", world) == 1
    lines = capsys.readouterr().out.splitlines()
    failed = [line.split("  ")[1].removeprefix("FAILED ") for line in lines if "  FAILED" in line]
    assert sorted(failed) == ["evidence", "imported", "lesson", "poison", "recall", "worth keeping"]
    assert "6 of 18 checks failed." in lines


class Blind(Shell, frozen=True):
    """A command line to which everything looks fine."""

    def run(self, *words: str, now: datetime, stdin: str = "", typed: object = None) -> Ran:  # type: ignore[explicit-override]  # typing.override is newer than Python 3.11
        del now, stdin, typed
        return Ran(words=words, status=0, out="all is well\n", err="")

    def on(self, home: Path) -> "Blind":  # type: ignore[explicit-override]  # as above
        return Blind(home=home, keys=self.keys)


def test_tampering_that_verify_does_not_see_fails_its_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    (home / "audit").mkdir(parents=True)
    (home / walk.AUDIT_LOG).write_bytes(b"{}\n" * 5)
    (home / "MEMORY.md").write_bytes(b"# MEMORY.md")
    scene = Scene(story=load_story(), shell=Blind(home=home, keys=tmp_path), narrator=Narrator(sys.stdout))
    walk.tamper(scene)
    assert [(check.name, check.holds) for check in scene.checks] == [("tampering", False)]
    assert capsys.readouterr().out.count("all is well") == 3
    assert (home / "MEMORY.md").read_bytes() == b"# MEMORY.md", "only copies are tampered with"
