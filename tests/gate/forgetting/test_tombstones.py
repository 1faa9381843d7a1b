"""Deleted links: by decisions that verify, and by nothing else."""

from datetime import date

from tests.gate.forgetting_desk import forget, forgotten, grounds
from tests.gate.homes import Desk
from tests.linking import line, outcome

from nightledger.domain.event import Actor
from nightledger.gate.forgetting.deleted import deleted_links
from nightledger.gate.forgetting.letting_go import link_deletion
from nightledger.gate.forgetting.tombstones import tombstones

PAIR = ("cron", "timezone")


def log(desk: Desk, raw: bytes) -> None:
    with open(desk.home.outcomes, "ab") as stream:
        stream.write(raw)


def now(desk: Desk) -> dict[tuple[str, str], int]:
    found = tombstones(desk.gate, desk.ledger())
    assert deleted_links(desk.home, str(desk.ring.directory), Actor.CRON) == found
    return found


def test_an_undone_deletion_counts_no_more_and_a_second_one_counts_anew(desk: Desk) -> None:
    proposal = forgotten(desk, forget())
    desk.undo(proposal)
    assert now(desk) == {}
    log(desk, line(outcome("one")))
    desk.wait(days=1)
    again = forgotten(desk, link_deletion("cron + timezone", 2, date(2026, 2, 1), grounds()))
    assert again.id != proposal.id
    assert now(desk) == {PAIR: 1}


def test_a_deletion_can_be_undone_long_after_its_week(desk: Desk) -> None:
    proposal = forgotten(desk, forget())
    desk.wait(days=40)
    desk.undo(proposal)
    assert now(desk) == {}
