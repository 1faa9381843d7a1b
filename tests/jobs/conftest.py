"""A home for every test of a job."""

import shutil
from pathlib import Path

import pytest
from tests.jobs.nights import Nights, open_nights


@pytest.fixture
def nights(template: Path, tmp_path: Path) -> Nights:
    """Give a fresh home, early on 2026-03-02: the night of its first day."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return open_nights(tmp_path)
