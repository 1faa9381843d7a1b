"""Settings of every test (hypothesis is derandomized and keeps no database), and a home to begin with."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.gate.homes import Desk, make_desk
from tests.stores import OPEN
from tests.whole import examples

settings.register_profile(
    "nightledger",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=examples(100).max_examples,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("nightledger")


@pytest.fixture(autouse=True)
def _closed_behind() -> Iterator[None]:
    yield
    OPEN.close()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home that nobody writes to, adopted on 2026-03-01."""
    root = tmp_path_factory.mktemp("template")
    make_desk(root)
    return root


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Give a fresh home with a small MEMORY.md."""
    return make_desk(tmp_path)
