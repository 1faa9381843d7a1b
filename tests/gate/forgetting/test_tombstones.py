"""Deleted links: by decisions that verify, and by nothing else."""

from datetime import date
from pathlib import Path

from tests.gate.forgetting_desk import forget, forgotten, grounds
from tests.gate.homes import Desk
from tests.linking import line, lines, outcome

from nightledger.domain.event import Actor
from nightledger.gate.forgetting.deleted import deleted_links
from nightledger.gate.forgetting.letting_go import link_deletion
from nightledger.gate.forgetting.tombstones import count_outcomes, tombstones

PAIR = ("cron", "timezone")


def log(desk: Desk, raw: bytes) -> None:
    with open(desk.home.outcomes, "ab") as stream:
        stream.write(raw)


def now(desk: Desk) -> dict[tuple[str, str], int]:
    found = tombstones(desk.gate, desk.ledger())
    assert deleted_links(desk.home, str(desk.ring.directory), Actor.CRON) == found
    return found


def test_a_link_is_deleted_as_of_the_outcomes_that_there_were(desk: Desk) -> None:
    records = [outcome(n) for n in range(3)]
    log(desk, lines(records) + line(records[0]) + b"no record\n")
    assert count_outcomes(desk.home) == 3
    assert now(desk) == {}
    forgotten(desk, forget())
    assert now(desk) == {PAIR: 3}
    log(desk, line(outcome("later")))
    assert now(desk) == {PAIR: 3}


def test_an_undone_deletion_counts_no_more_and_a_second_one_counts_anew(desk: Desk) -> None:
    proposal = forgotten(desk, forget())
    desk.undo(proposal)
    assert now(desk) == {}
    log(desk, line(outcome("one")))
    desk.wait(days=1)
    again = forgotten(desk, link_deletion("cron + timezone", 2, date(2026, 2, 1), grounds()))
    assert again.id != proposal.id
    assert now(desk) == {PAIR: 1}


def test_a_proposal_or_a_decision_that_was_altered_deletes_nothing(desk: Desk) -> None:
    proposal = forgotten(desk, forget())
    path = Path(desk.home.proposal(proposal.id))
    content = path.read_bytes()
    path.write_bytes(content.replace(b"cron + timezone", b"disk + timezone"))
    assert now(desk) == {}
    path.write_bytes(content)
    (apply,) = desk.ledger().book.applies.values()
    signature = Path(f"{desk.home.decision(apply.decision)}.sig")
    signature.write_bytes(signature.read_bytes()[:-40])
    assert now(desk) == {}


def test_a_deletion_can_be_undone_long_after_its_week(desk: Desk) -> None:
    proposal = forgotten(desk, forget())
    desk.wait(days=40)
    desk.undo(proposal)
    assert now(desk) == {}
