"""What tests of the command line start with."""

import shutil
from pathlib import Path

import pytest
from tests.gate.homes import make_desk, open_desk
from tests.surfaces.console import Console


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a home that nobody writes to."""
    root = tmp_path_factory.mktemp("template")
    make_desk(root)
    return root


@pytest.fixture
def console(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Console:
    """Give the command line, and a fresh home to use it on."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    return Console(desk=open_desk(tmp_path))
