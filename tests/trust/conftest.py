"""Fixtures: a home with keys and a started log; ssh-keygen."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.trust.worlds import HOME_ID, World, make_world

from nightledger.trust.keys import KeyRing, create_log_keys


@pytest.fixture(scope="session")
def keys_made_once(tmp_path_factory: pytest.TempPathFactory) -> KeyRing:
    ring = KeyRing(tmp_path_factory.mktemp("keys"))
    create_log_keys(ring, HOME_ID)
    return ring


@pytest.fixture
def bare(tmp_path: Path, keys_made_once: KeyRing) -> World:
    """A home with keys whose log was not started."""
    return make_world(tmp_path, keys_made_once)


@pytest.fixture
def world(bare: World) -> World:
    """A home whose log holds its first entry, signed and pinned."""
    bare.start()
    return bare


@pytest.fixture
def ssh_keygen() -> str:
    import shutil

    found = shutil.which("ssh-keygen")
    if found is None:
        pytest.skip("ssh-keygen is not installed")
    return found


@pytest.fixture
def ssh_verifies(ssh_keygen: str, tmp_path: Path) -> Callable[[str, bytes, str, str, str], bool]:
    """Ask ``ssh-keygen -Y verify``: allowed_signers, message, armour, namespace, identity."""
    import subprocess

    def ask(allowed: str, message: bytes, armour: str, namespace: str, identity: str) -> bool:
        (tmp_path / "allowed").write_text(allowed)
        (tmp_path / "sig").write_text(armour)
        files = ["-f", str(tmp_path / "allowed"), "-s", str(tmp_path / "sig")]
        command: Sequence[str] = [ssh_keygen, "-Y", "verify", *files, "-I", identity, "-n", namespace]
        return subprocess.run(command, input=message, capture_output=True, check=False).returncode == 0

    return ask
