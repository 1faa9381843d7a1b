"""OpenClaw as a running program: a workspace that its own set-up made, and its gateway, with a scripted model."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.interop.agent_home import AgentHome, free_port, told
from tests.interop.model import NAME, Asked, Model, answering

_START_S = 120.0


@dataclass(frozen=True)
class OpenClaw:
    """One installation in a user's home of its own.

    Attributes:
        programs: The npm directory that holds ``openclaw`` and the ``node`` that it asks for.
        home: Its workspace, as our home.
        model: What answers it.
    """

    programs: Path
    home: AgentHome
    model: Model

    @property
    def state(self) -> Path:
        """Its own directory."""
        return Path(self.home.environment["HOME"], ".openclaw")

    @property
    def hook(self) -> Path:
        """The folder that we put there."""
        (folder,) = (self.state / "hooks").glob("nightledger-*")
        return folder

    def run(self, *words: str, check: bool = True) -> str:
        """Run one of its commands, and give what it prints."""
        program = self.programs / "node_modules" / ".bin" / "openclaw"
        out, err = told(program, *words, environment=self.home.environment, check=check)
        return out + ("" if check else err)

    def json(self, *words: str) -> Any:
        """Run a command that prints JSON, and give it."""
        return json.loads(self.run(*words, "--json"))

    def say(self, message: str, session: str) -> Asked:
        """Take one turn of a session at the gateway, and give the first request to the model."""
        before = len(self.model.asked)
        answer = self.json("agent", "--session-key", session, "-m", message)
        assert answer["status"] == "ok", answer
        return next(one for one in self.model.asked[before:] if message in one.text())


def session_of(request: Asked) -> str:
    """Give the id of the session that a request is of, as OpenClaw tells its model."""
    found = re.search(r"sessionId=(\S+)", request.text())
    assert found
    return found[1]


@contextmanager
def installed(programs: Path, root: Path) -> Iterator[OpenClaw]:
    """Set OpenClaw up below a directory, adopt its workspace, put our hook in and run the gateway."""
    bin_dir = programs / "node_modules" / ".bin"
    environment = {
        "PATH": f"{bin_dir}:{os.environ['PATH']}",
        "HOME": str(root / "user"),
        "TMPDIR": str(root),
        "NIGHTLEDGER_KEYS": str(root / "keys"),
        "NO_COLOR": "1",
        "TZ": "UTC",
    }
    (root / "user").mkdir()
    workspace = root / "user" / ".openclaw" / "workspace"
    home = AgentHome(root=workspace, memory=workspace / "MEMORY.md", environment=environment)
    with answering(has_list=True) as model:
        claw = OpenClaw(programs=programs, home=home, model=model)
        _set_up(claw)
        claw.run("config", "set", "logging.file", str(root / "openclaw.log"))
        home.adopt()
        home.run("hosts", "install", "openclaw", "--yes")
        claw.run("hooks", "enable", claw.hook.name)
        with _gateway(claw, root / "gateway.log"):
            yield claw


def _set_up(claw: OpenClaw) -> None:
    skipped = ("health", "daemon", "ui", "channels", "skills", "search", "hooks")
    claw.run(
        *(
            "onboard",
            "--non-interactive",
            "--accept-risk",
            "--mode",
            "local",
            "--auth-choice",
            "custom-api-key",
        ),
        *("--custom-provider-id", "local", "--custom-api-key", "none", "--custom-compatibility", "openai"),
        *("--custom-base-url", f"{claw.model.url}/v1", "--custom-model-id", NAME),
        *("--gateway-port", str(free_port())),
        *(f"--skip-{one}" for one in skipped),
    )


@contextmanager
def _gateway(claw: OpenClaw, log: Path) -> Iterator[None]:
    command = [str(claw.programs / "node_modules" / ".bin" / "openclaw"), "gateway", "run"]
    with (
        log.open("wb") as stream,
        subprocess.Popen(
            command, env=claw.home.environment, stdout=stream, stderr=stream, start_new_session=True
        ) as process,
    ):
        try:
            end = time.monotonic() + _START_S
            while "[gateway] ready" not in log.read_text():
                assert time.monotonic() < end, f"it did not start:\n{log.read_text()}"
                assert process.poll() is None, log.read_text()
                time.sleep(0.2)
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
