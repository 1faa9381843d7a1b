import os

import pytest
from tests.surfaces.console import Console

from nightledger.domain.event import EventName
from nightledger.files.flags import Flag
from nightledger.gate.guard import locking


class System:
    """Keeps the flags of files, as a file system does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, root: bool = True) -> None:
        self.flags: dict[str, set[Flag]] = {}
        monkeypatch.setattr(locking, "read_flags", self.read)
        monkeypatch.setattr(locking, "set_flag", self.set)
        monkeypatch.setattr(locking, "may_act_as_root", lambda: root)

    def read(self, path: str) -> frozenset[Flag]:
        os.lstat(path)
        return frozenset(self.flags.get(path, ()))

    def set(self, path: str, flag: Flag, *, on: bool) -> None:
        flags = self.flags.setdefault(path, set())
        (flags.add if on else flags.discard)(flag)


def test_lock_and_unlock_say_how_each_file_stands(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    system = System(monkeypatch)
    assert console.out("lock") == "MEMORY.md: locked\naudit/trusted-channel-audit.jsonl: locked\n"
    assert system.flags[str(console.desk.memory)] == {Flag.IMMUTABLE}
    assert system.flags[console.desk.home.audit_log] == {Flag.APPEND_ONLY}
    doctor = console.run("doctor", "--all").out
    assert "locked by the operating system: MEMORY.md" in " ".join(doctor.split())
    record = console.record("unlock")
    assert {file["path"]: file["held"] for file in record["files"]}["MEMORY.md"] == "unlocked"
    assert console.out("unlock").startswith("MEMORY.md: not locked\n")
    assert console.desk.events().count(EventName.LOCKED) == 1
    assert console.desk.events().count(EventName.UNLOCKED) == 2


def test_only_root_may(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    System(monkeypatch, root=False)
    ran = console.run("lock")
    assert ran.status == 1
    assert "only root can lock" in ran.err
    assert "NIGHTLEDGER_KEYS" in ran.err


def test_a_lock_that_is_gone_is_set_again_by_the_guard(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = System(monkeypatch)
    console.out("lock")
    system.flags.clear()
    out = console.out("guard")
    assert "MEMORY.md was not locked any more, and is locked again." in out
    assert console.record("guard") == {"drift": []}
    system.flags.clear()
    assert {found["relocked"] for found in console.record("guard")["drift"]} == {True}
    assert console.run("verify").status == 0
