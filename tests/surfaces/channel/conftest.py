"""What tests of the channel start with."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.surfaces.channel.machines import Pair, copy_pair, make_pair


@pytest.fixture(scope="session")
def pair_template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give two machines that nobody writes to."""
    root = tmp_path_factory.mktemp("machines")
    with pytest.MonkeyPatch.context() as environment:
        make_pair(root, environment)
        yield root


@pytest.fixture
def pair(pair_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pair:
    """Give two machines that know each other."""
    return copy_pair(pair_template, tmp_path, monkeypatch)
