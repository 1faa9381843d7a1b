import hashlib
import os
from pathlib import Path

import pytest
from tests.gate.homes import HOME_ID, MEMORY, START, Desk, make_founding, open_desk
from tests.gate.killing import deaths
from tests.whole import WHOLE

from nightledger.codec.home_record import Identity
from nightledger.domain.errors import LockedError
from nightledger.files.atomic import Lock
from nightledger.gate import founding
from nightledger.gate.founding import found, remove_disposable
from nightledger.gate.views import refresh_views
from nightledger.trust.keys import KeyRing, create_log_keys
from nightledger.trust.note import has_mldsa


def test_a_kill_at_any_step_of_init_is_completed_by_the_next_one(tmp_path: Path) -> None:
    (tmp_path / "base" / "home").mkdir(parents=True)
    (tmp_path / "base" / "home" / "MEMORY.md").write_text(MEMORY)

    def work(root: Path) -> Identity:
        return found(make_founding(root), None, START)

    for root in deaths(tmp_path / "base", tmp_path, work, 1 if WHOLE else 4):
        assert work(root).id == HOME_ID
        made = open_desk(root)
        assert made.events() == ["genesis"]
        assert made.ledger().book.gated["MEMORY.md"] == hashlib.sha256(MEMORY.encode()).hexdigest()
        assert made.text() == MEMORY


@pytest.mark.skipif(not has_mldsa(), reason="this platform's cryptography has no ML-DSA")
def test_an_init_that_was_cut_short_between_the_logs_keys_makes_the_other_one(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    create_log_keys(KeyRing(tmp_path / "keys"), HOME_ID)
    (second := tmp_path / "keys" / HOME_ID / "log-mldsa44").unlink()
    found(make_founding(tmp_path), None, START)
    assert second.exists()


@pytest.mark.skipif(not has_mldsa(), reason="this platform's cryptography has no ML-DSA")
def test_no_key_is_made_beside_those_that_the_policy_names(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    identity = found(make_founding(tmp_path), None, START)
    (second := tmp_path / "keys" / identity.id / "log-mldsa44").unlink()
    (tmp_path / "home" / "audit" / "checkpoint").unlink()
    found(make_founding(tmp_path), None, START)
    assert not second.exists()


def test_a_run_at_work_keeps_everything_in_place(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(founding, "LOCK_TIMEOUT_S", 0.0)
    refresh_views(desk.gate, desk.ledger())
    with Lock(desk.home.lock_path("link")), pytest.raises(LockedError):
        remove_disposable(desk.home)
    assert os.path.lexists(desk.home.entries)
    remove_disposable(desk.home)
