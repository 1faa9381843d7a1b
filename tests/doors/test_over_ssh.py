"""The queue of another machine, reviewed on a page here through a real SSH server and client: the command of docs/machines.md."""

import getpass
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.blackbox.page import ADDRESS, Page
from tests.blackbox.world import PROGRAM, found
from tests.interop.agent_home import free_port

pytestmark = pytest.mark.interop
SSHD = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin") or ""
HERE = "127.0.0.2"
"""This machine under another address: it has one port of each number for the page, and one for its tunnel."""


@contextmanager
def ssh_server(folder: Path) -> Iterator[list[str]]:
    """Serve SSH to this user; give the words of a client that reaches it."""
    for name in ("host", "user"):
        command = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name))
        subprocess.run(command, check=True)
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where sshd puts its unprivileged half
    server, port = start_server(folder)
    try:
        options = ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR")
        words = ["ssh", "-F", "none", "-i", str(folder / "user"), "-p", str(port)]
        yield [*words, *(word for option in options for word in ("-o", option))]
    finally:
        server.terminate()
        server.wait(timeout=30)


def start_server(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Start sshd on a free port and wait until it answers; a port that somebody took in between is changed for another."""
    for _ in range(3):
        port = free_port()
        settings = {
            "HostKey": folder / "host", "AuthorizedKeysFile": folder / "user.pub", "PidFile": "none", "StrictModes": "no",
            "ListenAddress": f"127.0.0.1:{port}", "PasswordAuthentication": "no", "UsePAM": "no", "PermitRootLogin": "yes",
        }  # fmt: skip
        (folder / "sshd").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        with (folder / "said").open("wb") as said:
            server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "sshd")], stderr=said)
        until = time.monotonic() + 20
        while server.poll() is None and time.monotonic() < until:
            if b"listening" in (folder / "said").read_bytes():
                return server, port
            time.sleep(0.05)
        server.kill()
        server.wait(timeout=30)
    pytest.fail(f"sshd does not start: {(folder / 'said').read_text()}")


@pytest.mark.skipif(not SSHD, reason="no sshd is here (OpenSSH's server)")
def test_what_waits_on_another_machine_is_signed_there_from_a_page_here(tmp_path: Path) -> None:
    world = found(tmp_path / "world")
    name = world.propose("Count twice.")
    folder = tmp_path / "ssh"
    folder.mkdir()
    port = free_port()
    there = (
        f"NIGHTLEDGER_KEYS={world.keys} {sys.executable} {PROGRAM} review --web --port {port} --no-open "
        f"--home {world.home} --now {world.now.isoformat()}"
    )
    with ssh_server(folder) as ssh:
        tunnel = ("-L", f"{HERE}:{port}:127.0.0.1:{port}", f"{getpass.getuser()}@127.0.0.1", there)
        with subprocess.Popen([*ssh, *tunnel], text=True, stderr=subprocess.PIPE) as client:
            assert client.stderr
            read = [client.stderr.readline(), client.stderr.readline()]
            address = ADDRESS.search(read[1])
            assert f"ssh -L {port}:127.0.0.1:{port}" in read[0], read
            assert address, read
            page = Page(port=port, token=address[2], process=client, host=HERE)
            assert page.post(b"", method="GET", path="/").status == 200
            (one,) = page.items()
            page.answer(one, "approve")
            assert page.sign()["done"]
            assert client.wait(timeout=60) == 0, "it ends with the review"
    assert [event["proposal"] for event in world.events() if event["event"] == "decision.recorded"] == [name]
