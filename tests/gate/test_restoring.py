import errno
import os
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition
from tests.gate.killing import Killer, dies
from tests.whole import WHOLE

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import IntegrityError
from nightledger.domain.event import EventName
from nightledger.files.atomic import TEMP_SUFFIX
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, open_gate, read_ledger, sign_head
from nightledger.gate.proposing.unproposed import make_unproposed
from nightledger.gate.restoring import accepting_loss, find_loss, log_restore, loss_target, take_over
from nightledger.trust.head import FILE as HEAD
from nightledger.trust.keys import KeyFileError
from nightledger.trust.pin import FILE, Pin, read_pin
from nightledger.trust.reading import VerifiedLog


def copied(desk: Desk, tmp_path: Path) -> Home:
    sign_head(desk.gate, desk.moment)
    shutil.copytree(desk.home.root, tmp_path / "copy")
    return Home(tmp_path / "copy")


def opened(home: Home, desk: Desk) -> Gate:
    return open_gate(home.root, str(desk.ring.directory), actor=desk.gate.actor)


def lost_entries(home: Home, known: Pin | None) -> int:
    return find_loss(home, known).lost


def accept_loss(home: Home, desk: Desk) -> None:
    loss = find_loss(home, read_pin(desk.ring, home.identity.id))
    with accepting_loss(home, desk.ring, loss, desk.moment) as ring:
        beside = replace(desk, gate=open_gate(home.root, str(ring.directory), actor=desk.gate.actor))
        if not loss.must_be_signed:
            log_restore(beside.gate, desk.moment)
        elif not loss.accepted:
            signing = replace(beside.signing(sign=False), head=loss.stands)
            beside.accept(make_unproposed(beside.gate, DecisionType.RESTORE, [loss_target(loss)], signing))
        sign_head(beside.gate, desk.moment)
        take_over(home, ring, "attic")


def killed_at(step: int, home: Home, desk: Desk) -> None:
    Killer(step).arm()
    accept_loss(home, desk)


def loss_in(log: VerifiedLog) -> int:
    (lost,) = (event.fields["lost"] for event in log.events if event.event == EventName.RESTORED)
    return int(lost)


def pin_of(desk: Desk) -> object:
    return read_pin(desk.ring, desk.home.identity.id)


def test_a_copy_that_has_all_that_was_seen_has_lost_nothing(desk: Desk, tmp_path: Path) -> None:
    home = copied(desk, tmp_path)
    assert lost_entries(home, read_pin(desk.ring, home.identity.id)) == 0
    assert lost_entries(home, None) == 0


def test_a_home_that_nobody_saw_and_that_logged_nothing_has_lost_nothing(desk: Desk, tmp_path: Path) -> None:
    home = copied(desk, tmp_path)
    shutil.rmtree(home.audit_dir)
    assert lost_entries(home, None) == 0


def test_what_was_seen_since_is_counted(desk: Desk, tmp_path: Path) -> None:
    home = copied(desk, tmp_path)
    desk.proposal(addition("Use the blue switch."))
    assert lost_entries(home, read_pin(desk.ring, home.identity.id)) == 1
    sign_head(desk.gate, desk.moment)
    desk.proposal(addition("Water the fern."))
    assert lost_entries(home, read_pin(desk.ring, home.identity.id)) == 2


def test_a_log_that_is_shorter_than_its_own_head_is_damaged_and_not_old(desk: Desk, tmp_path: Path) -> None:
    desk.proposal(addition("Use the blue switch."))
    home = copied(desk, tmp_path)
    log = Path(home.audit_log)
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(IntegrityError, match="TRUNCATED"):
        lost_entries(home, None)


def test_another_history_is_never_taken_for_an_old_one(desk: Desk, tmp_path: Path) -> None:
    desk.proposal(addition("Use the blue switch."))
    home = copied(desk, tmp_path)
    log = Path(home.audit_log)
    log.write_bytes(log.read_bytes().replace(b'"changes":1', b'"changes":2'))
    with pytest.raises(IntegrityError, match="EDITED"):
        lost_entries(home, read_pin(desk.ring, home.identity.id))


def test_another_history_that_is_shorter_too_is_not_an_old_one(desk: Desk, tmp_path: Path) -> None:
    desk.proposal(addition("Use the blue switch."))
    home = copied(desk, tmp_path)
    desk.proposal(addition("Water the fern."))
    log = Path(home.audit_log)
    log.write_bytes(log.read_bytes().replace(b'"changes":1', b'"changes":2'))
    with pytest.raises(IntegrityError, match="EDITED"):
        lost_entries(home, read_pin(desk.ring, home.identity.id))


