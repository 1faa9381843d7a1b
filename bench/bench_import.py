"""What reading transcripts costs beside decoding them: 100 MB of invented sessions of Claude Code, and of Codex, then nothing new.

Run with ``PYTHONPATH=scripts:. .venv/bin/python -m bench.bench_import [MB]``. CPU seconds of whole processes, medians of
three: decoding each line, an import where nothing lies (the start), a first import, a second one. Modules are compiled
beforehand, as an installed program has them. Of bytes, a line of the user's has about 200, the assistant's 400,
a tool's result 8,000, as 1 : 2 : 4 (Codex writes a command's output twice); lines of the host's own that say nothing are
as many as all of these. Every second turn changes a file, and its tests fail and pass: an outcome is derived of each.
"""

import json
import os
import random  # noqa: TID251 - seeded
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.blackbox.world import PROGRAM, World, found
from tests.hosts.sessions import call, claude, claude_file, codex, codex_file, codex_said, result, text

WORDS = [
    "the",
    "relay",
    "drops",
    "every",
    "second",
    "order",
    "because",
    "its",
    "certificate",
    "expired",
    "so",
    "we",
    "renew",
    "it",
    "on",
    "Mondays",
    "and",
    "never",
    "by",
    "hand",
]
DECODE = "import sys, msgspec\nfor name in sys.argv[1:]:\n    for line in open(name, 'rb'):\n        msgspec.json.decode(line)\n"
STANDARD = DECODE.replace("msgspec.json.decode", "json.loads").replace("msgspec", "json")
SESSION_BYTES = 4_000_000


def sentences(rng: random.Random, characters: int) -> str:
    """Return invented prose, about so long."""
    words: list[str] = []
    while sum(map(len, words)) < characters:
        words += [*rng.choices(WORDS, k=12), f"{rng.randrange(10**6)}.\n"]
    return " ".join(words)


Step = tuple[str, str, int | None]
"""What is done: a tool, its file or command, and how it ends."""
Turn = Callable[[random.Random, str, int, list[Step]], list[str]]
"""Writes the lines of one turn as a host does: in which directory, the how manieth, what is done in it."""


def lines(rng: random.Random, home: str, size_bytes: int, turn: Turn) -> Iterator[str]:
    """Yield the lines of one session."""
    n = 0
    while size_bytes > 0:
        n += 1
        day = f"2026-02-{1 + n % 28:02d}T{n // 60 % 24:02d}:{n % 60:02d}:00Z"
        steps: list[Step] = [("Read", f"{home}/notes.md", None)] * 4
        if n % 2:
            edit: Step = ("Edit", f"{home}/src/relay{n}.py", None)
            steps = [("Bash", "pytest -q", 1), edit, ("Bash", "pytest -q", 0), steps[0]]
        for line in turn(rng, home, n, steps):
            written = json.dumps({**json.loads(line), "timestamp": day})
            size_bytes -= len(written)
            yield written


def claude_turn(rng: random.Random, home: str, n: int, steps: list[Step]) -> list[str]:
    """Return the lines of one turn in Claude Code."""
    said = [claude("user", sentences(rng, 200), home, n=n)]
    said += [claude("assistant", text(sentences(rng, 400)), home, n=n) for _ in range(2)]
    for tool, what, status in steps:
        name, output = f"t-{rng.getrandbits(64):x}", sentences(rng, 8_000)
        mark = {} if status is None else {"is_error": bool(status)}
        given = {"command": what} if tool == "Bash" else {"file_path": what}
        ended = result(f"Exit code {status}\n{output}" if status else output, name=name, **mark)
        said += [
            claude("assistant", call(tool, name=name, **given), home, n=n),
            claude("user", ended, home, n=n),
        ]
    quiet = json.dumps({"type": "api-request-shape", "shape": {"system": sentences(rng, 400)}})
    named = (json.dumps({**json.loads(line), "uuid": f"{rng.getrandbits(64):x}"}) for line in said)
    return [one for line in named for one in (line, quiet)]


