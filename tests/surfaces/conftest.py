"""What tests of the command line start with."""

from pathlib import Path

import pytest
from tests.gate.homes import make_desk
from tests.surfaces.console import Console

from nightledger.surfaces.context import marks


@pytest.fixture(autouse=True)
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a person call, with keys of their own, and no agent's host."""
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    for name in marks():
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def console(tmp_path: Path) -> Console:
    """Give the command line, and a fresh home to use it on."""
    return Console(desk=make_desk(tmp_path))
