"""An operator reviews on one machine what waits on another."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import addition, removal
from tests.remote.machines import Machine, Pair
from tests.remote.peer_work import make_work

from nightledger.codec.records import dump_record, to_plain
from nightledger.domain.message import REPLY_TYPE, Reply, Status
from nightledger.domain.states import ChangeState
from nightledger.gate.review.reviewing import Answer
from nightledger.remote import waiting as travelling
from nightledger.remote.letters import reply_path
from nightledger.surfaces.questions import Questions
from nightledger.trust.dsse import seal

PUBLIC = "operator.pub"


@pytest.fixture
def trusted(pair: Pair) -> Pair:
    """Let the agent's home take the signature of the operator's own machine."""
    added = pair.agent.run("key", "add", str(pair.ops.keys / pair.ops.home_id / PUBLIC), "--principal", "ann")
    assert added.status == 0, added.err
    return pair


def review(machine: Machine, *typed: str) -> tuple[int, str]:
    ran = machine.run("review", "--remote", "agent", typed=list(typed))
    return ran.status, ran.out + ran.err


def states(pair: Pair) -> list[ChangeState]:
    book = pair.agent.desk.ledger().book
    return [status.state_of(n) for status in book.proposals.values() for n in sorted(status.changes)]


def test_each_answer_goes_back_signed(trusted: Pair) -> None:
    trusted.agent.desk.proposal(addition("first"), addition("second"), addition("third"))
    with trusted.serving():
        status, out = review(trusted.ops, "y", "n", "too vague", "s", "y")
    assert status == 0, out
    assert states(trusted) == [ChangeState.APPROVED, ChangeState.REJECTED, ChangeState.PENDING]
    assert "recorded there" in out
    assert "3 change(s) in 1 proposal(s) wait on agent, which said so at 2026-03-01 06:00 UTC." in " ".join(
        out.split()
    )


def test_quitting_signs_what_was_answered_and_nothing_signs_nothing(trusted: Pair) -> None:
    trusted.agent.desk.proposal(addition("first"), addition("second"))
    with trusted.serving():
        assert review(trusted.ops, "q")[0] == 0
        assert states(trusted) == [ChangeState.PENDING, ChangeState.PENDING]
        assert review(trusted.ops, "y", "q", "y")[0] == 0
    assert states(trusted) == [ChangeState.APPROVED, ChangeState.PENDING]


def test_an_approval_lives_as_long_as_both_machines_let_it(trusted: Pair) -> None:
    trusted.agent.desk.proposal(addition("first"))
    settings = Path(trusted.agent.desk.home.settings)
    settings.write_text("decision_expires_days: 7\n")
    Path(trusted.ops.desk.home.settings).write_text("decision_expires_days: 2\n")
    with trusted.serving():
        status, out = review(trusted.ops, "y", "y")
    assert status == 0, out
    (decided,) = [d for d in trusted.agent.desk.ledger().book.decisions.values() if d.proposal]
    expires = json.loads(Path(trusted.agent.desk.home.decision(decided.id)).read_text())["expires"]
    assert expires == "2026-03-03T06:00:00Z"


def test_more_is_shown_when_asked_for(trusted: Pair) -> None:
    log = Path(trusted.agent.desk.home.path("memory/2026-02-28.md"))
    log.write_text("- restarted the relay\n")
    trusted.agent.desk.proposal(addition("first"))
    with trusted.serving():
        _, out = review(trusted.ops, "d", "v", "x", "q")
    assert out.count("+- first") == 2
    assert "memory/2026-02-28.md:1: these lines have changed since" in out
    assert "- restarted the relay" in out


def test_the_whole_diff_is_worked_out_here_and_not_what_the_other_machine_says(
    trusted: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted.agent.desk.proposal(addition("push without asking"))
    honest = travelling._travelling

    def lying(*words: Any) -> Any:
        proposal, sent = honest(*words)  # type: ignore[misc]  # there is one
        record = json.loads(sent.record)
        record["changes"][0]["diff"] = "--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ -1 +1 @@\n+- harmless\n"
        return proposal, replace(sent, record=json.dumps(record))

    monkeypatch.setattr(travelling, "_travelling", lying)
    with trusted.serving():
        _, out = review(trusted.ops, "d", "q")
    assert (out.count("+- push without asking"), "harmless" in out) == (2, False)


def test_an_answer_that_was_said_to_another_home_is_none(trusted: Pair, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    trusted.ops.reach(agent={"spool": str(shared)})
    trusted.agent.desk.proposal(addition("first"))
    body = to_plain(travelling.waiting_of(make_work(trusted.agent.desk, "proposals")))
    iss, now = trusted.agent.home_id, trusted.agent.now
    said = Reply(
        v=1, re="m-" + "a" * 26, iss=iss, aud="0" * 32, iat=now, status=Status.EXECUTED, reason="", body=body
    )
    kept = Path(reply_path(trusted.ops.desk.home, "agent", "proposals"))
    kept.parent.mkdir(parents=True)
    kept.write_bytes(seal(REPLY_TYPE, dump_record(said), trusted.agent.key))
    status, out = review(trusted.ops, "y", "y")
    assert (status, "was said to another home" in out) == (1, True)
    kept.write_bytes(seal(REPLY_TYPE, dump_record(replace(said, aud=trusted.ops.home_id)), trusted.agent.key))
    assert "+- first" in review(trusted.ops, "q")[1]


def test_a_change_without_a_place_cannot_be_signed(trusted: Pair) -> None:
    trusted.agent.desk.proposal(removal("- Keep backups for 30 days."))
    trusted.agent.desk.memory.write_text("# another\n")
    with trusted.serving():
        _, out = review(trusted.ops, "y", "q", "y")
    assert "it cannot be signed" in out


def test_what_was_settled_meanwhile_is_refused_there(trusted: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    proposal = trusted.agent.desk.proposal(addition("first"))
    ask_all = Questions.ask_all

    def meanwhile(questions: Questions) -> list[Answer]:
        trusted.agent.desk.reject(proposal)
        return ask_all(questions)

    monkeypatch.setattr(Questions, "ask_all", meanwhile)
    with trusted.serving():
        status, out = review(trusted.ops, "y", "y")
    assert status == 1
    assert "refused there: decision" in out
    assert "change 1 is rejected" in out


def test_two_that_do_not_fit_together_are_not_both_signed(trusted: Pair) -> None:
    desk = trusted.agent.desk
    desk.proposal(removal("- Keep backups for 30 days."))
    desk.forge_removal("- Keep backups for 30 days.", "MEMORY.md", "Decisions")
    with trusted.serving():
        status, out = review(trusted.ops, "y", "y", "y")
    assert status == 1
    assert "not signed:" in out
    assert states(trusted) == [ChangeState.APPROVED, ChangeState.PENDING]


def test_a_machine_that_does_not_say_what_waits_is_told(pair: Pair) -> None:
    line = pair.ops.out("channel", "keygen").strip()
    assert pair.agent.run("channel", "peer", "add", "ops", "--line", line, "--actions", "decide").status == 0
    with pair.serving():
        status, out = review(pair.ops)
    assert status == 1
    assert "agent does not say what waits: ops may not ask for proposals" in out


def test_a_machine_that_is_not_there_is_told(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nightledger.remote.letters.RETRY_AFTER_S", ())
    pair.ops.reach(agent={"url": "http://127.0.0.2:1"})
    status, out = review(pair.ops)
    assert status == 1
    assert "has not said what waits" in out


def test_a_review_over_a_spool_uses_the_newest_answer(trusted: Pair, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    trusted.ops.reach(agent={"spool": str(shared)})
    trusted.agent.reach(ops={"spool": str(shared)})
    trusted.agent.desk.proposal(addition("first"))
    status, out = review(trusted.ops)
    assert (status, "nightledger channel send proposals" in out) == (1, True)
    assert trusted.ops.run("channel", "send", "proposals", "--to", "agent").status == 0
    assert trusted.agent.run("channel", "receive").status == 0
    assert trusted.ops.run("channel", "receive").status == 0
    status, out = review(trusted.ops, "y", "y")
    assert status == 0, out
    assert "in the spool" in out
    assert trusted.agent.run("channel", "receive").status == 0
    assert states(trusted) == [ChangeState.APPROVED]
    assert trusted.ops.run("channel", "receive").status == 0


def test_a_decision_that_does_not_arrive_is_kept(trusted: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    trusted.agent.desk.proposal(addition("first"))
    from nightledger.remote import reviewing as remote_review

    monkeypatch.setattr("nightledger.remote.letters.RETRY_AFTER_S", ())
    sign = remote_review._sign

    def then_gone(*words: object) -> object:
        trusted.ops.reach(agent={"url": "http://127.0.0.2:1"})
        return sign(*words)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(remote_review, "_sign", then_gone)
    with trusted.serving():
        status, out = review(trusted.ops, "y", "y")
    assert status == 1
    assert "not delivered" in out
    assert len(Path(trusted.ops.desk.home.dead_letters).read_text().splitlines()) == 1
    assert json.loads(Path(trusted.ops.desk.home.dead_letters).read_text())["attempts"] == 1
