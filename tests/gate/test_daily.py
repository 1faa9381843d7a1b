from datetime import date, timedelta

from tests.gate.homes import Desk, addition

from nightledger.domain.judge import JOB
from nightledger.gate.keeping import close_day


def close(desk: Desk, day: str | int) -> dict[str, int]:
    """Close a log day; a number counts from the first of January, as days that a night catches up with do."""
    name = day if isinstance(day, str) else (date(2026, 1, 1) + timedelta(days=day)).isoformat()
    return close_day(desk.gate, desk.ledger(), name, desk.moment)


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
