"""``channel send | serve | receive | status`` as they are called."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from tests.remote.machines import Pair

from nightledger.domain.message import Status
from nightledger.remote import actions
from nightledger.remote.handlers import Done

ROOT = Path(__file__).resolve().parents[2]


def body(tmp_path: Path, **fields: Any) -> str:
    path = tmp_path / "body.json"
    path.write_text(json.dumps(fields))
    return str(path)


def test_a_look_at_a_file_is_printed(pair: Pair, tmp_path: Path) -> None:
    with pair.serving():
        out = pair.ops.out(
            "channel", "send", "load_memory_file", "--to", "agent", "--body", body(tmp_path, path="MEMORY.md")
        )
    assert out.startswith("agent: executed\n")
    assert "  - Restart the relay after an upgrade." in out


def test_a_lying_answer_rules_no_terminal(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    lie = Done(status=Status.EXECUTED, body={"\x1b[2Jx\nagent: executed": "\x1b[2J"})
    monkeypatch.setitem(actions.RULES, "proposals", actions.Rule(handler=lambda _: lie, writes=False))
    with pair.serving():
        out = pair.ops.out("channel", "send", "proposals", "--to", "agent")
    assert "\x1b" not in out
    assert len(out.splitlines()) == 3


def test_a_body_comes_from_standard_input_too(pair: Pair) -> None:
    with pair.serving():
        ran = pair.ops.run(
            "channel",
            "send",
            "load_memory_file",
            "--to",
            "agent",
            "--body",
            "-",
            stdin='{"path": "MEMORY.md"}',
        )
    assert ran.status == 0, ran.err


def test_a_dead_letter_is_told(pair: Pair, tmp_path: Path) -> None:
    pair.ops.reach(agent={"url": "http://127.0.0.2:1"})
    ran = pair.ops.run(
        "channel",
        "send",
        "load_memory_file",
        "--to",
        "agent",
        "--body",
        body(tmp_path, path="MEMORY.md"),
        "--retry",
        "",
    )
    assert ran.status == 1
    assert "does not answer" in ran.err
    assert "tc-dead-letters.jsonl" in ran.err
    shown = pair.ops.out("channel", "status")
    assert "dead letters: 1" in shown
    assert "does not answer" in shown


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("send",), "say: channel send"),
        (("send", "proposals"), "say: channel send"),
        (("send", "proposals", "more", "--to", "agent"), "say: channel send"),
        (("send", "proposals", "--to", "agent", "--lifetime", "0"), "--lifetime"),
        (("send", "proposals", "--to", "agent", "--lifetime", "604801"), "--lifetime"),
        (("send", "proposals", "--to", "agent", "--retry", "soon"), "--retry"),
        (("send", "proposals", "--to", "nobody"), "no machine"),
        (("serve", "--listen", "0.0.0.0"), "--insecure-plain-http"),  # noqa: S104 - it is refused
    ],
)
def test_what_is_said_wrongly_is_refused(pair: Pair, words: tuple[str, ...], why: str) -> None:
    ran = pair.ops.run("channel", *words)
    assert ran.status == 2
    assert why in ran.err + ran.out


def test_letters_are_told_in_each_round(pair: Pair, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    pair.ops.reach(agent={"spool": str(shared)})
    pair.agent.reach(ops={"spool": str(shared)})
    sent = pair.ops.run("channel", "send", "restore_context", "--to", "agent")
    assert "is in the spool" in sent.out
    assert pair.ops.record("channel", "send", "proposals", "--to", "agent")["status"] == "spooled"
    assert "2 unanswered" in pair.ops.out("channel", "status")
    assert "2 letter(s) wait" in " ".join(pair.agent.out("channel", "status").split())
    taken = pair.agent.out("channel", "receive")
    assert "took in restore_context of ops" in taken
    got = pair.ops.out("channel", "receive")
    assert "agent answered restore_context: executed" in got
    assert "agent answered proposals: executed" in got
    assert pair.ops.run("channel", "receive").out == ""
    status = pair.ops.record("channel", "status")
    assert status["peers"][0]["answered"] == "2026-03-01T06:00:00Z"
    assert status["peers"][0]["unanswered"] == 0


def test_a_service_ends_in_order_when_it_is_told_to(pair: Pair) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
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
