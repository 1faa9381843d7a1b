"""A home for every test of a job."""

from pathlib import Path

import pytest
from tests.gate.homes import make_desk
from tests.jobs.nights import Nights


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    """Give a fresh home, early on 2026-03-02: the night of its first day."""
    return Nights(desk=make_desk(tmp_path))
