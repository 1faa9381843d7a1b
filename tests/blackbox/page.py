"""The review page seen from outside: its program, and a browser's requests, by ``http.client``."""

import http.client
import json
import os
import re
import signal
import socketserver
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from tests.blackbox.world import PROGRAM, Forked, World

AT_ONCE = patch.object(socketserver.BaseServer.serve_forever, "__defaults__", (0.01,))
"""Has a server that is forked meanwhile see within hundredths of a second that it is to end, not in half a one."""
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/#t=([\w-]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An answer."""

    status: int
    headers: Mapping[str, str]
    raw: bytes

    @property
    def json(self) -> Any:
        assert self.status == 200, (self.status, self.raw)
        return json.loads(self.raw)


@dataclass(slots=True, kw_only=True)
class Page:
    """A page that is served, and who asks it."""

    port: int
    token: str
    process: "subprocess.Popen[str]"
    host: str = "127.0.0.1"
    said: str = ""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/#t={self.token}"

    def ask(self, **question: Any) -> Any:
        """Ask as the page's own script does."""
        return self.post(json.dumps(question).encode()).json

    def post(self, body: bytes, path: str = "/review", method: str = "POST", **headers: str | None) -> Told:
        """Send a request; ``headers`` by their names with ``_`` for ``-``, None leaves one out."""
        given = {
            "Host": f"127.0.0.1:{self.port}",
            "Content-Type": "application/json",
            "X-Nightledger-Token": self.token,
            "Origin": f"http://127.0.0.1:{self.port}",
            "Sec-Fetch-Site": "same-origin",
            "Content-Length": str(len(body)),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        with closing(http.client.HTTPConnection(self.host, self.port, timeout=60)) as connection:
            connection.putrequest(method, path, skip_host=True)
            for name, value in given.items():
                if value is not None:
                    connection.putheader(name, value)
            with suppress(BrokenPipeError, ConnectionResetError):  # refused before all of it was sent
                connection.endheaders(body)
            with connection.getresponse() as response:
                return Told(status=response.status, headers=dict(response.getheaders()), raw=response.read())

    def items(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask(do="queue")["items"]
        return found

    def answer(self, one: Mapping[str, Any], verb: str | None, reason: str = "") -> Any:
        return self.ask(do="answer", **shown(one), verb=verb, reason=reason)

    def sign(self, passphrase: str = "") -> Any:
        """Sign every answer as the page lists it now."""
        return self.ask(do="sign", answers=listed(self.items()), passphrase=passphrase)

    def end(self) -> tuple[int, str]:
        """Wait until it ends by itself; give its status, and what it printed."""
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, " ".join((out + err).split())


def page_at(address: str) -> Page:
    """Give the page that an address in a text leads to; its process is another's, and ends by itself."""
    found = ADDRESS.search(address)
    assert found, address
    return Page(port=int(found[1]), token=found[2], process=None)  # type: ignore[arg-type]  # nobody here waits for it


def shown(one: Mapping[str, Any]) -> dict[str, Any]:
    """Give how a page names a change that it showed."""
    return {name: one[name] for name in ("id", "n", "seen")}


def listed(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give what a page would have signed."""
    return [{**shown(one), **one["answer"]} for one in items if one["answer"]]


@contextmanager
def opened(
    world: World,
    *words: str,
    streams: Mapping[str, int] | None = None,
    started: type["subprocess.Popen[str]"] = Forked,
    **environment: str,
) -> Iterator[Page]:
    """Serve the page of a home; it is interrupted at the end, as by Ctrl-C.

    Args:
        world: The home.
        words: More words of the command.
        streams: Its standard streams, where they are no pipes.
        started: How: a fork, or ``subprocess.Popen``, where its own start is a point.
        environment: More variables.
    """
    argv = [sys.executable, str(PROGRAM), "review", "--web", *words]
    argv += ["--home", str(world.home), "--now", world.now.isoformat()]
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(world.root),
        "NIGHTLEDGER_KEYS": str(world.keys),
        **environment,
    }
    given: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **(streams or {})}
    with AT_ONCE:
        process = started(argv, env=variables, text=True, **given)
    assert process.stderr
    read, found = "", None
    while not found and (line := process.stderr.readline()):
        read, found = read + line, ADDRESS.search(line)
    try:
        assert found, (read, process.communicate(timeout=10))
        yield Page(port=int(found[1]), token=found[2], process=process, said=read)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


@contextmanager
def looked_at(world: World) -> Iterator[str]:
    """Serve what links of notices open; give what it said at its start."""
    argv = [sys.executable, str(PROGRAM), "review", "--look"]
    argv += ["--home", str(world.home), "--now", world.now.isoformat()]
    variables = {"PATH": os.environ["PATH"], "HOME": str(world.root), "NIGHTLEDGER_KEYS": str(world.keys)}
    with AT_ONCE, Forked(argv, env=variables, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        said = process.stderr.readline()
        said += "" if "serving" in said else process.stderr.readline()
        try:
            assert "serving links of notices on http://" in said, said
            yield said
        finally:
            process.send_signal(signal.SIGINT)
