import shutil
from pathlib import Path

import pytest
from tests.surfaces.console import Console
from tests.surfaces.witnessing.machines import Machines, make_machines, open_machines


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
