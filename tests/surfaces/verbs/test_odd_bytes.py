"""Bytes that are no text, in every place of every file that verbs read: no verb breaks, and done work is told."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition
from tests.rows import corpus
from tests.surfaces.console import Console

from nightledger.demo.shell import Ran

ODD = {
    "latin-1": b"Caf\xe9",
    "no byte of UTF-8": b"x\xffy",
    "NUL": b"a\0b",
    "line separator": "one\u2028two".encode(),
    "long": b"w" * 2_000 + b"\xe9",
    "overlong": b"w" * 100_000 + b"\xe9",
}
SLOW = ("latin-1", "no byte of UTF-8", "line separator", "overlong")
PLACES = (
    b"---\ntitle: %s\n---\n\n# Notes %s\n\n## Section %s\n\n- Remember that the %s relay restarts.\n"
    b"- [x] %s is done\n\nThe %s is a paragraph. The root cause was %s, so we now restart it.\n\n"
    b"```sh\necho %s\n```\n\n<!-- %s -->\n\nDecision: use %s\n\n| a | b |\n|---|---|\n| %s | c |\n"
)
READING: list[str] = json.loads(corpus("surfaces-verbs-odd_bytes-reading.json"))


HOOK = Path(__file__).parents[3] / "scripts" / "prompt_hook.py"
LOGS = ("2026-02-28.md", "2026-03-01.md", "2026-03-02-notes.md", "topic.md", "state/session-handoff.md")
HOOKS = ("SessionStart", "UserPromptSubmit", "PreToolUse")


def planted(odd: bytes) -> bytes:
    """Put odd bytes into each place; where they are many, four of the places have all of them."""
    return PLACES.replace(b"%s", odd, 4).replace(b"%s", odd[:100])


def plant(desk: Desk, odd: bytes) -> None:
    """Put odd bytes into each place of a gated file, of daily logs, of the handoff and of a note."""
    desk.memory.write_bytes(desk.memory.read_bytes() + b"\n" + planted(odd))
    for name in LOGS:
        path = Path(desk.home.root, "memory", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(planted(odd if name == LOGS[0] else odd[:100]))


def sound(ran: Ran) -> Ran:
    """Look that a verb ended as verbs end: no bug of ours, nothing of how it is built."""
    said = ran.out + ran.err
    assert ran.status in (0, 1, 2, 3, 4), (ran.words, said)
    for word in ("Traceback", "surrogate", "codec can't", "night-bug", "this is a bug"):
        assert word not in said, (ran.words, said)
    return ran


def done(ran: Ran) -> str:
    assert sound(ran).status == 0, (ran.words, ran.out[-500:], ran.err[-2000:])
    return ran.out


def read_all(console: Console, *more: str) -> None:
    for words in READING:
        sound(console.run(*words.split(), *more))


def hooked(console: Console, event: str) -> subprocess.CompletedProcess[bytes]:
    """Call the hook in a process of its own, which it ends itself."""
    sent = {"session_id": "s", "prompt": "why does the relay restart", "tool_name": "Write", "cwd": "/"}
    words = ["claude-code", event, "--home", console.desk.home.root]
    argv = [sys.executable, str(HOOK), *words, "--now", console.desk.moment.at.isoformat()]
    return subprocess.run(argv, input=json.dumps(sent).encode(), capture_output=True, check=False)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.slow] if kind in SLOW else []) for kind in ODD]
)
def test_bytes_that_are_no_text_break_no_verb_and_done_work_is_told(
    kind: str, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = console.desk
    first = desk.applied(addition("One."))
    second = desk.proposal(addition("Two."))
    desk.approve(second)
    desk.wait(hours=3)
    plant(desk, ODD[kind])
    assert f"Applied change 1 of {second.id[:6]}" in done(console.run("apply"))
    assert f"Took back change 1 of {first.id[:6]}" in done(console.run("undo", first.id))
    with desk.memory.open("ab") as stream:
        stream.write(b"\n## " + ODD[kind] + b"\n\n- It came later.\n")
    assert "was changed outside Nightledger" in done(console.run("guard"))
    done(console.run("doctor", "--rebuild", "--dry-run"))
    read_all(console)
    made = console.record("propose", "--text", "- The relay needs a warm start.", "--reason", "it was seen")
    done(
        console.run(
            "approve", made["id"], "--diff-sha256", console.record("proposals", made["id"])["diff_sha256"]
        )
    )
    desk.wait(days=1)
    done(console.run("apply"))
    for waiting in console.record("proposals"):
        sound(console.run("proposals", waiting["id"]))
        sound(console.run("proposals", waiting["id"], "--json"))
    monkeypatch.setenv("LINES", "100000")  # so that no row waits for the next page
    sound(console.run("review", typed=["v", "d", "y", "q", "y"]))
    for _ in range(2):
        desk.wait(days=1)
        assert "failed" not in done(console.run("night"))
    read_all(console, "--json")
    done(console.run("stage"))
    for event in HOOKS:
        ran = hooked(console, event)
        assert (ran.returncode, ran.stderr) == (0, b""), event
        ran.stdout.decode()
    done(console.run("doctor", "--rebuild"))
    done(console.run("doctor", "--rebuild", "--dry-run"))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_file_whose_name_is_no_text_breaks_no_verb(console: Console) -> None:
    desk = console.desk
    text = b"# Day\n\n## Caf\xe9\n\n- Remember that the relay restarts only when warm.\n- Decision: use \xff now\n"
    for name in (b"2026-02-28-caf\xe9.md", b"2026-03-01-\xff.md", b"topic-\xe9.md"):
        Path(os.fsdecode(os.fsencode(desk.home.root) + b"/memory/" + name)).write_bytes(text)
    read_all(console)
    for _ in range(3):
        desk.wait(days=1)
        assert "failed" not in done(console.run("night"))
    done(console.run("stage"))
    read_all(console, "--json")
    done(console.run("doctor", "--rebuild", "--dry-run"))
