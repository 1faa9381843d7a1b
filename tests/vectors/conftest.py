"""Where the large public sets are."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def vectors() -> Callable[[str], Path]:
    """Give the folder of one set, or skip with the reason."""
    root = os.environ.get("NIGHTLEDGER_VECTORS")

    def find(name: str) -> Path:
        if not root:
            pytest.skip("NIGHTLEDGER_VECTORS is not set: make test-vectors VECTORS=dir")
        folder = Path(root) / name
        if not folder.is_dir():
            pytest.skip(f"{folder} is missing: see tests/vectors/README.md")
        return folder

    return find
