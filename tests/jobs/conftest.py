"""A home for every test of a job: founding one costs more than copying it."""

import shutil
from pathlib import Path

import pytest
from tests.gate.homes import make_desk
from tests.jobs.nights import Nights, open_nights


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a home that nobody writes to, adopted on 2026-03-01."""
    root = tmp_path_factory.mktemp("founded")
    make_desk(root)
    return root


@pytest.fixture
def nights(founded: Path, tmp_path: Path) -> Nights:
    """Give a fresh home, early on 2026-03-02: the night of its first day."""
    shutil.copytree(founded, tmp_path, dirs_exist_ok=True)
    return open_nights(tmp_path)
