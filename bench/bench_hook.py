"""The prompt hook as a fresh process on 10,000 chunks, beside an empty Python; and the guard, and what a start saves.

Run with ``PYTHONPATH=scripts:. .venv/bin/python -m bench.bench_hook [ROUNDS] [CHUNKS]``. CPU of the child
processes (user and system), medians of rounds in which each runs once. The command is the one that
``hosts install`` writes; bytecode is cached, as on any machine after the first run.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.surfaces.hook.indexed import ENTRIES, index, make_indexed

from bench import measure
from nightledger.files.home import Home
from nightledger.hosts.hooking import HookCall

CHECKOUT = Path(__file__).resolve().parents[1]
ROUNDS, CHUNKS = 25, 10_000
PROMPT = (
    "Before I order the new one: which unit does the greenhouse sensor report, do its thresholds compare with what "
    "the weather station says, and did we ever note how the crontab of that machine has to name its zone so that "
    "the watering starts in the morning and not at noon like last week when the tomatoes went dry?"
)


def main() -> None:
    """Print the ratios."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    chunks = int(sys.argv[2]) if len(sys.argv) > 2 else CHUNKS
    with tempfile.TemporaryDirectory() as folder:
        home = make_indexed(Path(folder) / "home")
        index(home, filler=chunks - len(ENTRIES))
        call = HookCall(
            python=sys.executable,
            script=str(CHECKOUT / "scripts" / "prompt_hook.py"),
            home=home.root,
            home_id=home.identity.id,
        )
        turns = iter(range(1_000_000))
        candidates = {
            "python -c pass": lambda: run([sys.executable, "-c", "pass"], {}),
            "python -I -S -c pass": lambda: run([sys.executable, "-I", "-S", "-c", "pass"], {}),
            "python -c 'import dataclasses'": lambda: run([sys.executable, "-c", "import dataclasses"], {}),
            "prompt, something to say": lambda: told(call, home, PROMPT, f"new-{next(turns)}"),
            "prompt, nothing to say": lambda: silent(call, "Thanks, that looks good; go on.", "same"),
            "tool, not ours": lambda: tool(call, "/tmp/notes.txt", ""),  # noqa: S108 - a name, nothing is written
            "tool, denied": lambda: tool(call, home.memory_md, "deny"),
        }
        measure.compare_children(candidates, rounds=2)  # fills the bytecode cache
        measured = measure.compare_children(candidates, rounds=rounds)
    measure.report(f"hook, cold process, {chunks:,} chunks", measured, aim="<= 5x")


def told(call: HookCall, home: Home, prompt: str, session: str) -> None:
    """Ask as Claude Code does, and make sure that something was said and recorded."""
    before = Path(home.exposures).stat().st_size if Path(home.exposures).exists() else 0
    answer = run(as_host(call, "UserPromptSubmit"), {"prompt": prompt, "session_id": session})
    assert "Fahrenheit" in json.loads(answer)["hookSpecificOutput"]["additionalContext"]
    assert Path(home.exposures).stat().st_size > before


def silent(call: HookCall, prompt: str, session: str) -> None:
    """Ask something that memory does not know."""
    assert not run(as_host(call, "UserPromptSubmit"), {"prompt": prompt, "session_id": session})


def tool(call: HookCall, path: str, said: str) -> None:
    """Ask whether a file may be written."""
    payload = {"tool_name": "Write", "tool_input": {"file_path": path, "content": "x"}}
    answer = run(as_host(call, "PreToolUse"), payload)
    assert said in answer if said else not answer


def as_host(call: HookCall, event: str) -> list[str]:
    """Give the installed command as Claude Code runs it: by a shell, whose time counts, too."""
    return ["/bin/sh", "-c", call.line("claude_code", event)]


def run(words: "list[str] | tuple[str, ...]", payload: Mapping[str, object]) -> str:
    """Run a command with a payload on standard input."""
    done = subprocess.run(words, input=json.dumps(payload), capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout


if __name__ == "__main__":
    main()