def codex_turn(rng: random.Random, home: str, n: int, steps: list[Step]) -> list[str]:
    """Return the lines of one turn in Codex."""
    del home
    said = [codex_said("user", sentences(rng, 200), n=n)]
    said += [codex_said("assistant", sentences(rng, 400), n=n) for _ in range(2)]
    for tool, what, status in steps:
        name, output = f"c-{rng.getrandbits(64):x}", sentences(rng, 8_000)
        made: dict[str, Any]
        if tool == "Edit":
            patch = f"*** Begin Patch\n*** Update File: {what}\n{output}"
            made = {
                "type": "FileChange",
                "id": name,
                "status": "completed",
                "changes": {what: {"type": "update"}},
            }
            called = {"type": "custom_tool_call", "name": "apply_patch", "call_id": name, "input": patch}
        else:
            command = what if tool == "Bash" else f"cat {what}"
            given = json.dumps({"cmd": command})
            called = {"type": "function_call", "name": "exec_command", "call_id": name, "arguments": given}
            made = {
                "type": "CommandExecution", "id": name, "command": ["/bin/bash", "-lc", command],
                "exit_code": status or 0, "aggregated_output": output,
            }  # fmt: skip
        head = f"Chunk ID: a1\nWall time: 0.1 seconds\nProcess exited with code {status or 0}\nOutput:\n"
        said += [
            codex("response_item", called, n=n),
            codex("event_msg", {"type": "item_completed", "item": made}, n=n),
            codex(
                "response_item",
                {"type": f"{called['type']}_output", "call_id": name, "output": head + output},
                n=n,
            ),
        ]
    quiet = codex("response_item", {"type": "reasoning", "encrypted_content": sentences(rng, 400)}, n=n)
    return [one for line in said for one in (line, quiet)]


HOSTS: dict[str, tuple[str, Callable[..., Path], Turn]] = {
    "claude-code": ("CLAUDE_CONFIG_DIR", claude_file, claude_turn),
    "codex": ("CODEX_HOME", codex_file, codex_turn),
}
"""The variable that says where a host's directory is, what writes a file of it, and a turn."""


def cpu_s(argv: list[str], world: World) -> tuple[float, float]:
    """Run a command; return its CPU seconds and the most memory that any command so far had, in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        argv,
        check=True,
        capture_output=True,
        env=os.environ | world.environment | {"NIGHTLEDGER_KEYS": str(world.keys)},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 1024


def measure(host: str, mb: int) -> None:
    """Measure one host and print."""
    rng = random.Random(25)
    variable, session_file, turn = HOSTS[host]
    with tempfile.TemporaryDirectory() as folder:
        world = found(Path(folder))
        root = world.root / host
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        world.environment["PYTHONPYCACHEPREFIX"] = str(world.root / "compiled")
        files = [
            session_file(
                root, str(world.home), lines(rng, str(world.home), SESSION_BYTES, turn), name=f"s-{n}"
            )
            for n in range(max(1, mb * 1_000_000 // SESSION_BYTES))
        ]
        size = sum(path.stat().st_size for path in files)
        print(f"{host}: {len(files)} sessions, {size / 1e6:.0f} MB, {time.strftime('%Y-%m-%d')}")
        words = ["import", host, "--yes", "--home", str(world.home), "--now", "2026-03-01T08:00:00Z"]
        command = [sys.executable, str(PROGRAM), *words]
        rounds, before, memory, same = list[tuple[float, ...]](), list[bytes](), 0.0, True
        for warm in (True, False, False, False):
            shutil.rmtree(world.home / "memory/system/transcripts", ignore_errors=True)
            for name in ("cursors.json", "outcome-records.jsonl", "episode.jsonl"):
                (world.home / "memory/system" / name).unlink(missing_ok=True)
            decode, _ = cpu_s([sys.executable, "-c", DECODE, *map(str, files)], world)
            standard, _ = cpu_s([sys.executable, "-c", STANDARD, *map(str, files)], world)
            world.environment[variable] = str(world.root / "nothing")
            start, _ = cpu_s(command, world)
            world.environment[variable] = str(root)
            first, memory = cpu_s(command, world)
            before = contents(world)
            second, _ = cpu_s(command, world)
            rounds += [] if warm else [(decode, standard, start, first, second)]
            same = same and before == contents(world)
        decode, standard, start, first, second = map(statistics.median, zip(*rounds, strict=True))
        print(
            f"decoding {decode:.2f} s with msgspec, {standard:.2f} s with json; the program's start {start:.2f} s"
        )
        print(
            f"first import {first:.2f} s, {first / decode:.1f} and {first / standard:.1f} times these, "
            f"{(first - start) / decode:.1f} and {(first - start) / standard:.1f} without the start; {memory:.0f} MB of memory at most"
        )
        print(
            f"kept {sum(map(len, before)) / 1e6:.1f} MB, {len(before[0].splitlines())} outcomes; again {second:.2f} s, {100 * second / first:.1f} %, "
            f"{100 * (second - start) / first:.1f} % without the start, {'no byte changed' if same else 'BYTES CHANGED'}"
        )


def main(mb: int = 100) -> None:
    """Measure each host."""
    for host in HOSTS:
        measure(host, mb)


def contents(world: World) -> list[bytes]:
    """Return what was kept, and how far was read."""
    system = world.home / "memory/system"
    return [
        path.read_bytes()
        for path in (
            system / "outcome-records.jsonl",
            *sorted((system / "transcripts").glob("*.md")),
            system / "cursors.json",
        )
    ]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
