"""One home made for all black-box tests, and a copy of it for each."""

from pathlib import Path

import pytest
from tests.blackbox.post import Post, copy_post, make_post
from tests.blackbox.world import Folder, World, copied, found


@pytest.fixture(scope="session")
def new_folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Give a new folder at each call."""
    return lambda: tmp_path_factory.mktemp("folder")


@pytest.fixture(scope="session")
def adopted(new_folder: Folder) -> World:
    """Give a home that nobody writes to, adopted on 2026-03-01 06:00 UTC."""
    return found(new_folder())


world = copied("adopted")
"""A fresh home with a small MEMORY.md."""


@pytest.fixture(scope="session")
def machines(adopted: World, new_folder: Folder) -> Post:
    """Give two machines that know each other, and a third; nobody writes to them."""
    return make_post(adopted, new_folder())


@pytest.fixture
def post(machines: Post, tmp_path: Path) -> Post:
    """Give them anew."""
    return copy_post(machines, tmp_path)
