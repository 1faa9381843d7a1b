import os

import pytest
from tests.gate.homes import Desk

from nightledger.domain.errors import LockedError
from nightledger.files.lock import Lock
from nightledger.gate import founding as leaving
from nightledger.gate.founding import remove_disposable
from nightledger.gate.proposing.views import refresh_views


def test_a_run_at_work_keeps_everything_in_place(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "LOCK_TIMEOUT_S", 0.0)
    refresh_views(desk.gate, desk.ledger())
    with Lock(desk.home.lock_path("link")), pytest.raises(LockedError):
        remove_disposable(desk.home)
    assert os.path.lexists(desk.home.entries)
    remove_disposable(desk.home)
