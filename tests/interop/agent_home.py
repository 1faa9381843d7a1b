"""A home for a real host's trials: made, filled and told by our own command line, as an owner would."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMMAND = Path(__file__).resolve().parents[2] / "scripts" / "command.py"
ENTRY = "The greenhouse fan needs its fuse changed in March."
GARDEN = f"# Memory\n\n## Garden\n\n- {ENTRY}\n"
TASK = "Order the fuse for the greenhouse fan before Friday"
MARK = "nightledger:staged:start"
"""Stands in whatever holds the staged page."""
NOTES = "<reference-notes>"
"""Stands before what a prompt found."""
TURN_S = 120.0
"""Far more than a host's turn takes."""


def free_port() -> int:
    """Return a port of this machine that nobody has."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def told(
    program: Path, *words: str, environment: Mapping[str, str], cwd: Path | None = None, check: bool = True
) -> tuple[str, str]:
    """Run a host's command; return what it prints and what it says beside."""
    done = subprocess.run(
        [program, *words], env=environment, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TURN_S,
        check=False,
    )  # fmt: skip
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done.stdout, done.stderr


@dataclass(frozen=True)
class AgentHome:
    """A home, and the environment that its owner works in.

    Attributes:
        root: Its directory; an agent's workspace.
        memory: Its gated file.
        environment: What the owner's shell has, ``HOME`` among it; nothing of ours.
    """

    root: Path
    memory: Path
    environment: Mapping[str, str]

    def command(self, *words: str) -> list[str]:
        """Return the words with which one of our verbs is run on it."""
        return [sys.executable, str(COMMAND), *words, "--home", str(self.root)]

    def run(self, *words: str, statuses: tuple[int, ...] = (0,)) -> str:
        """Run one of our verbs on it, and return what it prints.

        Args:
            words: The verb and what follows it.
            statuses: Which exit statuses are as expected.
        """
        done = subprocess.run(
            self.command(*words), env=self.environment, cwd=self.root.parent, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode in statuses, done.stdout + done.stderr
        return done.stdout

    def adopt(self, *words: str, memory: str = GARDEN) -> None:
        """Make a home of the workspace, with something in memory and something left open, staged."""
        self.memory.write_text(memory)
        self.run("init", "--adopt", "--no-passphrase", "--zone", "Etc/UTC", *words)
        handoff = self.root / "memory" / "state" / "session-handoff.md"
        handoff.write_text(f"# Handoff\n\n## Open\n\n- [ ] {TASK}\n")
        self.run("stage")

    @contextmanager
    def away(self) -> Iterator[None]:
        """Let it be no home for a while."""
        identity = self.root / "config" / "nightledger"
        identity.rename(identity.with_name("elsewhere"))
        try:
            yield
        finally:
            identity.with_name("elsewhere").rename(identity)

    def doctor(self) -> str:
        """Return what doctor says, without blanks and line ends; no schedule calls this home, which it minds."""
        return "".join(self.run("doctor", "--all", statuses=(0, 1)).split())

    @property
    def page(self) -> str:
        """What is staged."""
        return (self.root / "memory" / "state" / "tc-restore-pending.md").read_text()

    def exposures(self) -> list[dict[str, Any]]:
        """Return all lines of the exposure ledger."""
        ledger = self.root / "memory" / "system" / "exposures.jsonl"
        return [json.loads(line) for line in ledger.read_text().splitlines()] if ledger.exists() else []
