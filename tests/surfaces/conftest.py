"""What tests of the command line start with."""

from pathlib import Path

import pytest
from tests.gate.homes import make_desk
from tests.surfaces.calling import Caller, make_caller
from tests.surfaces.console import Console


@pytest.fixture
def console(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Console:
    """Give the command line, and a fresh home to use it on."""
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    return Console(desk=make_desk(tmp_path))


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    """Give the verbs, and a fresh home of this machine."""
    return make_caller(tmp_path, monkeypatch, capsys)
