import os
from pathlib import Path

import pytest
from tests.gate.homes import Desk
from tests.surfaces.console import Console

from nightledger.files.lock import Lock
from nightledger.surfaces import session
from nightledger.surfaces.verbs.guard import MARK

BOAT = "- Boat: paint the hull"


def drift(desk: Desk, line: str = BOAT) -> None:
    desk.memory.write_text(f"{desk.text()}{line}\n")


def test_it_says_what_it_found_once_and_under_cron_nothing_more(console: Console) -> None:
    drift(console.desk)
    out = " ".join(console.out("guard").split())
    assert "MEMORY.md was changed outside Nightledger (writer: unknown)." in out
    assert "'nightledger review' asks about each section." in out
    assert console.out("guard") == ""
    assert console.run("verify").status == 4


def test_the_exit_code_says_that_something_is_not_settled(console: Console) -> None:
    assert console.run("guard", "--exit-code").status == 0
    drift(console.desk)
    assert console.run("guard", "--exit-code").status == 4
    assert console.run("guard").status == 0


def test_what_cannot_be_looked_after_is_an_alarm(console: Console) -> None:
    console.desk.memory.unlink()
    console.desk.memory.symlink_to("/etc/hostname")
    ran = console.run("guard")
    assert ran.status == 4
    assert "MEMORY.md cannot be looked after" in ran.out


def test_when_nothing_was_touched_cron_takes_one_small_look(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "LOCK_TIMEOUT_S", 0.1)
    mark = Path(console.desk.home.root, MARK)
    console.desk.wait(minutes=10)
    console.out("guard")
    os.utime(mark, ns=(mark.stat().st_mtime_ns + 10**10,) * 2)
    with Lock(console.desk.home.lock_path()):
        assert console.run("guard").status == 0
        console.desk.wait(minutes=49)
        assert console.run("guard").status == 0
        console.desk.wait(minutes=11)
        assert console.run("guard").status == 75  # a mark is believed for an hour
        console.desk.wait(hours=-1)
        drift(console.desk)
        assert console.run("guard").status == 75
    assert "changed outside" in console.out("guard")
    monkeypatch.undo()


def test_a_change_within_the_second_of_the_mark_is_seen(console: Console) -> None:
    console.out("guard")
    drift(console.desk)
    assert "changed outside" in console.out("guard")


def test_status_and_notices_count_it(console: Console) -> None:
    drift(console.desk)
    console.out("guard")
    status = " ".join(console.run("status").out.split())
    assert "! DRIFT MEMORY.md was changed outside Nightledger since it was last signed" in status
    assert "'nightledger review' asks about each section" in status
    assert console.run("doctor").status == 1
    assert console.record("proposals")[0]["kind"] == "drift"
    view = Path(console.desk.home.pending_view).read_text()
    assert BOAT not in view
