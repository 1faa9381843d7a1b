"""Two homes on two loopback addresses, end to end through the command line."""

import json
from pathlib import Path

import pytest
from tests.surfaces.channel.machines import Pair

from nightledger.domain.states import ChangeState

LOG = """# 2026-02-28

- 08:10 Backup of harbour failed again: restic was not found
- 09:40 Root cause: cron has no PATH; call restic by its full path from now on
- 15:20 Sorted the inbox
"""


def body(tmp_path: Path, **fields: object) -> str:
    path = tmp_path / "body.json"
    path.write_text(json.dumps(fields))
    return str(path)


def test_a_log_sent_from_another_machine_ends_as_a_proposal(pair: Pair, tmp_path: Path) -> None:
    with pair.serving():
        sent = pair.ops.record(
            "channel",
            "send",
            "consolidate_daily",
            "--to",
            "agent",
            "--body",
            body(tmp_path, date="2026-02-28", text=LOG),
        )
    assert sent["status"] == "queued", sent
    (waiting,) = pair.agent.record("proposals")
    assert waiting["id"] == sent["body"]["proposal"]
    assert waiting["lane"] == "peer"
    for change in waiting["changes"]:
        assert {evidence["origin"] for evidence in change["evidence"]} == {"tool"}
        assert "peer" in {flag["rule"] for flag in change["flags"]}
    assert "restic" in sent["body"]["diff"]


def test_a_change_asked_for_by_another_machine_ends_as_a_proposal_with_its_diff(
    pair: Pair, tmp_path: Path
) -> None:
    with pair.serving():
        sent = pair.ops.record(
            "channel", "send", "propose_behavioral_change", "--to", "agent",
            "--body", body(tmp_path, text="- Ask before restarting the relay.", reason="a transfer was cut"),
        )  # fmt: skip
    assert sent["status"] == "queued", sent
    assert "+- Ask before restarting the relay." in sent["body"]["diff"]
    assert pair.agent.desk.text() == pair.ops.desk.text()  # nothing was applied


def test_an_operator_reviews_and_signs_on_another_machine(pair: Pair, tmp_path: Path) -> None:
    added = pair.agent.run(
        "key", "add", str(pair.ops.keys / pair.ops.home_id / "operator.pub"), "--principal", "ann"
    )
    assert added.status == 0, added.err
    (pair.agent.keys / pair.agent.home_id / "operator").unlink()
    private = [
        path
        for path in pair.agent.keys.rglob("*")
        if path.is_file() and b"OPENSSH PRIVATE" in path.read_bytes()
    ]
    assert [path.name for path in private] == ["machine-ed25519"]
    with pair.serving():
        sent = pair.ops.record(
            "channel", "send", "propose_behavioral_change", "--to", "agent",
            "--body", body(tmp_path, text="- Ask before restarting the relay.", reason="a transfer was cut"),
        )  # fmt: skip
        proposal = sent["body"]["proposal"]
        reviewed = pair.ops.run("review", "--remote", "agent", typed=["v", "y"])
    assert reviewed.status == 0, reviewed.err + reviewed.out
    assert "+- Ask before restarting the relay." in reviewed.out
    assert "recorded there" in reviewed.out
    status = pair.agent.desk.ledger().book.proposals[proposal]
    assert status.state_of(1) is ChangeState.APPROVED
    pair.agent.desk.wait(hours=3)
    assert pair.agent.run("apply").status == 0
    assert "- Ask before restarting the relay." in pair.agent.desk.text()
    assert pair.agent.run("verify").status == 0


@pytest.mark.parametrize("action", ["restore_context", "prune_stale_memory"])
def test_what_is_not_built_says_so(pair: Pair, action: str) -> None:
    with pair.serving():
        sent = pair.ops.record("channel", "send", action, "--to", "agent")
    assert (sent["status"], sent["reason"]) == ("rejected", "not built")
