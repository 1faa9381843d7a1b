"""What reading transcripts costs beside decoding them: 100 MB of invented Claude Code sessions, then nothing new.

Run with ``PYTHONPATH=scripts:. .venv/bin/python -m bench.bench_import [MB]``. CPU seconds of whole processes, medians of
three: decoding each line, an import where nothing lies (the start), a first import, a second one. Modules are compiled
beforehand, as an installed program has them. Of bytes, a line of the user's has about 200, the assistant's 400,
a tool's result 8,000, as 1 : 2 : 4; lines of the host's own that say nothing are as many as all of these. Every second
turn changes a file, and its tests fail and pass: an outcome is derived of each.
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
from collections.abc import Iterator
from pathlib import Path

from tests.blackbox.world import PROGRAM, World, found
from tests.hosts.sessions import call, claude, claude_file, result, text

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


def lines(rng: random.Random, home: str, size_bytes: int) -> Iterator[str]:
    """Yield the lines of one session."""
    n = 0
    while size_bytes > 0:
        n += 1
        day = f"2026-02-{1 + n % 28:02d}T{n // 60 % 24:02d}:{n % 60:02d}:00Z"
        said = [claude("user", sentences(rng, 200), home, n=n)]
        said += [claude("assistant", text(sentences(rng, 400)), home, n=n) for _ in range(2)]
        change = {"file_path": f"{home}/src/relay{n}.py", "old_string": "a", "new_string": "b"}
        steps: list[tuple[str, dict[str, str], int | None]] = [("Read", {"file_path": home}, None)] * 4
        if n % 2:
            tested = ("Bash", {"command": "pytest -q"})
            steps = [(*tested, 1), ("Edit", change, None), (*tested, 0), steps[0]]
        for tool, given, status in steps:
            name, output = f"t-{rng.getrandbits(64):x}", sentences(rng, 8_000)
            mark = {} if status is None else {"is_error": bool(status)}
            ended = result(f"Exit code {status}\n{output}" if status else output, name=name, **mark)
            said += [
                claude("assistant", call(tool, name=name, **given), home, n=n),
                claude("user", ended, home, n=n),
            ]
        quiet = {"type": "api-request-shape", "shape": {"system": sentences(rng, 400)}}
        for line in said:
            record = {**json.loads(line), "uuid": f"{rng.getrandbits(64):x}", "timestamp": day}
            for one in (record, quiet):
                written = json.dumps(one)
                size_bytes -= len(written)
                yield written


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


def main(mb: int = 100) -> None:
    """Measure and print."""
    rng = random.Random(25)
    with tempfile.TemporaryDirectory() as folder:
        world = found(Path(folder))
        root = world.root / "claude"
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        world.environment["PYTHONPYCACHEPREFIX"] = str(world.root / "compiled")
        files = [
            claude_file(root, str(world.home), lines(rng, str(world.home), SESSION_BYTES), name=f"s-{n}")
            for n in range(max(1, mb * 1_000_000 // SESSION_BYTES))
        ]
        size = sum(path.stat().st_size for path in files)
        print(f"{len(files)} sessions, {size / 1e6:.0f} MB, {time.strftime('%Y-%m-%d')}")
        words = ["import", "claude-code", "--yes", "--home", str(world.home), "--now", "2026-03-01T08:00:00Z"]
        command = [sys.executable, str(PROGRAM), *words]
        rounds, before, memory, same = list[tuple[float, ...]](), list[bytes](), 0.0, True
        for warm in (True, False, False, False):
            shutil.rmtree(world.home / "memory/system/transcripts", ignore_errors=True)
            for name in ("cursors.json", "outcome-records.jsonl", "episode.jsonl"):
                (world.home / "memory/system" / name).unlink(missing_ok=True)
            decode, _ = cpu_s([sys.executable, "-c", DECODE, *map(str, files)], world)
            standard, _ = cpu_s([sys.executable, "-c", STANDARD, *map(str, files)], world)
            world.environment["CLAUDE_CONFIG_DIR"] = str(world.root / "nothing")
            start, _ = cpu_s(command, world)
            world.environment["CLAUDE_CONFIG_DIR"] = str(root)
            first, memory = cpu_s(command, world)
            before = contents(world)
            second, _ = cpu_s(command, world)
            rounds += [] if warm else [(decode, standard, start, first, second)]
            same = same and before == contents(world)
        outcomes = before[0].count(b"\n")
        decode, standard, start, first, second = map(statistics.median, zip(*rounds, strict=True))
        print(
            f"decoding {decode:.2f} s with msgspec, {standard:.2f} s with json; the program's start {start:.2f} s"
        )
        print(
            f"first import {first:.2f} s, {first / decode:.1f} and {first / standard:.1f} times these, "
            f"{(first - start) / decode:.1f} without the start; {memory:.0f} MB of memory at most"
        )
        print(
            f"kept {sum(map(len, before)) / 1e6:.1f} MB, {outcomes} outcomes; again {second:.2f} s, {100 * second / first:.1f} %, "
            f"{100 * (second - start) / first:.1f} % without the start, {'no byte changed' if same else 'BYTES CHANGED'}"
        )


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
