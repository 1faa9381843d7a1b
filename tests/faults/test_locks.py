"""Locks of the operating system: who may change a locked file, and what a crash in the middle leaves.

Tests marked ``root`` set real flags on a loop-mounted ext4 of their own; they run as root only.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults.test_power_fail import PowerDisk, why_no_disk
from tests.forked import status_of
from tests.gate.homes import MEMORY, Desk, addition, make_desk

from nightledger.domain.decision import EventName
from nightledger.files import owner
from nightledger.files.owner import Flag, acting_as_owner, for_child, read_flags, set_flag
from nightledger.gate import gated as locking
from nightledger.gate.gated import Held, lock_files, lockables, unlock_files
from nightledger.gate.guarding import guard
from nightledger.gate.writing import recover

NOBODY = 65534


root = pytest.mark.root


@pytest.fixture(scope="module")
def disk() -> Iterator[Path]:
    """Give a directory on an ext4 of our own, which other users can reach; what stays locked there goes with it."""
    if missing := why_no_disk("ext4"):
        pytest.skip(missing)
    with tempfile.TemporaryDirectory(prefix="nightledger-locks-") as name:
        base = Path(name)
        base.chmod(0o755)
        disk = PowerDisk(kind="ext4", image=base / "image", place=base / "mounted")
        disk.make()
        yield disk.place
        disk.unmount()


@pytest.fixture
def desk(disk: Path, tmp_path: Path) -> Iterator[Desk]:
    """Give a home on that disk; unlocked again at the end, so that it can be removed."""
    where = disk / tmp_path.name
    where.mkdir()
    made = make_desk(where)
    yield made
    for path in where.rglob("*"):
        if path.is_file() and not path.is_symlink():
            for flag in Flag:
                set_flag(str(path), flag, on=False)
    shutil.rmtree(where)


def held(desk: Desk) -> dict[str, Held]:
    return {one.path: one.held for one in lockables(desk.home)}


def is_immutable(path: Path) -> bool:
    return Flag.IMMUTABLE in (read_flags(str(path)) or ())


@root
def test_locking_holds_for_everyone_and_is_logged(desk: Desk) -> None:
    assert held(desk)["MEMORY.md"] is Held.UNLOCKED
    lock_files(desk.gate, desk.moment)
    assert held(desk)["MEMORY.md"] is Held.LOCKED
    assert held(desk)["SOUL.md"] is Held.MISSING
    assert desk.ledger().book.locked == {"MEMORY.md", "audit/trusted-channel-audit.jsonl"}
    for change in (
        lambda: desk.memory.write_text("mine now"),
        desk.memory.unlink,
        lambda: desk.memory.rename(desk.memory.with_name("other")),
        lambda: os.replace(shutil.copy(desk.memory, desk.memory.with_name("copy")), desk.memory),
        lambda: os.truncate(desk.home.audit_log, 0),
        lambda: os.unlink(desk.home.audit_log),
    ):
        with pytest.raises(PermissionError):
            change()
    unlock_files(desk.gate, desk.moment)
    assert held(desk)["MEMORY.md"] is Held.UNLOCKED
    assert desk.ledger().book.locked == frozenset()


@root
def test_applied_by_root_a_locked_file_changes_and_is_locked_again(desk: Desk) -> None:
    lock_files(desk.gate, desk.moment)
    proposal = desk.applied(addition("Set the zone in every timer."))
    assert "zone in every timer" in desk.text()
    assert is_immutable(desk.memory)
    desk.undo(proposal)
    assert desk.text() == MEMORY
    assert is_immutable(desk.memory)
    assert held(desk)["audit/trusted-channel-audit.jsonl"] is Held.LOCKED
    assert [name.name for name in desk.memory.parent.iterdir() if name.name.endswith("-tmp")] == []


@root
def test_a_crash_between_unlocking_and_locking_is_repaired_and_logged(desk: Desk) -> None:
    lock_files(desk.gate, desk.moment)

    def die_where_it_is_unlocked() -> None:
        setattr(locking, "swap_files", lambda *_: os._exit(9))  # noqa: B010 - in the fork
        desk.applied(addition("Set the zone in every timer."))

    assert status_of(die_where_it_is_unlocked) == 9
    assert not is_immutable(desk.memory)
    desk.wait(hours=4)
    recover(desk.gate, desk.ledger(), desk.moment)
    (sighting, *_) = guard(desk.gate, desk.ledger(), {}, desk.moment)
    assert (sighting.path, sighting.relocked) == ("MEMORY.md", True)
    assert is_immutable(desk.memory)
    assert EventName.LOCK_REPAIRED in desk.events()
    assert desk.text() == MEMORY
    desk.apply()
    assert "zone in every timer" in desk.text()


def give_away(desk: Desk) -> None:
    """Let the home belong to a user without rights, but for what is locked."""
    for path in (desk.root, *desk.root.rglob("*")):
        if not (path.is_file() and read_flags(str(path))):
            os.chown(path, NOBODY, NOBODY)


@root
def test_root_acts_as_the_owner_and_as_root_for_the_flag_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        owner, "_require_readable", lambda _: None
    )  # whoever tests may have Python below /root
    proposal = desk.proposal(addition("Water the fern."))
    desk.approve(proposal)
    desk.wait(hours=3)
    os.chown(desk.memory, NOBODY, NOBODY)
    os.chown(desk.home.audit_log, NOBODY, NOBODY)
    lock_files(desk.gate, desk.moment)
    give_away(desk)
    with acting_as_owner(desk.home.root):
        assert os.geteuid() == NOBODY
        (attempt,) = desk.apply()
    assert os.geteuid() == 0
    assert attempt.changes == (1,)
    assert is_immutable(desk.memory)
    foreign = [path for path in desk.root.rglob("*") if path.lstat().st_uid != NOBODY]
    assert foreign == []
    with acting_as_owner(desk.home.root):
        assert for_child() == {"user": NOBODY, "group": NOBODY}
        ran = subprocess.run(
            ["/bin/sh", "-c", "id -u; id -ru"], capture_output=True, text=True, check=True, **for_child()
        )
    assert ran.stdout.split() == [str(NOBODY)] * 2
    assert for_child() == {}
