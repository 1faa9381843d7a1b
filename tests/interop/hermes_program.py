"""Hermes Agent as a running program in a user's home of its own, with a scripted model."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.interop.agent_home import TURN_S, AgentHome, told
from tests.interop.keyboard import at_keyboard
from tests.interop.model import NAME, Asked, Model, answering

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
        return "".join(told(self.program, *words, environment=self.home.environment, cwd=self.project))

    def say(self, message: str, *words: str) -> tuple[list[Asked], str]:
        """Take one turn, and give all requests to the model and the session's name."""
        before = len(self.model.asked)
        answer = self.run("--accept-hooks", "chat", "-Q", "-q", message, *words)
        session = answer.rpartition("session_id:")[2].strip()
        return self.model.asked[before:], session

    def talk(self, message: str, is_done: Callable[[], bool]) -> None:
        """Say something at a terminal and leave when something has happened: what goes on behind a turn needs time."""
        words = [str(self.program), "--accept-hooks", "chat", "--cli"]
        with at_keyboard(words, self.project, self.home.environment, wait_s=TURN_S) as person:
            person.until(lambda: _PROMPT in person.seen)
            person.press(message.encode() + b"\r")
            person.until(is_done)
            person.press(b"/exit\r")
            person.until(lambda: person.has_ended)


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
    with answering(has_list=True) as model:
        hermes = Hermes(program=venv / "bin" / "hermes", home=home, model=model, project=project)
        for key, value in (("provider", "custom"), ("base_url", f"{model.url}/v1"), ("default", NAME)):
            hermes.run("config", "set", f"model.{key}", value)
        hermes.say("hello")  # makes state.db, by which init tells whose directory this is
        home.adopt()
        home.run("hosts", "install", "hermes", "--yes")
        yield hermes
