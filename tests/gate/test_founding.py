import hashlib
import os
from functools import partial
from pathlib import Path

import pytest
from tests.gate.homes import HOME_ID, MEMORY, START, Desk, make_founding, open_desk
from tests.gate.killing import dies_at
from tests.whole import WHOLE

from nightledger.domain.errors import LockedError
from nightledger.files.atomic import Lock
from nightledger.gate import founding
from nightledger.gate.founding import found, remove_disposable
from nightledger.gate.views import refresh_views


def test_a_kill_at_any_step_of_init_is_completed_by_the_next_one(tmp_path: Path) -> None:
    dead, step = True, 1
    while dead:
        root = tmp_path / str(step)
        (root / "home").mkdir(parents=True)
        memory = root / "home" / "MEMORY.md"
        memory.write_text(MEMORY)
        dead = dies_at(step, partial(found, make_founding(root), None, START))
        begun = (root / "keys" / HOME_ID / "operator.pub").exists()
        identity = found(make_founding(root), None, START)
        made = open_desk(root)
        assert made.events() == ["genesis"]
        assert made.ledger().book.gated["MEMORY.md"] == hashlib.sha256(MEMORY.encode()).hexdigest()
        assert (identity.id, memory.read_text()) == (HOME_ID, MEMORY)
        # once keys are made, every step is tried (every fourth in 'make test'): the log is begun, acknowledged, pinned, signed
        step += (1 if WHOLE else 4) if begun else 8
    assert step > 40


def test_a_run_at_work_keeps_everything_in_place(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(founding, "LOCK_TIMEOUT_S", 0.0)
    refresh_views(desk.gate, desk.ledger())
    with Lock(desk.home.lock_path("link")), pytest.raises(LockedError):
        remove_disposable(desk.home)
    assert os.path.lexists(desk.home.entries)
    remove_disposable(desk.home)
