"""What tests of messages and witnesses start with."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.remote.machines import Pair, copy_pair, make_pair
from tests.remote.witnesses import Machines, make_machines, open_machines
from tests.surfaces.console import Console


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


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("machines")
    make_machines(root)
    return root


@pytest.fixture
def machines(made_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    """A home whose policy asks for one witness, and that witness."""
    shutil.copytree(made_once, tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    return open_machines(tmp_path)


@pytest.fixture
def console(machines: Machines) -> Console:
    """The command line of the home's machine."""
    return Console(desk=machines.desk)
