import os
from pathlib import Path

import pytest
from tests.gate.homes import START
from tests.rows import from_corpus

from nightledger.codec.constitution import dump_page
from nightledger.demo.shell import Ran, Shell
from nightledger.gate.recalling import shipped_principles
from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs import init


class Place:
    """A directory that is to become a home."""

    def __init__(self, root: Path) -> None:
        self.shell = Shell(home=root / "home", keys=root / "keys")
        self.home = root / "home"

    def run(self, *words: str) -> Ran:
        return self.shell.run(*words, now=START.at)

    def made(self, *words: str) -> Ran:
        return self.run("init", "--simulated", "--no-passphrase", *words)

    def bytes(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.home.rglob("*") if path.is_file()}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_again_with_what_the_home_is_not_is_refused(place: Place) -> None:
    place.made("--zone", "UTC")
    before = place.bytes()
    gated = ("--gated", "MEMORY.md", "--gated", "USER.md")
    for words in (gated, ("--zone", "Europe/Berlin"), ("--host", "codex")):
        ran = place.run("init", *words)
        assert (ran.status, ran.out) == (1, "")
        assert f"{words[0]} differs from what it was made with" in " ".join(ran.err.split())
        assert "nightledger.yaml" in ran.err
        assert place.bytes() == before


def test_q_leaves_where_the_memory_is_asked_for_and_nothing_is_made(place: Place) -> None:
    place.home.mkdir()
    for name in ("MEMORY.md", "CLAUDE.md"):
        (place.home / name).write_text("- Use uv.\n")
    before = place.bytes()
    ran = place.shell.run("init", "--adopt", "--no-passphrase", now=START.at, typed=["7", "q"])
    assert (ran.status, "One of 1 to 2." in ran.out) == (1, True)
    assert place.bytes() == before


@from_corpus("surfaces-verbs-init")
def test_the_machines_zone(monkeypatch: pytest.MonkeyPatch, named: str, zone: str | None) -> None:
    monkeypatch.setenv("TZ", named)
    monkeypatch.setattr(os.path, "realpath", lambda _: "/usr/share/zoneinfo/Asia/Tokyo")
    assert init.machine_zone() == (zone or "Asia/Tokyo")
    monkeypatch.setattr(os.path, "realpath", lambda path: path)
    assert init.machine_zone() == (zone or "UTC")


@pytest.mark.parametrize(("typed", "status"), [(["one", "one"], 0), (["one", "two"], 2), (["", ""], 2)])
def test_the_passphrase_is_asked_for_twice_and_must_be_one(
    place: Place, monkeypatch: pytest.MonkeyPatch, typed: list[str], status: int
) -> None:
    answers = iter(typed)
    monkeypatch.setattr("getpass.getpass", lambda _: next(answers))
    monkeypatch.setattr(Context, "interactive", lambda _: True)
    ran = place.run("init", "--simulated")
    assert ran.status == status
    assert place.home.exists() == (status == 0)
    assert "has no passphrase" not in ran.out


def test_without_principles_there_are_none_until_the_operator_signs_for_them(place: Place) -> None:
    assert "constitution" not in place.made("--no-seed").out
    assert place.made().status == 0
    assert not (place.home / "memory/system/constitution.json").exists()
    assert "constitution amend' begins one" in place.run("consent", "constitution").out
    page = place.home.parent / "page"
    page.write_text(dump_page(shipped_principles()), encoding="utf-8")
    amend = ("consent", "constitution", "amend", "--from", str(page))
    ran = place.run(*amend)
    assert ran.status == 0, ran.err
    assert "10 principles are in force" in ran.out
    assert (place.home / "memory/system/constitution.json").exists()
    assert place.run("verify").status == 0
    before = place.bytes()
    assert "Nothing was changed" in place.run(*amend).out
    late = place.made("--self", "I am Wren.")
    assert (late.status, place.made().status) == (1, 0)
    assert "'nightledger consent constitution amend'" in late.err
    assert place.bytes() == before


@from_corpus("surfaces-verbs-init", tuples=True)
def test_an_own_principle_that_cannot_be_one_makes_no_home(
    place: Place, words: tuple[str, ...], status: int, said: str
) -> None:
    ran = place.made(*words)
    assert (ran.status, said in ran.err) == (status, True), ran.err
    assert not place.home.exists()
