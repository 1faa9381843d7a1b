"""What all sweeps and attacks share."""

from tests.faults.failed_tests import pytest_runtest_makereport

__all__ = ["pytest_runtest_makereport"]
