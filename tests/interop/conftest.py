"""Claude Code or Codex, whichever a test or its module names as ``host``."""

import os
import shutil
from pathlib import Path

import pytest
from tests.interop.scene import HOSTS, Host


@pytest.fixture(scope="session")
def made() -> dict[str, Path]:
    """Return homes that nobody writes to, by host: making one costs more than copying it."""
    return {}


@pytest.fixture
def bare(host: str, made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Host:
    """Return a home whose host has no hooks yet."""
    kind = HOSTS[host]
    program = os.environ.get(kind.variable)
    if not program:
        pytest.skip(f"{kind.variable} is not set: make test-hosts {kind.variable}=path")
    if host not in made:
        made[host] = tmp_path_factory.mktemp(host) / "made"
        kind(root=made[host], program=program).make()
    shutil.copytree(made[host], tmp_path, dirs_exist_ok=True)
    return kind(root=tmp_path, program=os.path.abspath(program))


@pytest.fixture
def scene(bare: Host) -> Host:
    """Return a home whose hooks are in; whether Codex trusts them is another matter."""
    bare.ours.run("hosts", "install", bare.name, "--yes")
    return bare
