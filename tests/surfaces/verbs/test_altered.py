"""One altered proposal: it is set aside and named, and everything else goes on."""

from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, addition
from tests.surfaces.console import Console

from nightledger.domain.proposal import Proposal


@pytest.fixture
def altered(console: Console) -> tuple[Proposal, Proposal]:
    """Give a proposal whose file was changed by hand, and one that was not."""
    first, second = console.desk.proposal(addition("One.")), console.desk.proposal(addition("Two."))
    path = Path(console.desk.home.proposal(first.id))
    path.write_bytes(path.read_bytes().replace(b"One.", b"Own."))
    return first, second


def test_lists_show_it_as_altered_and_say_nothing_of_what_is_in_it(
    console: Console, altered: tuple[Proposal, Proposal]
) -> None:
    first, second = altered
    records = {record["id"]: record for record in console.record("proposals")}
    assert (records[first.id]["state"], records[second.id]["state"]) == ("altered", "pending")
    assert records[first.id]["changes"] == []
    assert set(records[first.id]) == set(records[second.id])
    out = console.out("proposals")
    assert f"{first.id}  altered   set aside" in out
    assert "put it back from a backup" in out
    assert "Own." not in out


def test_one_that_is_closed_is_listed_with_the_closed_ones(
    console: Console, altered: tuple[Proposal, Proposal]
) -> None:
    first, second = altered
    console.desk.record("proposal.closed", proposal=first.id, changes=[1], reason="withdrawn")
    assert [record["id"] for record in console.record("proposals")] == [second.id]
    everything = {record["id"]: record["state"] for record in console.record("proposals", "--all")}
    assert everything == {first.id: "altered", second.id: "pending"}
    assert console.run("verify").status == 4


def test_a_review_names_it_and_asks_about_the_others(
    console: Console, altered: tuple[Proposal, Proposal]
) -> None:
    first, second = altered
    out = console.out("review", typed=["y"])
    assert f"! {first.id} was altered after it was proposed and is set aside" in " ".join(out.split())
    assert "1 change(s) in 1 proposal(s) wait for you." in out
    assert "Own." not in out
    assert console.desk.states(second) == ["approved"]
    assert console.desk.states(first) == ["pending"]


@pytest.mark.parametrize("words", [("approve",), ("reject", "--reason", "no"), ("show",), ("review",)])
def test_nobody_can_answer_it(
    console: Console, altered: tuple[Proposal, Proposal], words: tuple[str, ...]
) -> None:
    first, _ = altered
    ran = console.run(words[0], first.id, *words[1:])
    assert "Own." not in ran.out + ran.err
    assert console.desk.states(first) == ["pending"]
    if words[0] != "review":
        assert ran.status == 4
        assert f"{first.id}.json was changed after it was proposed" in ran.err
        assert "put it back from a backup; until then it counts for nothing" in ran.err


def test_status_doctor_and_verify_name_it_and_verify_ends_with_an_alarm(
    console: Console, altered: tuple[Proposal, Proposal]
) -> None:
    first, _ = altered
    name = f"memory/state/proposals/{first.id}.json"
    ran = console.run("verify")
    assert ran.status == 4
    assert f"ALTERED {name}: " in ran.out
    assert "Put each back from a backup" in ran.out
    assert name in "".join(console.run("doctor").out.split())
    status = console.record("status")
    assert name in status["alarms"][0]["message"]
    assert status["waiting"] == {"proposals": 1, "changes": 1, "oldest_at": "2026-03-01T06:00:00Z"}
    assert console.run("status", "--exit-code").status == 4


def test_signed_and_altered_it_is_not_applied_and_the_rest_is(console: Console) -> None:
    first, second = console.desk.proposal(addition("One.")), console.desk.proposal(addition("Two."))
    console.desk.approve(first)
    console.desk.approve(second)
    Path(console.desk.home.proposal(first.id)).write_bytes(b"{}")
    console.desk.wait(hours=3)
    ran = console.run("apply")
    assert ran.status == 4
    assert f"{first.id} was not applied: it is set aside: " in ran.out
    assert f"Applied change 1 of {second.id}" in ran.out
    assert "- Two." in console.desk.text()
    assert "One." not in console.desk.text()
    assert [term["proposal"] for term in console.record("status")["signed"]] == []


def test_an_altered_decision_holds_up_no_other(console: Console) -> None:
    first, second = console.desk.proposal(addition("One.")), console.desk.proposal(addition("Two."))
    (decision,) = console.desk.approve(first)
    console.desk.approve(second)
    Path(console.desk.home.decision(decision.id)).unlink()
    console.desk.wait(hours=3)
    ran = console.run("apply")
    assert ran.status == 4
    assert f"{decision.id}.json is missing" in ran.out
    assert console.desk.states(first) + console.desk.states(second) == ["approved", "applied"]


def test_put_back_it_is_what_it_was(console: Console) -> None:
    proposal = console.desk.proposal(addition("One."))
    path = Path(console.desk.home.proposal(proposal.id))
    good = path.read_bytes()
    path.write_bytes(b"")
    assert "Nothing waits for you." in console.out("review", typed=[])
    assert path.read_bytes() == b""
    path.write_bytes(good)
    console.out("review", typed=["y"])
    console.desk.wait(hours=3)
    console.out("apply")
    assert console.desk.text() != MEMORY
    assert console.run("verify").status == 0


def test_nights_agents_and_views_go_on(console: Console, altered: tuple[Proposal, Proposal]) -> None:
    first, second = altered
    console.out("propose", "--text", "Keep the logs for a year.", "--reason", "they were asked for")
    console.desk.wait(days=1)
    ran = console.run("night")
    assert ran.status == 0, ran.err
    view = Path(console.desk.home.pending_view).read_text()
    assert second.id in view
    assert first.id not in view
    assert console.run("rebuild", "--check").status == 0
