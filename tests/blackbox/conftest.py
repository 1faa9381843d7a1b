"""One home made for all black-box tests, and a copy of it for each."""

from pathlib import Path

import pytest
from tests.blackbox.world import World, found


@pytest.fixture(scope="session")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Give a home that nobody writes to, adopted on 2026-03-01 06:00 UTC."""
    return found(tmp_path_factory.mktemp("adopted"))


@pytest.fixture
def world(adopted: World, tmp_path: Path) -> World:
    """Give a fresh home with a small MEMORY.md."""
    return adopted.copy(tmp_path)
