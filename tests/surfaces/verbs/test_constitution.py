from pathlib import Path

import pytest
from tests.gate.homes import START
from tests.gate.principled import seed
from tests.surfaces.console import Console

from nightledger.codec.constitution import dump_page
from nightledger.demo.shell import Ran, Shell
from nightledger.gate.memory.principles import shipped_principles

PAGE = dump_page(shipped_principles())
KINDER = PAGE.replace("in better health", "kinder and in better health")


@pytest.fixture
def seeded(console: Console) -> Console:
    seed(console.desk)
    return console


def page(console: Console, text: str) -> str:
    path = console.desk.root / "page.md"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_home_without_one_says_how_to_get_it(console: Console) -> None:
    assert "'nightledger init --seed' adds one" in console.out("constitution")
    ran = console.run("constitution", "amend", "--from", page(console, PAGE))
    assert (ran.status, "this home has no constitution" in ran.err) == (1, True)


def test_an_amendment_is_shown_signed_and_in_force(seeded: Console) -> None:
    out = seeded.out("constitution", "amend", "--from", page(seeded, KINDER))
    assert "kinder and in better health" in out
    assert "Lines that begin with #" not in out
    assert "Amended and signed: 10 principles are in force." in out
    assert "kinder" in seeded.out("constitution")
    assert seeded.run("verify").status == 0
    assert seeded.out("constitution", "amend", "--from", page(seeded, KINDER)) == "Nothing was changed.\n"
    assert seeded.record("constitution", "amend", "--from", page(seeded, KINDER)) == {"changed": False}


def test_the_operators_editor_sees_one_principle_a_paragraph(
    seeded: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = seeded.desk.root / "editor.sh"
    editor.write_text('#!/bin/sh\nsed -i "s/better health/fine health/" "$1"\n')
    editor.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(editor))
    assert seeded.record("constitution", "amend")["changed"] is True
    assert "fine health" in seeded.out("constitution")


# ---------------------------------------------------------------- init


class Place:
    """A directory that is to become a home."""

    def __init__(self, root: Path) -> None:
        self.home, self.keys = root / "home", root / "keys"

    def run(self, *words: str) -> Ran:
        return Shell(home=self.home, keys=self.keys).run(*words, now=START.at)

    def init(self, *words: str) -> Ran:
        return self.run("init", "--simulated", "--no-passphrase", *words)

    @property
    def file(self) -> Path:
        return self.home / "memory" / "system" / "constitution.json"

    def bytes(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.home.rglob("*") if path.is_file()}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_without_seed_there_is_none_until_the_operator_signs_for_it(place: Place) -> None:
    assert "constitution" not in place.init("--no-seed").out
    assert place.init().status == 0
    assert not place.file.exists()
    assert "  memory/system/constitution.json\n" in place.init("--seed", "--dry-run").out
    assert not place.file.exists()
    ran = place.init("--seed")
    assert ran.status == 0, ran.err
    assert "  memory/system/constitution.json\n" in ran.out
    assert place.file.exists()
    assert place.run("verify").status == 0
    before = place.bytes()
    assert place.init("--seed").status == 0
    assert place.bytes() == before


def test_an_own_principle_is_the_eleventh(place: Place) -> None:
    assert place.init("--self", "I am Wren; I keep the garden diary.").status == 0
    assert "self [self/constitutional, self/context]" in place.run("constitution").out
    ran = place.init("--self", "I am another.")
    assert (ran.status, "a constitution of 11 principles" in ran.err) == (1, True)
    assert "nightledger consent constitution amend" in ran.err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--no-seed", "--self", "I am Wren."), 2, "--no-seed wants none"),
        (("--self", "x" * 401), 1, "400 is the most"),
        (("--self", ""), 1, "its text is one line"),
        (("--self", "I am ghp_Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"), 1, "secret."),
    ],
)
def test_an_own_principle_that_cannot_be_one_makes_no_home(
    place: Place, words: tuple[str, ...], status: int, said: str
) -> None:
    ran = place.init(*words)
    assert (ran.status, said in ran.err) == (status, True), ran.err
    assert not place.home.exists()
