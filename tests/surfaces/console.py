"""The command line in tests: in this process, or on a pseudo-terminal in a fork of it."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.blackbox.terminal import Terminal
from tests.gate.homes import Desk

from nightledger.demo.shell import Ran, Shell
from nightledger.files.home import Home


@dataclass(slots=True, kw_only=True)
class Console:
    """A home and what a person or a script does with it."""

    desk: Desk

    @property
    def home(self) -> Home:
        return self.desk.home

    @property
    def keys(self) -> Path:
        """Where this home's keys lie."""
        return self.desk.ring.home_dir(self.home.identity.id)

    def run(
        self, *words: str, stdin: str = "", typed: Sequence[str] | None = None, home: Path | None = None
    ) -> Ran:
        """Run a command at the desk's time; ``typed`` lines come from a person at a terminal."""
        shell = Shell(home=home or self.desk.memory.parent, keys=self.desk.ring.directory)
        return shell.run(*words, now=self.desk.moment.at, stdin=stdin, typed=typed)

    def out(self, *words: str, stdin: str = "", typed: Sequence[str] | None = None) -> str:
        """Run a command that succeeds, and give what it printed."""
        ran = self.run(*words, stdin=stdin, typed=typed)
        assert ran.status == 0, ran.err
        return ran.out

    def text(self, *words: str, home: Path | None = None) -> str:
        """Run a command and give what it printed, as one line, whatever its status."""
        return " ".join(self.run(*words, home=home).out.split())

    def refused(self, *words: str, status: int = 1, stdin: str = "", home: Path | None = None) -> str:
        """Run a command that ends with this status, and give what it says of that, as one line."""
        ran = self.run(*words, stdin=stdin, home=home)
        assert ran.status == status, ran
        return " ".join(ran.err.split())

    def record(self, *words: str, home: Path | None = None) -> Any:
        """Run a command with ``--json`` and give the document, whatever its status."""
        return json.loads(self.run(*words, "--json", home=home).out)

    def terminal(self, *words: str, columns: int = 80) -> Terminal:
        """Start a command on a pseudo-terminal."""
        given = ("--home", self.desk.home.root, "--now", self.desk.moment.at.isoformat())
        env = {"PATH": os.environ["PATH"], "NIGHTLEDGER_KEYS": str(self.desk.ring.directory)}
        return Terminal(*words, *given, env=env, columns=columns)
