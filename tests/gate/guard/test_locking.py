"""Locks of the operating system, on flags kept by a stand-in: no test here needs root (tests/faults/test_locks.py does)."""

import os
import sys
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, Desk, addition

from nightledger.domain.errors import RefusedError
from nightledger.domain.event import EventName
from nightledger.files.atomic import swap_files
from nightledger.files.flags import Flag
from nightledger.gate.apply.recovering import recover
from nightledger.gate.guard import locking
from nightledger.gate.guard.locking import (
    Held,
    LockError,
    lock_files,
    lockables,
    repair_locks,
    require_exchangeable,
    unlock_files,
    why_locked,
)

HELPER = """
import os, sys
verb, directory, name, temp = sys.argv[1:5]
if verb == "exchange":
    old, new = os.path.join(directory, name), os.path.join(directory, temp)
    os.rename(old, new + "2"); os.rename(new, old); os.rename(new + "2", new)
open(os.path.join({log!r}), "a").write(" ".join(sys.argv[1:]) + "\\n")
"""


class System:
    """Keeps flags by path, as far as a test can tell; ``root`` is whether this run may set them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, root: bool) -> None:
        self.flags: dict[str, set[Flag]] = {}
        self.root = root
        monkeypatch.setattr(locking, "read_flags", self.read)
        monkeypatch.setattr(locking, "set_flag", self.set)
        monkeypatch.setattr(locking, "may_act_as_root", lambda: self.root)

    def read(self, path: str) -> frozenset[Flag] | None:
        os.lstat(path)
        return frozenset(self.flags.get(path, ()))

    def set(self, path: str, flag: Flag, *, on: bool) -> None:
        if not self.root:
            raise PermissionError(1, "Operation not permitted", path)
        flags = self.flags.setdefault(path, set())
        (flags.add if on else flags.discard)(flag)

    def drop(self, path: str) -> None:
        self.flags.pop(path)


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    return System(monkeypatch, root=True)


def name_helper(desk: Desk, *words: str) -> None:
    operator = desk.ring.directory / "operator.yaml"
    operator.write_text(f"lock_helper: [{', '.join(words)}]\n")
    operator.chmod(0o600)


def working_helper(desk: Desk, tmp_path: Path) -> Path:
    program, log = tmp_path / "helper.py", tmp_path / "called"
    program.write_text(HELPER.format(log=str(log)))
    name_helper(desk, sys.executable, str(program))
    return log


def test_gated_and_protected_files_and_the_log_can_be_locked(desk: Desk, system: System) -> None:
    assert system.root
    found = {one.path: (one.flag, one.held) for one in lockables(desk.home)}
    assert found["MEMORY.md"] == (Flag.IMMUTABLE, Held.UNLOCKED)
    assert found["SOUL.md"] == (Flag.IMMUTABLE, Held.MISSING)
    assert found["audit/trusted-channel-audit.jsonl"] == (Flag.APPEND_ONLY, Held.UNLOCKED)
    assert "config/nightledger/consent-graph.json" in found


def test_the_log_says_so_before_the_flags_are_set_and_after_they_are_cleared(
    desk: Desk, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, order = system.set, []

    def note(path: str, flag: Flag, *, on: bool) -> None:
        order.append((on, desk.events()[-1]))
        real(path, flag, on=on)

    monkeypatch.setattr(locking, "set_flag", note)
    locked = lock_files(desk.gate, desk.moment)
    assert {one.path: one.held for one in locked}["MEMORY.md"] is Held.LOCKED
    unlocked = unlock_files(desk.gate, desk.moment)
    assert {one.path: one.held for one in unlocked}["MEMORY.md"] is Held.UNLOCKED
    assert {event for on, event in order if on} == {EventName.LOCKED}
    assert {event for on, event in order if not on} == {EventName.LOCKED}
    assert desk.events()[-1] == EventName.UNLOCKED


def test_an_exchange_unlocks_for_itself_alone(
    desk: Desk, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock_files(desk.gate, desk.moment)
    seen = []
    real = swap_files

    def watch(temp: str, path: str) -> str:
        seen.append(system.read(path))
        return real(temp, path)

    monkeypatch.setattr(locking, "swap_files", watch)
    desk.applied(addition("Set the zone."))
    assert seen == [frozenset()]
    assert system.read(str(desk.memory)) == frozenset({Flag.IMMUTABLE})


def test_without_root_and_helper_it_waits_and_nothing_is_signed_or_logged_in_vain(
    desk: Desk, system: System
) -> None:
    proposal = desk.applied(addition("Set the zone."))
    lock_files(desk.gate, desk.moment)
    system.root = False
    assert "root applies it" in why_locked(desk.gate, "MEMORY.md")
    with pytest.raises(LockError, match="locked by the operating system"):
        desk.plan_undo(proposal)
    with pytest.raises(LockError, match="locked"):
        require_exchangeable(desk.gate, ["MEMORY.md"])
    desk.approve(desk.proposal(addition("Water the fern.")))
    desk.wait(hours=3)
    before = desk.events()
    (attempt,) = desk.apply()
    assert "locked by the operating system" in attempt.reasons[0]
    assert desk.events() == before


def test_through_the_helper_it_is_exchanged(desk: Desk, system: System, tmp_path: Path) -> None:
    lock_files(desk.gate, desk.moment)
    system.root = False
    log = working_helper(desk, tmp_path)
    desk.applied(addition("Set the zone."))
    assert "Set the zone." in desk.text()
    verb, directory, name, temp, uid, inode = log.read_text().split()
    assert (verb, directory, name) == ("exchange", str(desk.memory.parent), "MEMORY.md")
    assert temp.endswith(".nightledger-tmp")
    assert int(uid) == os.stat(desk.home.root).st_uid
    assert inode.isdecimal()


def test_a_helper_that_does_not_do_its_work_changes_nothing(
    desk: Desk, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock_files(desk.gate, desk.moment)
    system.root = False
    monkeypatch.setattr(locking, "TIMEOUT_S", 1)
    desk.approve(desk.proposal(addition("Set the zone.")))
    desk.wait(hours=3)
    for words, said in (
        (("/nowhere/at/all",), "did not do its work"),
        ((str(desk.memory),), "nothing in a home is executed"),
        (("/bin/sh", "-c", "'echo no >&2; exit 1'"), "refuses .*: no"),
        (("/bin/sh", "-c", "'sleep 60'"), "did not do its work"),
    ):
        name_helper(desk, *words)
        with pytest.raises(LockError, match=said):
            desk.apply()
        assert desk.text() == MEMORY
        assert [name for name in os.listdir(desk.memory.parent) if name.endswith("-tmp")] == []
        recover(desk.gate, desk.ledger(), desk.moment)


def test_what_is_not_locked_any_more_is_locked_again_by_whoever_can(
    desk: Desk, system: System, tmp_path: Path
) -> None:
    lock_files(desk.gate, desk.moment)
    book = desk.ledger().book
    assert repair_locks(desk.gate, book, desk.moment) == ((), ())
    system.drop(str(desk.memory))
    assert repair_locks(desk.gate, book, desk.moment) == (("MEMORY.md",), ())
    assert desk.ledger().log.events[-1].fields["paths"] == ["MEMORY.md"]
    system.root = False
    system.drop(str(desk.memory))
    system.drop(desk.home.audit_log)
    log = working_helper(desk, tmp_path)
    lost = ("MEMORY.md", "audit/trusted-channel-audit.jsonl")
    assert repair_locks(desk.gate, book, desk.moment) == ((), lost)
    assert log.read_text().startswith(f"lock {desk.memory.parent} MEMORY.md -")
    (desk.ring.directory / "operator.yaml").unlink()
    assert repair_locks(desk.gate, book, desk.moment) == ((), lost)
    assert [sighting.path for sighting in desk.guard()] == [*lost]


def test_nobody_but_root_locks_and_nothing_is_locked_where_nothing_can_be(
    desk: Desk, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    system.root = False
    for refused in (lock_files, unlock_files):
        with pytest.raises(RefusedError, match="only root can lock"):
            refused(desk.gate, desk.moment)
    monkeypatch.setattr(locking, "read_flags", lambda _: None)
    with pytest.raises(RefusedError, match="knows no such locks"):
        lock_files(desk.gate, desk.moment)
    assert EventName.LOCKED not in desk.events()


def test_drift_in_a_locked_file_is_kept_and_not_put_back(desk: Desk, system: System) -> None:
    desk.memory.write_text(f"{MEMORY}- Boat.\n")
    lock_files(desk.gate, desk.moment)
    system.root = False
    desk.guard()
    (refusal,) = desk.settle(take_back=[1])
    assert "locked by the operating system" in refusal.reason
    assert desk.settle(keep=[1]) == []
