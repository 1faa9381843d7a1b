from tests.gate.homes import MEMORY, addition
from tests.surfaces.console import Console


def test_with_nothing_signed_it_is_silent_for_cron_and_says_so_to_people(console: Console) -> None:
    assert console.out("apply") == ""
    assert console.out("apply", typed=[]) == "Nothing is signed that is not applied.\n"
    assert console.record("apply") == []


def test_early_it_changes_nothing_and_says_so_to_who_asked(console: Console) -> None:
    proposal = console.desk.proposal(addition("One."))
    console.out("approve", proposal.id)
    assert console.out("apply") == ""
    ran = console.run("apply", proposal.id)
    assert ran.status == 1
    assert ran.out == f"{proposal.id[:6]} is cooling: 2 h 0 min to go. Nothing was changed.\n"
    console.desk.wait(hours=1, minutes=59, seconds=1)
    assert "1 min to go" in console.run("apply", proposal.id).out
    assert console.desk.text() == MEMORY
