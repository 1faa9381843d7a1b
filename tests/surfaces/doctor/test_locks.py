import os
from pathlib import Path

import pytest
from tests.gate.homes import make_desk

from nightledger.files.home import Home
from nightledger.files.owner import Flag
from nightledger.gate.guard import locking
from nightledger.surfaces.doctor.around import check_locks
from nightledger.surfaces.doctor.checks import Check, State


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_desk(tmp_path).home


def look(home: Home, keys: Path | None = None) -> list[Check]:
    return list(check_locks(home, str(keys or Path(home.root).parent / "keys")))


def flags(monkeypatch: pytest.MonkeyPatch, answer: object) -> None:
    monkeypatch.setattr(locking, "read_flags", answer)


def test_without_locks_it_says_how_to_have_them(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    flags(monkeypatch, lambda _: frozenset())
    (check,) = look(home)
    assert check.state is State.NOTE
    assert "no file is locked" in check.message
    assert "nightledger lock --home" in check.fix


def test_with_locks_it_says_who_applies(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(path: str) -> frozenset[Flag]:
        os.lstat(path)  # what is not there cannot be looked at
        return frozenset({Flag.IMMUTABLE}) if path.endswith("MEMORY.md") else frozenset()

    flags(monkeypatch, answer)
    locked, rest, who = look(home)
    assert (locked.state, locked.message) == (State.GOOD, "locked by the operating system: MEMORY.md")
    assert rest.message == "not locked: audit/trusted-channel-audit.jsonl"
    assert "only root applies" in who.message
    keys = Path(home.root).parent / "keys"
    (keys / "operator.yaml").write_text("lock_helper: [/usr/bin/sudo, -n, /usr/local/sbin/lock_helper.py]\n")
    (keys / "operator.yaml").chmod(0o600)
    assert "whoever may run /usr/bin/sudo -n /usr/local/sbin/lock_helper.py" in look(home, keys)[-1].message


def test_on_macos_it_says_that_the_owner_may_unlock(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    flags(monkeypatch, lambda _: frozenset(Flag))

    class System:
        sysname = "Darwin"

    monkeypatch.setattr(os, "uname", System)
    assert "the files' owner may unlock them" in look(home)[-1].message
