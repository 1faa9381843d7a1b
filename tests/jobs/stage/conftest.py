"""A home to stage for, made once and copied."""

import shutil
from pathlib import Path

import pytest
from tests.gate.homes import Desk, make_desk, open_desk


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a home that nobody writes to."""
    root = tmp_path_factory.mktemp("template")
    make_desk(root)
    return root


@pytest.fixture
def desk(template: Path, tmp_path: Path) -> Desk:
    """Give a fresh home."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return open_desk(tmp_path)
