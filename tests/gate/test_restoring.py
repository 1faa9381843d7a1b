import dataclasses
import shutil
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from tests.gate.homes import Desk, addition
from tests.gate.killing import Killer, dies
from tests.whole import WHOLE

from nightledger.domain.decision import DecisionType, EventName
from nightledger.domain.errors import IntegrityError
from nightledger.files.home import Home
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.opening import Gate, open_gate, read_ledger, sign_head
from nightledger.gate.restoring import accepting_loss, find_loss, log_restore, loss_target, take_over
from nightledger.trust.audit import VerifiedLog
from nightledger.trust.pin import Pin, read_pin


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
        beside = dataclasses.replace(
            desk, gate=open_gate(home.root, str(ring.directory), actor=desk.gate.actor)
        )
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
