"""The command line in tests: in this process, or on a pseudo-terminal in a fork of it."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.blackbox.terminal import Terminal
from tests.gate.homes import Desk

from nightledger.demo.shell import Ran, Shell


@dataclass(slots=True, kw_only=True)
class Console:
    """A home and what a person or a script does with it."""

    desk: Desk

    def run(self, *words: str, stdin: str = "", typed: Sequence[str] | None = None) -> Ran:
        """Run a command at the desk's time; ``typed`` lines come from a person at a terminal."""
        shell = Shell(home=self.desk.memory.parent, keys=self.desk.ring.directory)
        return shell.run(*words, now=self.desk.moment.at, stdin=stdin, typed=typed)

    def out(self, *words: str, typed: Sequence[str] | None = None) -> str:
        """Run a command that succeeds, and give what it printed."""
        ran = self.run(*words, typed=typed)
        assert ran.status == 0, ran.err
        return ran.out

    def record(self, *words: str) -> Any:
        """Run a command with ``--json`` and give the document, whatever its status."""
        return json.loads(self.run(*words, "--json").out)

    def terminal(self, *words: str, columns: int = 80) -> Terminal:
        """Start a command on a pseudo-terminal."""
        given = ("--home", self.desk.home.root, "--now", self.desk.moment.at.isoformat())
        env = {"PATH": os.environ["PATH"], "NIGHTLEDGER_KEYS": str(self.desk.ring.directory)}
        return Terminal(*words, *given, env=env, columns=columns)
