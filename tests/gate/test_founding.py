import hashlib
import os
from functools import partial
from pathlib import Path

import pytest
from tests.gate.homes import HOME_ID, MEMORY, START, Desk, make_founding
from tests.gate.killing import Killer, dies
from tests.whole import WHOLE

from nightledger.domain.decision import Actor
from nightledger.domain.errors import (
    LockedError,
)
from nightledger.files.atomic import Lock
from nightledger.gate import founding
from nightledger.gate.founding import found, remove_disposable
from nightledger.gate.opening import open_gate, read_ledger
from nightledger.gate.views import refresh_views


def workspace(root: Path) -> Path:
    (root / "home").mkdir()
    (root / "home" / "MEMORY.md").write_text(MEMORY)
    return root / "home"


def test_a_kill_at_any_step_of_init_is_completed_by_the_next_one(tmp_path: Path) -> None:
    dead, step = True, 1
    while dead:
        root = tmp_path / str(step)
        root.mkdir()
        home = workspace(root)
        dead = dies(partial(killed_init, root, step))
        begun = (root / "keys" / HOME_ID / "operator.pub").exists()
        identity = found(make_founding(root), None, START)
        gate = open_gate(str(home), str(root / "keys"), actor=Actor.HUMAN)
        ledger = read_ledger(gate)
        assert [event.event for event in ledger.log.events] == ["genesis"]
        assert ledger.log.size == 1
        assert ledger.book.gated["MEMORY.md"] == hashlib.sha256(MEMORY.encode()).hexdigest()
        assert identity.id == HOME_ID
        assert (home / "MEMORY.md").read_text() == MEMORY
        # once keys are made, every step is tried (every fourth in 'make test'): the log is begun, acknowledged, pinned, signed
        step += (1 if WHOLE else 4) if begun else 8
    assert step > 40


def killed_init(root: Path, step: int) -> None:
    Killer(step).arm()
    found(make_founding(root), None, START)


def test_a_run_at_work_keeps_everything_in_place(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(founding, "LOCK_TIMEOUT_S", 0.0)
    refresh_views(desk.gate, desk.ledger())
    with Lock(desk.home.lock_path("link")), pytest.raises(LockedError):
        remove_disposable(desk.home)
    assert os.path.lexists(desk.home.entries)
    remove_disposable(desk.home)
