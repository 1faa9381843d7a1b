"""Two homes on two loopback addresses, end to end through the command line."""

import json
from pathlib import Path

from tests.gate.homes import addition
from tests.remote.machines import Pair

from nightledger.domain.staged_page import parse_page
from nightledger.trust.keys import public_key_of


def body(tmp_path: Path, **fields: object) -> str:
    path = tmp_path / "body.json"
    path.write_text(json.dumps(fields))
    return str(path)


def leave_public_keys_only(pair: Pair) -> None:
    """Let the operator's key of the other machine sign, and the agent's machine hold none that may."""
    public = str(pair.ops.keys / pair.ops.home_id / "operator.pub")
    own = public_key_of(pair.agent.keys / pair.agent.home_id / "operator.pub").fingerprint
    for words in (("key", "add", public, "--principal", "ann"), ("key", "revoke", own)):
        ran = pair.agent.run(*words)
        assert ran.status == 0, ran.err
    (pair.agent.keys / pair.agent.home_id / "operator").unlink()
    files = [path for path in pair.agent.keys.rglob("*") if path.is_file()]
    private = [path.name for path in files if b"OPENSSH PRIVATE" in path.read_bytes()]
    assert private == ["machine-ed25519"]


def test_the_agents_machine_cannot_sign_for_itself_any_more(pair: Pair) -> None:
    proposal = pair.agent.desk.proposal(addition("the agent's own wish"))
    kept = (pair.agent.keys / pair.agent.home_id / "operator").read_bytes()
    leave_public_keys_only(pair)
    assert pair.agent.run("approve", proposal.id).status != 0
    (pair.agent.keys / pair.agent.home_id / "operator").write_bytes(kept)  # a copy that somebody had made
    (pair.agent.keys / pair.agent.home_id / "operator").chmod(0o600)
    assert pair.agent.run("approve", proposal.id).status != 0
    assert pair.agent.desk.states(proposal) == ["pending"]


def test_the_staged_context_is_given_as_the_agent_gets_it(pair: Pair) -> None:
    root = Path(pair.agent.desk.home.root)
    handoff = root / "memory" / "state" / "session-handoff.md"
    handoff.parent.mkdir(parents=True, exist_ok=True)
    handoff.write_text("# Handoff\n\n## Next\n\n- Ask the harbour office for <b>berth</b> times\n")
    leaves = pair.agent.desk.ledger().log.size
    with pair.serving():
        sent = pair.ops.record("channel", "send", "restore_context", "--to", "agent")
    assert (sent["status"], sent["reason"]) == ("executed", "")
    body = sent["body"]
    page = parse_page(body["text"])
    assert page is not None
    assert (page.sha256, page.good_until, len(page.lines)) == (
        body["sha256"],
        body["good_until"],
        body["lines"],
    )
    assert page.lines == ("memory/state/session-handoff.md:5 (unsigned; the handoff leaves 1 open)",)
    assert (
        pair.agent.desk.ledger().log.size == leaves + 1
    )  # that it was asked for, as every message that does something
    shown = json.loads(Path(pair.agent.desk.home.exposures).read_text())
    assert (shown["host"], shown["event"]) == ("channel", "session_start")
    assert {"path": "memory/state/session-handoff.md", "lines": [5, 5]} in shown["places"]
    assert pair.agent.run("verify").status == 0


def test_a_pruning_that_the_ops_machine_asks_for_ends_as_proposals(pair: Pair) -> None:
    log = Path(pair.agent.desk.home.root, "memory", "daily", "2025-12-01.md")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(
        "# 2025-12-01\n\n" + "".join(f"- Looked at shelf {n} of the north store.\n" for n in range(80))
    )
    with pair.serving():
        sent = pair.ops.record("channel", "send", "prune_stale_memory", "--to", "agent")
        again = pair.ops.record("channel", "send", "prune_stale_memory", "--to", "agent")
    assert (sent["status"], sent["reason"]) == ("queued", "")
    (made,) = sent["body"]["proposals"]
    assert again["body"] == {"proposals": [], "waiting": {"delete_link": 0, "archive": 0, "compress": 1}}
    (waiting,) = [one for one in pair.agent.record("proposals") if one["id"] == made]
    assert (waiting["kind"], waiting["state"]) == ("prune_stale_memory", "pending")
    assert log.read_text().count("shelf") == 80
