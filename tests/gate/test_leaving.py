import os
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition

from nightledger.domain.errors import LockedError
from nightledger.domain.event import EventName
from nightledger.files.lock import Lock
from nightledger.gate import leaving
from nightledger.gate.leaving import disposable, log_leaving, own_directories, remove_disposable
from nightledger.gate.proposing.views import refresh_views


def test_leaving_is_logged_once_and_again_after_something_happened(desk: Desk) -> None:
    assert log_leaving(desk.gate, desk.ledger(), desk.moment)
    assert not log_leaving(desk.gate, desk.ledger(), desk.moment)
    desk.proposal(addition("Use the blue switch."))
    assert log_leaving(desk.gate, desk.ledger(), desk.moment)
    events = [event.event for event in desk.ledger().log.events]
    assert events.count(EventName.LEFT) == 2


def test_only_what_is_disposable_is_removed(desk: Desk) -> None:
    desk.proposal(addition("Use the blue switch."))
    refresh_views(desk.gate, desk.ledger())
    Path(desk.home.attention).write_text("what a night wrote")
    found = disposable(desk.home)
    assert found == (
        "memory/state/tc-consolidate-pending.json",
        "memory/state/tc-prune-request.json",
        "memory/state/ATTENTION.md",
        "memory/system/entries.json",
        ".nightledger",
    )
    kept = {
        path
        for path in Path(desk.home.root).rglob("*")
        if path.is_file() and ".nightledger" not in path.parts and desk.home.relative(str(path)) not in found
    }
    assert remove_disposable(desk.home) == found
    assert {path for path in Path(desk.home.root).rglob("*") if path.is_file()} == kept
    assert disposable(desk.home) == ()
    assert remove_disposable(desk.home) == ()
    assert not os.path.lexists(desk.home.work_dir)


def test_a_run_at_work_keeps_everything_in_place(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "LOCK_TIMEOUT_S", 0.0)
    refresh_views(desk.gate, desk.ledger())
    with Lock(desk.home.lock_path("link")), pytest.raises(LockedError):
        remove_disposable(desk.home)
    assert os.path.lexists(desk.home.entries)
    remove_disposable(desk.home)


def test_a_link_in_place_of_our_directory_is_left_alone(desk: Desk, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    Path(desk.home.work_dir).rename(elsewhere)
    Path(desk.home.work_dir).symlink_to(elsewhere)
    assert disposable(desk.home) == ()
    assert remove_disposable(desk.home) == ()
    assert elsewhere.is_dir()


def test_the_directories_that_stay_are_named(desk: Desk) -> None:
    assert own_directories(desk.home) == ("config/nightledger", "memory/system", "memory/state", "audit")