def test_taking_over_names_the_machine_and_stands_in_the_log(desk: Desk, tmp_path: Path) -> None:
    home = copied(desk, tmp_path)
    accept_loss(home, desk)
    home = Home(home.root)
    assert home.identity.machine == "attic"
    assert home.identity.origin == desk.home.identity.origin
    last = read_ledger(opened(home, desk)).log.events[-1]
    assert (last.event, last.fields["lost"]) == (EventName.RESTORED, 0)


def test_what_is_lost_is_accepted_kept_aside_and_logged(desk: Desk, tmp_path: Path) -> None:
    home = copied(desk, tmp_path)
    desk.proposal(addition("Use the blue switch."))
    sign_head(desk.gate, desk.moment)
    genesis = read_pin(desk.ring, home.identity.id).genesis
    accept_loss(home, desk)
    log = read_ledger(opened(home, desk)).log
    assert loss_in(log) == 1
    assert read_pin(desk.ring, home.identity.id).genesis == genesis
    names = {path.name for path in desk.ring.home_dir(home.identity.id).iterdir()}
    assert {f"{FILE}.before-20260301T060000Z", f"{HEAD}.before-20260301T060000Z"} <= names
    with pytest.raises(IntegrityError):
        desk.ledger()  # the home that was replaced is another history from now on


def test_until_the_loss_stands_in_the_log_the_home_is_an_alarm_and_is_restored_again(
    desk: Desk, tmp_path: Path
) -> None:
    home = copied(desk, tmp_path)
    desk.proposal(addition("Use the blue switch."))
    sign_head(desk.gate, desk.moment)
    shutil.copytree(home.root, tmp_path / "again")
    keys = desk.ring.home_dir(home.identity.id)
    before = {path.name: path.read_bytes() for path in keys.iterdir() if path.is_file()}
    step = 0
    while True:
        step += 1 if WHOLE else 3
        shutil.rmtree(home.root)
        shutil.copytree(tmp_path / "again", home.root)
        for path in keys.iterdir():
            path.unlink()
        for name, content in before.items():
            (keys / name).write_bytes(content)
            (keys / name).chmod(0o600)
        if not dies(partial(killed_at, step, home, desk)):
            break
        try:
            read_ledger(opened(home, desk))
        except IntegrityError:
            assert lost_entries(home, read_pin(desk.ring, home.identity.id)) == 1
            accept_loss(home, desk)
            assert not list(desk.ring.directory.glob(".*.restoring"))
        assert loss_in(read_ledger(opened(home, desk)).log) == 1
    assert step > 10


def test_where_the_system_refuses_a_second_name_the_keys_are_copied(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As fs.protected_hardlinks does for files of another user."""
    link = os.link

    def refusing(path: str, name: str, *, follow_symlinks: bool = True) -> None:
        if not str(path).endswith(TEMP_SUFFIX):
            raise PermissionError(errno.EPERM, "no second names here")
        link(path, name, follow_symlinks=follow_symlinks)

    home = copied(desk, tmp_path)
    desk.proposal(addition("Use the blue switch."))
    sign_head(desk.gate, desk.moment)
    monkeypatch.setattr(os, "link", refusing)
    accept_loss(home, desk)
    log = read_ledger(opened(home, desk)).log
    assert log.report.ok
    assert loss_in(log) == 1


def test_a_kept_head_that_was_lost_is_no_obstacle(desk: Desk, tmp_path: Path) -> None:
    home = copied(desk, tmp_path)
    desk.proposal(addition("Use the blue switch."))
    sign_head(desk.gate, desk.moment)
    (desk.ring.home_dir(home.identity.id) / HEAD).unlink()
    accept_loss(home, desk)
    assert read_ledger(opened(home, desk)).log.report.ok


def test_without_the_log_key_nothing_is_taken_over(desk: Desk, tmp_path: Path) -> None:
    home = copied(desk, tmp_path)
    (desk.ring.home_dir(home.identity.id) / "log-ed25519").unlink()
    before = pin_of(desk)
    with pytest.raises(KeyFileError, match="is missing"):
        take_over(home, desk.ring, "attic")
    assert Home(home.root).identity.machine == desk.home.identity.machine
    assert pin_of(desk) == before
