"""What every test of the gate starts with."""

from pathlib import Path

import pytest
from tests.gate.homes import Desk, make_desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Give a fresh home with a small MEMORY.md."""
    return make_desk(tmp_path)
