import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import MEMORY, START
from tests.surfaces.console import Terminal

from nightledger.demo.shell import Ran, Shell
from nightledger.files.home import Home
from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs import init
from nightledger.trust.keys import needs_passphrase


class Place:
    """A directory that is to become a home."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.keys = root / "keys"

    def run(self, *words: str) -> Ran:
        return Shell(home=self.home, keys=self.keys).run("init", *words, now=START.at)

    def record(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json").out)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def workspace(place: Place) -> None:
    place.home.mkdir()
    (place.home / "MEMORY.md").write_text(MEMORY)
    (place.home / "SOUL.md").write_text("soul")
    (place.home / "AGENTS.md").write_text("agents")


def test_a_home_for_trials_in_one_command(place: Place) -> None:
    ran = place.run("--simulated", "--no-passphrase")
    assert ran.status == 0, ran.err
    assert f"Made in {place.home}:" in ran.out
    assert "  MEMORY.md" in ran.out
    assert "The operator's key has no passphrase: whoever can read it can sign." in ran.out
    assert ran.out.endswith(
        f"Next: nightledger check --home {place.home}\n"
        f"Then: nightledger schedule --print cron --home {place.home}\n"
    )
    identity = Home(place.home).identity
    assert (identity.simulated, identity.host, identity.gated) == (True, "generic", ("MEMORY.md",))
    assert identity.machine == os.uname().nodename


def test_again_there_is_nothing_to_do(place: Place) -> None:
    place.run("--simulated", "--no-passphrase")
    before = (place.home / "config/nightledger/home.json").read_bytes()
    ran = place.run("--simulated")
    assert (ran.status, ran.out) == (0, f"{place.home} is a home already; nothing to do\n")
    assert (place.home / "config/nightledger/home.json").read_bytes() == before
    assert place.record("--simulated")["new"] is False


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--gated", "MEMORY.md", "--gated", "USER.md"), "nightledger leave"),
        (("--zone", "Europe/Berlin"), "nightledger.yaml"),
        (("--host", "codex"), "home.json"),
    ],
)
def test_again_with_what_the_home_is_not_says_how_to_change_it(
    place: Place, words: tuple[str, ...], hint: str
) -> None:
    place.run("--simulated", "--no-passphrase", "--zone", "UTC")
    before = (place.home / "config/nightledger/home.json").read_bytes()
    ran = place.run(*words)
    assert (ran.status, ran.out) == (1, "")
    assert f"--{words[0][2:]} differs from what it was made with" in " ".join(ran.err.split())
    assert hint in ran.err
    assert (place.home / "config/nightledger/home.json").read_bytes() == before


def test_again_with_what_the_home_is_changes_nothing(place: Place) -> None:
    words = ("--simulated", "--no-passphrase", "--zone", "UTC", "--host", "generic", "--gated", "MEMORY.md")
    place.run(*words)
    ran = place.run(*words)
    assert (ran.status, ran.out) == (0, f"{place.home} is a home already; nothing to do\n")


def test_a_dry_run_lists_and_makes_nothing(place: Place) -> None:
    workspace(place)
    ran = place.run("--adopt", "--dry-run", "--no-passphrase")
    assert f"Would make in {place.home}:" in ran.out
    assert "audit/trusted-channel-audit.jsonl" in ran.out
    assert "audit/checkpoint" in place.record("--adopt", "--dry-run")["would_create"]
    assert sorted(path.name for path in place.home.iterdir()) == ["AGENTS.md", "MEMORY.md", "SOUL.md"]
    assert not place.keys.exists()


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--no-passphrase",), 2, "is not empty"),
        (("--adopt",), 2, "wants a passphrase, and there is no terminal to ask on"),
        (("--adopt", "--no-passphrase", "--zone", "Mars/Base"), 2, "Mars/Base"),
        (("--adopt", "--no-passphrase", "--gated", "SOUL.md"), 1, "really the protected file SOUL.md"),
        (("--adopt", "--no-passphrase", "--gated", "../x.md"), 1, "is not a path inside the home"),
        (("--adopt", "--no-passphrase", "--gated", "audit/x.md"), 1, "which the gate never changes"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_made(
    place: Place, words: tuple[str, ...], status: int, said: str
) -> None:
    workspace(place)
    ran = place.run(*words)
    assert ran.status == status
    assert said in ran.err
    assert not (place.home / "config").exists()


def test_a_workspace_that_is_not_there_cannot_be_adopted(place: Place) -> None:
    ran = place.run("--adopt", "--no-passphrase")
    assert ran.status == 2
    assert "there is no workspace at" in ran.err


def test_an_unknown_host_is_refused(place: Place) -> None:
    workspace(place)
    ran = place.run("--adopt", "--no-passphrase", "--host", "opnclaw")
    assert ran.status == 2
    assert "opnclaw" in ran.err
    assert not (place.home / "config").exists()


@pytest.mark.parametrize(
    ("named", "zone"),
    [
        ("Europe/Lisbon", "Europe/Lisbon"),
        (":Europe/Lisbon", "Europe/Lisbon"),
        ("/etc/localtime", None),
        ("", None),
    ],
)
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
    ran = place.run("--simulated")
    assert ran.status == status
    assert place.home.exists() == (status == 0)
    assert "has no passphrase" not in ran.out


def start(place: Place, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(place.keys))
    argv = ["init", "--home", str(place.home), "--simulated", "--now", START.at.isoformat()]
    terminal = Terminal.start(argv, 80)
    terminal.expect("Passphrase for the operator's new key: ")
    return terminal


def test_on_a_terminal_it_asks_for_a_passphrase_twice(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = start(place, monkeypatch)
    terminal.type("caf\u00e9")
    terminal.expect("Once more: ")
    terminal.type("caf\u00e9")
    assert terminal.end() == 0
    assert "caf" not in terminal.seen
    assert needs_passphrase(place.keys / Home(place.home).identity.id / "operator")


def test_two_different_passphrases_make_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = start(place, monkeypatch)
    terminal.type("one")
    terminal.expect("Once more: ")
    terminal.type("two")
    assert terminal.end() == 2
    assert "the two are not the same, or empty" in terminal.seen
    assert not place.home.exists()


def test_an_empty_passphrase_makes_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = start(place, monkeypatch)
    terminal.type("")
    assert terminal.end() == 2
    assert not place.home.exists()
