"""Hermes Agent as a running program in a user's home of its own, with a scripted model."""

import os
import pty
import select
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.interop import model_server_openai as models
from tests.interop.agent_home import AgentHome
from tests.interop.model_server_openai import Model

_TURN_S = 120.0
_PROMPT = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}".encode()


@dataclass(frozen=True)
class Hermes:
    """One installation.

    Attributes:
        program: ``hermes``.
        home: Its own directory, as our home.
        model: What answers it.
        project: Where it is started.
    """

    program: Path
    home: AgentHome
    model: Model
    project: Path

    def run(self, *words: str) -> str:
        """Run one of its commands, and give what it prints."""
        done = subprocess.run(
            [self.program, *words],
            cwd=self.project,
            env=self.home.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TURN_S,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def say(self, message: str, *words: str) -> tuple[list[dict[str, object]], str]:
        """Take one turn, and give all requests to the model and the session's name."""
        before = len(self.model.asked)
        told = self.run("--accept-hooks", "chat", "-Q", "-q", message, *words)
        session = told.rpartition("session_id:")[2].strip()
        return self.model.asked[before:], session

    def talk(self, message: str, is_done: Callable[[], bool]) -> None:
        """Say something at a terminal and leave when something has happened: what goes on behind a turn needs time."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.project)
            words = [str(self.program), "--accept-hooks", "chat", "--cli"]
            os.execve(self.program, words, {**self.home.environment, "TERM": "xterm"})  # noqa: S606 - no shell
        try:
            _read(terminal, until=lambda told: _PROMPT in told)
            os.write(terminal, message.encode() + b"\r")
            _read(terminal, until=lambda _: is_done())
            os.write(terminal, b"/exit\r")
            _read(terminal, until=lambda _: False)
        finally:
            os.close(terminal)
            os.waitpid(child, 0)


def _read(terminal: int, until: Callable[[bytes], bool]) -> None:
    """Read what a terminal says until something holds, or it ends."""
    told, end = b"", time.monotonic() + _TURN_S
    while not until(told):
        assert time.monotonic() < end, told[-2000:].decode(errors="replace")
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                told += os.read(terminal, 1 << 16)
            except OSError:  # it ended
                return


@contextmanager
def installed(venv: Path, root: Path) -> Iterator[Hermes]:
    """Set Hermes up below a directory, adopt its own directory as a home, and put our hooks in."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(root / "user"),
        "NIGHTLEDGER_KEYS": str(root / "keys"),
        "NO_COLOR": "1",
        "TZ": "UTC",
        "LANG": "C.UTF-8",
    }
    project = root / "project"
    state = root / "user" / ".hermes"
    for path in (project, state.parent):
        path.mkdir()
    home = AgentHome(root=state, memory=state / "memories" / "MEMORY.md", environment=environment)
    with models.running() as model:
        hermes = Hermes(program=venv / "bin" / "hermes", home=home, model=model, project=project)
        for key, value in (("provider", "custom"), ("base_url", model.url), ("default", models.NAME)):
            hermes.run("config", "set", f"model.{key}", value)
        hermes.say("hello")  # makes state.db, by which init tells whose directory this is
        home.adopt()
        home.run("hosts", "install", "hermes", "--yes")
        yield hermes
