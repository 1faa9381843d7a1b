"""An operator reviews on one machine what waits on another."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.gate.homes import addition
from tests.remote.machines import Machine, Pair

from nightledger.gate.reviewing import Answer
from nightledger.remote import handlers as travelling
from nightledger.surfaces.verbs.review import Questions

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


def test_what_came_by_the_spool_is_reviewed_where_the_address_does_not_answer(
    trusted: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted.agent.desk.proposal(addition("first"))
    monkeypatch.setattr("nightledger.domain.message.RETRY_AFTER_S", ())
    for machine, other in ((trusted.agent, "ops"), (trusted.ops, "agent")):
        machine.reach(**{other: {"url": "http://127.0.0.2:1", "spool": str(tmp_path)}})
    assert review(trusted.ops)[0] == 1
    for machine in (trusted.agent, trusted.ops):
        assert machine.run("channel", "receive").status == 0
    assert "1 change waits on agent" in review(trusted.ops)[1]


def test_a_decision_that_does_not_arrive_is_kept(trusted: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    trusted.agent.desk.proposal(addition("first"))
    from nightledger.remote import review as remote_review

    monkeypatch.setattr("nightledger.domain.message.RETRY_AFTER_S", ())
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
