"""One altered proposal: it is set aside and named, and everything else goes on."""

from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, addition
from tests.gate.signers import let_sign, new_key
from tests.surfaces.console import Console

from nightledger.codec.records import decode_record
from nightledger.demo.shell import Ran
from nightledger.domain.decision import Decision, DecisionType
from nightledger.domain.proposal import Proposal
from nightledger.files.blobs import BlobStore
from nightledger.surfaces import signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session
from nightledger.trust.sshsig import Signer


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
    out = console.out("review", typed=["y", "y"])
    assert f"! {first.id} was altered after it was proposed and is set aside" in " ".join(out.split())
    assert "1 change(s) in 1 proposal(s) wait for you." in out
    assert "Own." not in out
    assert console.desk.states(second) == ["approved"]
    assert console.desk.states(first) == ["pending"]


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


def test_status_doctor_and_verify_name_it_and_verify_ends_with_an_alarm(
    console: Console, altered: tuple[Proposal, Proposal]
) -> None:
    first, _ = altered
    name = f"memory/state/proposals/{first.id}.json"
    ran = console.run("verify")
    assert ran.status == 4
    assert f"ALTERED {name}: " in ran.out
    assert "Put each back from a backup" in ran.out
    assert name in "".join(console.run("doctor", "--all").out.split())
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
    console.out("review", typed=["y", "y"])
    console.desk.wait(hours=3)
    console.out("apply")
    assert console.desk.text() != MEMORY
    assert console.run("verify").status == 0


def test_nights_agents_and_views_go_on(console: Console, altered: tuple[Proposal, Proposal]) -> None:
    first, second = altered
    console.out("propose", "--text", "Keep the logs for a year.", "--reason", "they were asked for")
    console.desk.wait(days=1)
    ran = console.run("night")
    assert (ran.status, first.id in ran.err, second.id in ran.err) == (4, True, False)
    view = Path(console.desk.home.pending_view).read_text()
    assert second.id in view
    assert first.id not in view
    assert console.run("rebuild", "--check").status == 0


def closing(console: Console, proposal: Proposal) -> Ran:
    return console.run("reject", proposal.id, "--reason", "there is no backup")


def test_to_reject_it_is_to_close_it_and_verify_holds_again_and_says_so(
    console: Console, altered: tuple[Proposal, Proposal]
) -> None:
    first, second = altered
    ran = closing(console, first)
    assert ran.status == 0, ran.err
    assert f"Closed {first.id}: its file is not what was logged." in ran.out
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


def test_what_was_signed_of_it_is_not_applied_and_what_was_applied_stays(console: Console) -> None:
    proposal = console.desk.proposal(addition("One.", rank=0.9), addition("Two."))
    console.desk.approve(proposal, only=[1])
    console.desk.wait(hours=3)
    console.out("apply")
    console.desk.approve(proposal, only=[2])
    Path(console.desk.home.proposal(proposal.id)).unlink()
    assert closing(console, proposal).status == 0
    assert console.desk.states(proposal) == ["applied", "rejected"]
    console.desk.wait(hours=3)
    assert console.run("apply").status == 0
    assert "- One.\n" in console.desk.text()
    assert "Two." not in console.desk.text()
    assert console.run("verify").status == 0


def test_one_that_was_settled_long_ago_can_be_closed_too(console: Console) -> None:
    proposal = console.desk.proposal(addition("One."))
    console.desk.reject(proposal)
    path = Path(console.desk.home.proposal(proposal.id))
    content = path.read_bytes()
    path.write_bytes(b"{}")
    assert console.run("verify").status == 4
    assert closing(console, proposal).status == 0
    assert console.run("verify").status == 0
    path.write_bytes(content)
    assert console.record("verify")["altered_and_closed"] == []


def test_it_is_closed_once_and_whole(console: Console, altered: tuple[Proposal, Proposal]) -> None:
    first, second = altered
    ran = console.run("reject", first.id, "--reason", "no", "--only", "1")
    assert (ran.status, console.desk.states(first)) == (2, ["pending"])
    assert "nobody knows what change 1 says" in ran.err
    assert closing(console, first).status == 0
    again = closing(console, first)
    assert again.status == 2
    assert f"{first.id} was closed before" in again.err
    assert closing(console, second).status == 0
    assert console.desk.states(second) == ["rejected"]


