"""One home made for all black-box tests, and a copy of it for each."""

from pathlib import Path

import pytest
from tests.blackbox.post import Post, copy_post, make_post
from tests.blackbox.world import World, found


@pytest.fixture(scope="session")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Give a home that nobody writes to, adopted on 2026-03-01 06:00 UTC."""
    return found(tmp_path_factory.mktemp("adopted"))


@pytest.fixture
def world(adopted: World, tmp_path: Path) -> World:
    """Give a fresh home with a small MEMORY.md."""
    return adopted.copy(tmp_path)


@pytest.fixture(scope="session")
def machines(adopted: World, tmp_path_factory: pytest.TempPathFactory) -> Post:
    """Give two machines that know each other, and a third; nobody writes to them."""
    return make_post(adopted, tmp_path_factory.mktemp("machines"))


@pytest.fixture
def post(machines: Post, tmp_path: Path) -> Post:
    """Give them anew."""
    return copy_post(machines, tmp_path)
