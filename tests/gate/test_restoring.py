import dataclasses
import shutil
from pathlib import Path

from msgspec.structs import replace
from tests.gate.homes import Desk, addition, open_desk
from tests.gate.killing import deaths
from tests.whole import WHOLE

from nightledger.domain.decision import DecisionType, EventName
from nightledger.domain.errors import IntegrityError
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.opening import open_gate, sign_head
from nightledger.gate.restoring import Loss, accepting_loss, find_loss, log_restore, loss_target, take_over
from nightledger.trust.pin import read_pin


def loss_of(desk: Desk) -> Loss:
    return find_loss(desk.home, read_pin(desk.ring, desk.home.identity.id))


def accept_loss(desk: Desk) -> None:
    loss = loss_of(desk)
    with accepting_loss(desk.home, desk.ring, loss, desk.moment) as ring:
        gate = open_gate(desk.home.root, str(ring.directory), actor=desk.gate.actor)
        beside = dataclasses.replace(desk, gate=gate)
        if not loss.must_be_signed:
            log_restore(gate, desk.moment)
        elif not loss.accepted:
            signing = replace(beside.signing(sign=False), head=loss.stands)
            beside.accept(make_unproposed(gate, DecisionType.RESTORE, [loss_target(loss)], signing))
        sign_head(gate, desk.moment)
        take_over(desk.home, ring, "attic")


def test_until_the_loss_stands_in_the_log_the_home_is_an_alarm_and_is_restored_again(
    template: Path, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    shutil.copytree(template, base)
    desk = open_desk(base)
    desk.proposal(addition("Use the blue switch."))
    sign_head(desk.gate, desk.moment)
    shutil.rmtree(base / "home")
    shutil.copytree(template / "home", base / "home")
    for root in deaths(base, tmp_path, lambda root: accept_loss(open_desk(root)), 1 if WHOLE else 3):
        left = open_desk(root)
        try:
            left.ledger()
        except IntegrityError:
            assert loss_of(left).lost == 1
            accept_loss(left)
            assert not list(left.ring.directory.glob(".*.restoring"))
        events = left.ledger().log.events
        assert [event.fields["lost"] for event in events if event.event == EventName.RESTORED] == [1]
