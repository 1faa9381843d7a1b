from datetime import date, timedelta

from tests.gate.homes import Desk, addition

from nightledger.domain.lanes import AGENT, JOB
from nightledger.gate.daily import close_day


def close(desk: Desk, day: str | int) -> dict[str, int]:
    """Close a log day; a number counts from the first of January, as days that a night catches up with do."""
    name = day if isinstance(day, str) else (date(2026, 1, 1) + timedelta(days=day)).isoformat()
    return close_day(desk.gate, desk.ledger(), name, desk.moment)


def test_fourteen_days_on_which_someone_could_have_reviewed_withdraw_a_proposal(desk: Desk) -> None:
    job = desk.proposal(addition("One.", rank=0.9), addition("Two."), lane=JOB)
    agent = desk.proposal(addition("Three."), lane=AGENT)
    asked = desk.proposal(addition("Four."))
    answered = desk.proposal(addition("Five."), lane=JOB, period="2026-02-27")
    desk.approve(answered)
    desk.approve(job, only=[1])
    for n in range(14):
        desk.wait(days=1)
        assert close(desk, 60 + n) == {"withdrawn": 0, "waiting": 3}
    desk.wait(days=1)
    assert close(desk, 74) == {"withdrawn": 2, "waiting": 1}
    assert desk.states(job) == ["approved", "withdrawn"]
    assert desk.states(agent) == ["withdrawn"]
    assert desk.states(asked) == ["pending"]
    assert desk.states(answered) == ["approved"]
    closed = [event for event in desk.ledger().log.events if event.event == "proposal.closed"]
    assert [event.fields["reason"] for event in closed] == ["withdrawn", "withdrawn"]
    assert closed[0].fields["changes"] == [2]


def test_a_run_that_catches_up_counts_as_one_day(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."), lane=JOB)
    desk.wait(days=30)
    for n in range(20):
        desk.wait(minutes=1)
        close(desk, 30 + n)
    assert desk.states(proposal) == ["pending"]
    for n in range(13):
        desk.wait(days=1)
        close(desk, 60 + n)
    assert desk.states(proposal) == ["pending"]
    desk.wait(days=1)
    close(desk, 73)
    assert desk.states(proposal) == ["withdrawn"]


def test_days_that_were_signed_before_a_proposal_do_not_count(desk: Desk) -> None:
    for n in range(20):
        desk.wait(days=1)
        close(desk, n)
    desk.wait(hours=1)
    proposal = desk.proposal(addition("One."), lane=JOB)
    desk.wait(days=1)
    close(desk, 59)
    assert desk.states(proposal) == ["pending"]
