"""What all sweeps and attacks share."""

import pytest
from tests.faults.failed_tests import pytest_runtest_makereport
from tests.faults.sweep_report import WHOLE, whole
from tests.faults.sweep_strace import Program, copy_program, why_not
from tests.remote.conftest import pair_template

__all__ = ["pair_template", "pytest_runtest_makereport"]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return a copy of the program that can be traced here."""
    if not whole():
        pytest.skip(WHOLE)
    if missing := why_not():
        pytest.skip(missing)
    return copy_program(tmp_path_factory.mktemp("program"))
