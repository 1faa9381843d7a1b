"""One altered proposal: it is set aside and named, and everything else goes on."""

from pathlib import Path

import pytest
from tests.gate.homes import addition
from tests.surfaces.console import Console

from nightledger.codec.records import decode_record
from nightledger.demo.shell import Ran
from nightledger.domain.decision import Decision, DecisionType
from nightledger.domain.proposal import Proposal


@pytest.fixture
def altered(console: Console) -> tuple[Proposal, Proposal]:
    """Give a proposal whose file was changed by hand, and one that was not."""
    first, second = console.desk.proposal(addition("One.")), console.desk.proposal(addition("Two."))
    path = Path(console.desk.home.proposal(first.id))
    path.write_bytes(path.read_bytes().replace(b"One.", b"Own."))
    return first, second


@pytest.mark.parametrize("words", [("approve",), ("show",), ("review",)])
def test_nobody_can_approve_or_show_it(
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


def closing(console: Console, proposal: Proposal) -> Ran:
    return console.run("reject", proposal.id, "--reason", "there is no backup")


def test_to_reject_it_is_to_close_it_and_verify_holds_again_and_says_so(
    console: Console, altered: tuple[Proposal, Proposal]
) -> None:
    first, second = altered
    ran = closing(console, first)
    assert ran.status == 0, ran.err
    assert f"Closed {first.id[:6]}: its file is not what was logged." in ran.out
    assert "Own." not in ran.out
    assert console.desk.states(first) == ["rejected"]
    verified = console.run("verify")
    assert verified.status == 0
    assert f"note: the file of {first.id} is not what was logged; it was closed for that" in verified.out
    assert "ALTERED" not in verified.out
    record = console.record("verify")
    assert (record["ok"], record["altered"], record["altered_and_closed"]) == (True, [], [first.id])
    assert first.id not in console.out("review", typed=["q"])
    assert console.run("doctor", "--all").out.count("was changed after it was proposed") == 0
    assert console.record("status")["alarms"] == []
    assert [item["id"] for item in console.record("proposals")] == [second.id]
    assert "and you closed it" in " ".join(console.out("proposals", "--all").split())


def test_the_closing_is_signed_over_what_was_logged(
    console: Console, altered: tuple[Proposal, Proposal]
) -> None:
    first, _ = altered
    logged = console.desk.ledger().book.proposals[first.id].sha256
    record = console.record("reject", first.id, "--reason", "there is no backup")
    assert (record["type"], record["proposal"], record["changes"]) == ("close", first.id, [1])
    content = Path(console.desk.home.decision(record["decision"])).read_bytes()
    decision = decode_record(Decision, content, where="here")
    assert (decision.type, decision.proposal_sha256) == (DecisionType.CLOSE, logged)
    assert (decision.targets, decision.reason) == ((), "there is no backup")
    Path(console.desk.home.decision(record["decision"])).unlink()
    assert console.run("verify").status == 4


def test_it_is_closed_once_and_whole(console: Console, altered: tuple[Proposal, Proposal]) -> None:
    first, second = altered
    ran = console.run("reject", first.id, "--reason", "no", "--only", "1")
    assert (ran.status, console.desk.states(first)) == (2, ["pending"])
    assert "nobody knows what change 1 says" in ran.err
    assert closing(console, first).status == 0
    again = closing(console, first)
    assert again.status == 2
    assert f"{first.id[:6]} was closed before" in again.err
    assert closing(console, second).status == 0
    assert console.desk.states(second) == ["rejected"]


def test_an_altered_rejection_is_closed_by_nothing_but_its_removal(console: Console) -> None:
    proposal = console.desk.proposal(addition("One."))
    (rejection,) = console.desk.reject(proposal)
    path = Path(console.desk.home.decision(rejection.id))
    path.write_bytes(b"the-blue-key-4411\n")
    assert console.run("verify").status == 4
    console.desk.wait(hours=1)
    assert console.run("expunge", "--text-from-stdin", stdin="the-blue-key-4411").status == 1
    assert path.exists()
    assert console.run("expunge", "--altered", "--text-from-stdin", stdin="the-blue-key-4411").status == 0
    assert not path.exists()
    assert console.run("verify").status == 0
    path.write_bytes(b"{}")
    assert console.run("verify").status == 4
