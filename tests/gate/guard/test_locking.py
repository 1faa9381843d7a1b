"""Locks of the operating system, on flags kept by a stand-in: no test here needs root (tests/faults/test_locks.py does)."""

import os

import pytest
from tests.gate.homes import Desk

from nightledger.domain.event import EventName
from nightledger.files.flags import Flag
from nightledger.gate.guard import locking
from nightledger.gate.guard.locking import (
    Held,
    lock_files,
    unlock_files,
)


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
