"""A witness of another make, as a running program: litewitness, its key in an ssh-agent."""

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.interop.agent_home import free_port

NAME = "witness.example/lite"
_KEY = re.compile(rf"vkey=({re.escape(NAME)}\+\S+)")
_START_S = 10.0


@dataclass(frozen=True)
class Litewitness:
    """One that runs.

    Attributes:
        programs: Where ``litewitness`` and ``witnessctl`` are.
        root: Its directory.
        url: Where it answers.
        vkey: Its verifier key.
    """

    programs: Path
    root: Path
    url: str
    vkey: str

    def add(self, origin: str, vkey: str) -> None:
        """Have it cosign a log that begins at size 0."""
        for words in (("add-log",), ("add-key", "-key", vkey)):
            verb, *rest = words
            subprocess.run(
                [self.programs / "witnessctl", verb, "-db", self.root / "db", "-origin", origin, *rest],
                check=True,
                capture_output=True,
            )


@contextmanager
def running(programs: Path, root: Path) -> Iterator[Litewitness]:
    """Start one with a key of its own, and end it."""
    agent = root / "agent"
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", root / "key"], check=True, capture_output=True
    )
    listed = subprocess.run(["ssh-keygen", "-lf", root / "key.pub"], check=True, capture_output=True)
    url = f"127.0.0.1:{free_port()}"
    with _process(["ssh-agent", "-D", "-a", str(agent)], root / "agent.log"):
        _wait(agent.exists)
        environment = {**os.environ, "SSH_AUTH_SOCK": str(agent)}
        subprocess.run(["ssh-add", "-q", root / "key"], check=True, env=environment)
        told = root / "witness.log"
        command = [programs / "litewitness", "-name", NAME, "-db", root / "db", "-ssh-agent", agent]
        command += ["-key", listed.stdout.split()[1].decode(), "-listen", url]
        with _process([str(word) for word in command], told):
            _wait(lambda: "msg=listening" in told.read_text())
            found = _KEY.search(told.read_text())
            assert found
            yield Litewitness(programs=programs, root=root, url=f"http://{url}", vkey=found[1])


@contextmanager
def _process(command: list[str], told: Path) -> Iterator[None]:
    with told.open("wb") as stream, subprocess.Popen(command, stdout=stream, stderr=stream) as process:
        try:
            yield
        finally:
            process.terminate()


def _wait(ready: Callable[[], bool]) -> None:
    end = time.monotonic() + _START_S
    while not ready():
        assert time.monotonic() < end, "it did not start"
        time.sleep(0.02)
