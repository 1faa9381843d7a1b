"""``channel send | serve | receive`` as they are called, between two homes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest
from tests.interop.agent_home import free_port
from tests.remote.machines import Pair
from tests.rows import from_corpus

from nightledger.domain.exposure import parse_page
from nightledger.domain.message import Status
from nightledger.remote import receiving
from nightledger.remote.handlers import Done

ROOT = Path(__file__).resolve().parents[2]


def test_a_lying_answer_rules_no_terminal(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    lie = Done(status=Status.EXECUTED, body={"\x1b[2Jx\nagent: executed": "\x1b[2J"})
    monkeypatch.setitem(receiving.RULES, "proposals", receiving.Rule(handler=lambda _: lie, writes=False))
    with pair.serving():
        out = pair.ops.out("channel", "send", "proposals", "--to", "agent")
    assert "\x1b" not in out
    assert len(out.splitlines()) == 3


def test_a_body_comes_from_standard_input_and_what_was_asked_for_is_printed(pair: Pair) -> None:
    words = ("channel", "send", "load_memory_file", "--to", "agent", "--body", "-")
    with pair.serving():
        ran = pair.ops.run(*words, stdin='{"path": "MEMORY.md"}')
    assert ran.status == 0, ran.err
    assert ran.out.startswith("agent: executed\n")
    assert "  - Restart the relay after an upgrade." in ran.out


@from_corpus("remote-commands", tuples=True)
def test_what_is_said_wrongly_is_refused(pair: Pair, words: tuple[str, ...], why: str) -> None:
    ran = pair.ops.run("channel", *words)
    assert ran.status == 2
    assert why in ran.err + ran.out


@from_corpus("remote-commands", tuples=True)
def test_no_letter_leaves_for_a_wrong_address(pair: Pair, url: str, why: str) -> None:
    pair.ops.reach(agent={"url": url})
    ran = pair.ops.run("channel", "send", "proposals", "--to", "agent")
    assert (ran.status, why in ran.err) == (2, True)


def test_a_service_ends_in_order_when_it_is_told_to(pair: Pair) -> None:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, str(ROOT / "scripts" / "command.py"), "channel", "serve", "--port", str(port),
         "--home", pair.agent.desk.home.root, "--now", "2026-03-01T06:00:00Z"],
        env={**os.environ, "NIGHTLEDGER_KEYS": str(pair.agent.keys)}, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        assert b"serving" in process.stderr.readline()
        with urlopen(f"http://127.0.0.1:{port}/tc/health") as answer:
            assert json.load(answer)["home"] == pair.agent.home_id
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
        assert time.monotonic() - began < 10
    finally:
        process.kill()
        process.wait()
        if process.stderr is not None:
            process.stderr.close()


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
    told = (page.sha256, page.good_until, len(page.lines))
    assert told == (body["sha256"], body["good_until"], body["lines"])
    assert page.lines == ("memory/state/session-handoff.md:5 (unsigned; the handoff leaves 1 open)",)
    assert pair.agent.desk.ledger().log.size == leaves + 1, "it was asked for, as all that does something"
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
