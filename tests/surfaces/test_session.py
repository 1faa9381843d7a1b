import contextlib
import shutil
from pathlib import Path

import pytest
from tests.gate.homes import START, Desk, addition
from tests.surfaces.calling import write_identity
from tests.surfaces.console import Console

from nightledger.domain.errors import ConfigurationError, LockedError, RefusedError
from nightledger.domain.event import Actor
from nightledger.files.blobs import BlobStore
from nightledger.files.lock import Lock
from nightledger.gate.review.editing import propose_edit
from nightledger.surfaces import session
from nightledger.surfaces.context import Context
from nightledger.trust.pin import read_pin
from nightledger.trust.reading import check_log


@pytest.fixture
def desk(console: Console) -> Desk:
    return console.desk


def context(desk: Desk) -> Context:
    return Context(verb="apply", home=desk.home.root, now_text=START.at.isoformat(), json=False)


def signed_size(desk: Desk) -> int:
    return check_log(desk.home, read_pin(desk.ring, desk.home.identity.id)).report.signed_size


def test_a_run_that_appended_signs_its_head_before_it_lets_go(desk: Desk) -> None:
    with session.writing(context(desk)) as at_work:
        assert at_work.gate.actor is Actor.CRON
        desk.proposal(addition("One."))
        assert signed_size(desk) == 1
    assert signed_size(desk) == 2
    assert not Path(desk.home.checkpoints_dir, "2").exists()


def test_a_run_that_failed_signs_what_it_appended(desk: Desk) -> None:
    with contextlib.suppress(RefusedError), session.writing(context(desk), keep_head=True):
        desk.proposal(addition("One."))
        raise RefusedError("half way")
    assert signed_size(desk) == 2
    assert Path(desk.home.checkpoints_dir, "2").exists()


def test_a_run_that_appended_nothing_signs_nothing(desk: Desk) -> None:
    before = Path(desk.home.checkpoint).read_bytes()
    with session.writing(context(desk), actor=Actor.AGENT) as at_work:
        assert at_work.gate.actor is Actor.AGENT
    assert Path(desk.home.checkpoint).read_bytes() == before


def test_what_a_crash_cut_short_is_mended_first(desk: Desk) -> None:
    proposal = propose_edit(desk.gate, desk.ledger(), "MEMORY.md", b"new\n", desk.moment)
    assert proposal is not None
    with session.writing(context(desk)) as at_work:
        assert at_work.ledger.book.proposals[proposal.id].open_changes() == ()
    assert signed_size(desk) == 3


def test_one_run_at_a_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "LOCK_TIMEOUT_S", 0.0)
    with Lock(desk.home.lock_path()), pytest.raises(LockedError), session.writing(context(desk)):
        pass


def test_looking_takes_no_lock_and_writes_nothing(desk: Desk) -> None:
    with Lock(desk.home.lock_path()):  # the lock's own file
        pass
    files = sorted(path for path in desk.root.rglob("*") if path.is_file())
    with Lock(desk.home.lock_path()), session.reading(context(desk)) as looking:
        assert looking.moment.at == START.at
    assert sorted(path for path in desk.root.rglob("*") if path.is_file()) == files


def test_another_machine_may_look_and_not_write(desk: Desk) -> None:
    write_identity(desk.home, machine="elsewhere")
    with session.reading(context(desk)):
        pass
    with pytest.raises(RefusedError, match="is written by 'elsewhere'"), session.writing(context(desk)):
        pass


def test_a_home_without_its_keys_is_not_written(desk: Desk) -> None:
    shutil.rmtree(desk.ring.directory)
    with pytest.raises(ConfigurationError), session.writing(context(desk)):
        pass


def test_views_are_refreshed_from_the_log_as_it_is_now(desk: Desk) -> None:
    with session.writing(context(desk)):
        proposal = desk.proposal(addition("One."))
    assert proposal.id in Path(desk.home.pending_view).read_text()


def test_what_a_crash_cut_short_is_finished_before_a_person_sees_it(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    (decision,) = desk.approve(proposal)
    blobs = BlobStore(desk.home.blobs_dir)
    before, after = blobs.put(desk.memory.read_bytes()), blobs.put(b"new\n")
    target = {
        "path": "MEMORY.md",
        "before": before,
        "after": after,
        "signed_base": before,
        "signed_result": after,
    }
    fields = {"decision": decision.id, "proposal": proposal.id, "changes": [1], "targets": [target]}
    desk.record("apply.intent", apply=f"a-{'a' * 26}", **fields)
    with session.reading(context(desk)) as looking:
        assert looking.ledger.book.unfinished()
    with session.reading(context(desk), person=True) as asking:
        assert not asking.ledger.book.unfinished()
    assert desk.events()[-1] == "apply.aborted"


def test_a_persons_answers_wait_for_a_run_at_work_for_so_long(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(session, "LOCK_TIMEOUT_S", 0.0)
    monkeypatch.setattr(session, "PATIENCE_S", 0.05)
    with (
        Lock(desk.home.lock_path()),
        pytest.raises(LockedError),
        session.writing(context(desk), answered=True),
    ):
        pass
    assert "what you answered waits for its end" in capsys.readouterr().err
