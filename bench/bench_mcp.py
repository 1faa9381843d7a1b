"""Our MCP server beside others': what its tools' schema takes of a context, what a start costs, and a recall through it.

Run with ``PYTHONPATH=scripts:. .venv/bin/python -m bench.bench_mcp --rival NAME=COMMAND ... [--tokens COMMAND]``. A rival is a
server on standard input and output, started with this environment; ``--tokens`` reads a text and prints how many tokens
it is, else three bytes are one. A start is a whole process: greeted, asked for its tools, its input closed. CPU of the
processes (user and system), medians of rounds in which each runs once.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from tests.blackbox.test_mcp import Client
from tests.blackbox.world import World, found

from bench import measure
from nightledger.domain.exposure import tokens_of

PROGRAM = Path(__file__).resolve().parents[1] / "scripts" / "command.py"
ROUNDS, DAYS, CALLS = 7, 365, 5
LINES_A_DAY = 27
START = date(2025, 3, 1)
QUERY, ENTRY = "backups", "Keep backups for 30 days."


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rival", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--tokens", default="", metavar="COMMAND")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world = found(Path(folder))
        fill(world)
        os.environ |= {
            "NIGHTLEDGER_KEYS": str(world.keys),
            "AI_AGENT": "bench",
        }  # the command answers an agent, too
        ours = [sys.executable, str(PROGRAM), "mcp", f"--home={world.home}"]
        rivals = dict(one.split("=", 1) for one in options.rival)
        servers = {
            "nightledger, lean": ours,
            "nightledger, full": [*ours, "--profile=full"],
            **{name: shlex.split(words) for name, words in rivals.items()},
        }
        print(f"\nschema of the tools, in tokens ({options.tokens or 'three bytes each'})")
        for name, words in servers.items():
            tools = listed(words)
            read = [
                {part: tool.get(part) for part in ("name", "description", "inputSchema")} for tool in tools
            ]
            sizes = [
                f"{len(text.encode()):>7,} bytes {counted(text, options.tokens):>6,} tokens"
                for text in (
                    json.dumps(one, separators=(",", ":"), ensure_ascii=False) for one in (read, tools)
                )
            ]
            print(f"  {name:<28}{len(tools):>3} tools, as a model reads them {sizes[0]}, whole {sizes[1]}")
        starts = {name: (lambda words=words: listed(words)) for name, words in servers.items()}
        report = measure.compare_children(starts, rounds=options.rounds)
        measure.report("start: greeted, tools listed, ended", report, aim="under 1 s")
        recall = [sys.executable, str(PROGRAM), "recall", f"--home={world.home}", "--", QUERY]
        through(ours, recall, options.rounds)


def fill(world: World) -> None:
    """Write a year of logs and have them indexed."""
    for day in range(DAYS):
        world.log_day(
            f"{START + timedelta(days=day)}",
            *(f"day {day} walked {n} miles and watered bed {n * day % 97}" for n in range(LINES_A_DAY)),
        )
    world.process("recall", "--", QUERY)


def through(ours: Sequence[str], recall: Sequence[str], rounds: int) -> None:
    """Print what recalls cost by the command and through a server; both answer the same."""
    with served(ours) as client:
        told = client.call("recall", query=QUERY)
    assert told == (False, subprocess.run(recall, check=True, capture_output=True, text=True).stdout.strip())
    assert ENTRY in told[1]
    candidates = {
        f"{CALLS} commands": lambda: [
            subprocess.run(recall, check=True, capture_output=True) for _ in range(CALLS)
        ],
        f"a server, {CALLS} calls": lambda: [client.call("recall", query=QUERY) for client in calls(ours)],
        "a server, no call": lambda: listed(ours),
    }
    measured = measure.compare_children(candidates, rounds=rounds)
    measure.report(
        f"recall on {DAYS * LINES_A_DAY:,} lines of logs",
        measured,
        aim="a call is no dearer than the command",
    )


def calls(words: Sequence[str]) -> Iterator[Client]:
    """Yield one client as often as it is to call."""
    with served(words) as client:
        for _ in range(CALLS):
            yield client


def listed(words: Sequence[str]) -> list[dict[str, Any]]:
    """Return the tools that a server offers."""
    with served(words) as client:
        tools: list[dict[str, Any]] = client.ask("tools/list")["result"]["tools"]
    return tools


@contextmanager
def served(words: Sequence[str]) -> Iterator[Client]:
    """Start a server and greet it; it ends when its input does."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet) as process:
        client = Client(process=process)
        info = {"name": "bench", "version": "1"}
        client.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
        client.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield client
        assert process.stdin
        process.stdin.close()
        process.wait(timeout=60)


def counted(text: str, words: str) -> int:
    """Return how many tokens a text is."""
    if not words:
        return tokens_of(text)
    return int(
        subprocess.run(shlex.split(words), input=text, check=True, capture_output=True, text=True).stdout
    )


if __name__ == "__main__":
    main()
