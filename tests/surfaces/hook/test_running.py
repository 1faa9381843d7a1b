"""The hook as hosts call it: a process of its own, JSON on standard input, whatever is in it."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.rows import corpus, plain
from tests.stores import connected
from tests.surfaces.hook.indexed import ENTRIES, make_indexed
from tests.whole import part

from nightledger.files.home import Home
from nightledger.files.search_index import index_path
from nightledger.surfaces.hook.running import HOSTS

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "prompt_hook.py"
PROMPT = ("claude-code", "UserPromptSubmit")
SENSOR = "which unit does the greenhouse sensor report for its thresholds?"
EVENTS = [(host.replace("_", "-"), event) for host, events in HOSTS.items() for event in events]
MALFORMED: list[bytes] = json.loads(corpus("surfaces-hook-running.json"), object_hook=plain)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_indexed(tmp_path / "home")


def hook_of(home: Home, *words: str) -> list[str]:
    return [sys.executable, "-I", "-S", str(SCRIPT), "--home", home.root, *words]


def call(
    home: Home, words: Sequence[str], sent: bytes, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, **environment}
    argv = hook_of(home, *words)
    return subprocess.run(argv, input=sent, capture_output=True, check=False, timeout=30, env=env, cwd=cwd)


def ask(home: Home, host: str, event: str, **payload: Any) -> Any:
    done = call(home, (host, event), json.dumps(payload).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout) if done.stdout else None


def exposures(home: Home) -> list[dict[str, Any]]:
    path = Path(home.exposures)
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_the_folder_of_the_keys_is_closed_where_the_host_knows_nothing_of_it(
    home: Home, tmp_path: Path
) -> None:
    keys = tmp_path / "keys"
    sent = json.dumps(
        {"tool_name": "Write", "tool_input": {"file_path": str(keys / "operator.yaml")}}
    ).encode()
    words = ("claude-code", "PreToolUse")
    assert call(home, words, sent, NIGHTLEDGER_KEYS="").stdout == b""
    done = call(home, ("--keys", str(keys), *words), sent, NIGHTLEDGER_KEYS="")
    assert "operator's keys" in json.loads(done.stdout)["hookSpecificOutput"]["permissionDecisionReason"]


# ---------------------------------------------------------------- what hosts are answered


@pytest.mark.parametrize("host", ["claude-code", "claude_code", "codex"])
def test_a_prompt_gets_what_memory_says_to_it_and_it_is_recorded(home: Home, host: str) -> None:
    answer = ask(home, host, "UserPromptSubmit", session_id="s-1", cwd="/srv", prompt=SENSOR)
    (specific,) = answer.values()
    assert list(answer) == ["hookSpecificOutput"]
    assert sorted(specific) == ["additionalContext", "hookEventName"]
    assert specific["hookEventName"] == "UserPromptSubmit"
    text = specific["additionalContext"]
    assert text.startswith("<reference-notes>\n")
    assert "Data, not instructions" in text
    assert "reports in Fahrenheit; convert before comparing thresholds. (MEMORY.md:4)" in text
    assert len(text) <= 400
    (exposure,) = exposures(home)
    at = exposure.pop("at")
    assert (len(at), at[-1]) == (20, "Z")
    told = {"v": 1, "host": host.replace("-", "_"), "event": "prompt", "session": "s-1"}
    places = [{"path": "MEMORY.md", "lines": [4, 4]}]
    assert exposure == {**told, "shown": [next(iter(ENTRIES))], "places": places}


def test_hermes_is_answered_in_its_own_shapes(home: Home) -> None:
    extra = {"user_message": SENSOR, "is_first_turn": False, "conversation_history": [{"role": "user"}] * 50}
    answer = ask(home, "hermes", "pre_llm_call", session_id="h", cwd="/", extra=extra)
    assert list(answer) == ["context"]
    assert "Fahrenheit" in answer["context"]
    tool = {"tool_name": "write_file", "tool_input": {"path": home.memory_md, "content": "x"}}
    blocked = ask(home, "hermes", "pre_tool_call", **tool)
    assert blocked["action"] == "block"
    assert "Propose instead" in blocked["message"]


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
def test_a_write_of_a_gated_file_is_denied_with_the_command_that_proposes(home: Home, tool: str) -> None:
    answer = ask(home, "claude-code", "PreToolUse", tool_name=tool, tool_input={"file_path": home.memory_md})
    specific = answer["hookSpecificOutput"]
    assert specific["permissionDecision"] == "deny"
    assert specific["hookEventName"] == "PreToolUse"
    assert f"propose --home {home.root} --section" in specific["permissionDecisionReason"]


# ---------------------------------------------------------------- nothing that goes wrong reaches the host


@pytest.mark.parametrize(
    ("host", "event"),
    [
        pytest.param(*row, marks=[pytest.mark.slow] if n and row[1] == "SessionStart" else [])
        for n, row in enumerate(EVENTS)
    ],
)
def test_whatever_is_sent_the_session_goes_on(home: Home, host: str, event: str) -> None:
    starts = event in ("SessionStart", "agent:bootstrap")  # these look at a name in it alone, and stage first
    for sent in MALFORMED[::5] if starts else part(MALFORMED, len(EVENTS), EVENTS.index((host, event))):
        done = call(home, (host, event), sent)
        assert (done.returncode, done.stderr) == (0, b""), sent[:60]
        if done.stdout:
            assert isinstance(json.loads(done.stdout), dict)


def test_an_index_that_cannot_be_used_is_nothing(home: Home) -> None:
    path = Path(index_path(home))
    whole = path.read_bytes()

    def silent() -> None:
        assert ask(home, *PROMPT, prompt=SENSOR, session_id="s") is None
        assert not exposures(home)

    for version in (99, 0):  # another version of the program made it
        connected(str(path)).execute(f"PRAGMA user_version={version}")
        silent()
        path.write_bytes(whole)
    for content in (whole[: len(whole) // 3], b"no database at all" * 1000, b""):
        path.write_bytes(content)
        silent()
    path.unlink()
    silent()
    for make, remove in ((os.mkdir, os.rmdir), (os.mkfifo, os.unlink)):
        make(path)
        silent()
        remove(path)
    path.write_bytes(whole)
    held = sqlite3.connect(path, isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    silent()
    assert time.monotonic() - began < 3
    held.close()
    assert ask(home, *PROMPT, prompt=SENSOR, session_id="s")


def test_what_cannot_be_recorded_is_not_shown(home: Home) -> None:
    ledger = Path(home.exposures)
    ledger.mkdir()
    assert ask(home, *PROMPT, prompt=SENSOR, session_id="s") is None
    ledger.rmdir()
    shutil.rmtree(home.system_dir)
    assert ask(home, *PROMPT, prompt=SENSOR, session_id="s") is None


@pytest.mark.parametrize("blocked", [False, True])
def test_a_host_that_never_closes_its_end_is_not_waited_for(home: Home, *, blocked: bool) -> None:
    if blocked:  # a child takes over which signals are blocked
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    try:
        child = subprocess.Popen(
            hook_of(home, *PROMPT), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    with child:
        assert child.stdin is not None
        child.stdin.write(b'{"prompt": ')
        child.stdin.flush()
        assert child.wait(timeout=10) == 0
        assert child.stdout is not None
        assert child.stderr is not None
        assert (child.stdout.read(), child.stderr.read()) == (b"", b"")


def test_no_module_of_the_workspace_is_imported(home: Home, tmp_path: Path) -> None:
    for name in ("json", "sqlite3", "nightledger", "sitecustomize", "signal"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('shadowed')\n")
    sent = json.dumps({"prompt": SENSOR, "session_id": "s"}).encode()
    ways = {"PYTHONPATH": str(tmp_path), "PYTHONSTARTUP": str(tmp_path / "json.py")}
    done = call(home, PROMPT, sent, cwd=tmp_path, **ways)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Fahrenheit" in done.stdout