def test_one_that_is_put_back_while_the_key_is_unlocked_is_not_closed(
    console: Console, altered: tuple[Proposal, Proposal], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = altered
    path = Path(console.desk.home.proposal(first.id))
    real = signing.unlock

    def meanwhile(seen: Session, context: Context) -> Signer:
        path.write_bytes(path.read_bytes().replace(b"Own.", b"One."))
        return real(seen, context)

    monkeypatch.setattr(signing, "unlock", meanwhile)
    ran = closing(console, first)
    assert ran.status == 1
    assert "was put back or closed meanwhile; nothing was signed" in ran.err
    assert console.desk.states(first) == ["pending"]


def test_while_nobody_can_tell_who_may_sign_agents_and_the_guard_go_on(console: Console) -> None:
    ready = console.desk.proposal(addition("One."))
    console.desk.approve(ready)
    let_sign(console.desk, new_key(console.desk.root, "ann"), "ann")
    (changed,) = (s for s in console.desk.ledger().book.decisions.values() if s.type is DecisionType.TRUST)
    path = Path(console.desk.home.decision(changed.id))
    content = path.read_bytes()
    Path(BlobStore(console.desk.home.blobs_dir).path(changed.sha256)).unlink()
    path.write_bytes(content.replace(b"trust", b"trost"))
    console.desk.wait(hours=3)
    assert console.run("propose", "--section", "Lessons", "--text", "Two.", "--reason", "x").status == 0
    console.desk.memory.write_text(f"{MEMORY}- Three.\n")
    assert "changed outside the gate" in console.out("guard")
    assert console.run("apply").status == 4
    assert "One." not in console.desk.text()
    ran = console.run("key", "list")
    assert (ran.status, "until then nobody may sign, and nothing is applied" in ran.err) == (4, True)
    path.write_bytes(content)
    assert console.run("key", "list").status == 0


@pytest.mark.parametrize("suffix", ["", ".sig"])
def test_an_altered_approval_that_was_rejected_is_told_as_a_note(console: Console, suffix: str) -> None:
    proposal = console.desk.proposal(addition("One."))
    (decision,) = console.desk.approve(proposal)
    Path(f"{console.desk.home.decision(decision.id)}{suffix}").unlink()
    assert console.run("verify").status == 4
    console.desk.wait(hours=1)
    assert console.run("reject", proposal.id, "--reason", "its approval is gone").status == 0
    verified = console.run("verify")
    assert verified.status == 0, verified.out
    note = (
        f"note: the file of {decision.id} is not what was logged; what it approved was rejected on "
        "2026-03-01 07:00 UTC, and it counts for nothing"
    )
    assert verified.out.count(note) == 1
    assert "ALTERED" not in verified.out
    assert console.record("verify")["altered_and_closed"] == [decision.id]
    assert console.run("doctor", "--all").out.count(decision.id) == 0


def test_an_altered_approval_of_which_something_is_left_stays_an_alarm(console: Console) -> None:
    proposal = console.desk.proposal(addition("One.", rank=0.9), addition("Two."))
    (decision,) = console.desk.approve(proposal)
    Path(console.desk.home.decision(decision.id)).write_bytes(b"{}")
    assert console.run("reject", proposal.id, "--only", "1", "--reason", "no").status == 0
    assert console.run("verify").status == 4
    assert console.run("reject", proposal.id, "--only", "2", "--reason", "no").status == 0
    assert console.run("verify").status == 0


def test_a_rejection_that_nobody_signed_closes_nothing(console: Console) -> None:
    """Who has the log's key could add its entry."""
    proposal = console.desk.proposal(addition("One."))
    (decision,) = console.desk.approve(proposal)
    Path(console.desk.home.decision(decision.id)).write_bytes(b"{}")
    (rejection,) = console.desk.reject(proposal)
    Path(f"{console.desk.home.decision(rejection.id)}.sig").write_text("no signature")
    assert [found["path"] for found in console.record("verify")["altered"]] == [
        f"audit/decisions/{decision.id}.json",
        f"audit/decisions/{rejection.id}.json.sig",
    ]


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
    verified = console.run("verify")
    assert verified.status == 0, verified.out
    assert (
        f"the file of {rejection.id} is not what was logged; it was expunged on 2026-03-01 07:00"
        in verified.out
    )
    path.write_bytes(b"{}")
    assert console.run("verify").status == 4


def test_an_applied_approval_that_was_altered_and_expunged_is_asked_about_once_and_told_as_a_note(
    console: Console,
) -> None:
    """No signature says any more that its line was accepted; the operator's answer to the drift does."""
    proposal = console.desk.proposal(addition("One."))
    (decision,) = console.desk.approve(proposal)
    console.desk.wait(hours=3)
    console.out("apply")
    path = Path(console.desk.home.decision(decision.id))
    path.write_bytes(b"the-blue-key-4411\n")
    assert console.run("expunge", "--text-from-stdin", stdin="the-blue-key-4411").status == 1
    assert path.exists()
    assert console.run("expunge", "--altered", "--text-from-stdin", stdin="the-blue-key-4411").status == 0
    assert "DRIFT MEMORY.md" in console.run("verify").out
    console.out("review", typed=["y", "y"])
    verified = console.run("verify")
    assert verified.status == 0, verified.out
    assert f"the file of {decision.id} is not what was logged; it was expunged" in verified.out
    assert "not checkable any more: what 1 applies did" in verified.out
