"""What tests of the command line start with."""

from pathlib import Path

import pytest
from tests.gate.homes import make_desk
from tests.surfaces.console import Console


@pytest.fixture
def console(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Console:
    """Give the command line, and a fresh home to use it on."""
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    return Console(desk=make_desk(tmp_path))
