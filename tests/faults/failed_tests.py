"""A test that fails is a row of the table, too: what its sweep would have said of it may be missing."""

from collections.abc import Generator

import pytest
from tests.faults.sweep_report import report

SWEEP = "tests that failed"
_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep a row for each test of which some phase fails, and for each reason why tests were left out."""
    made = yield
    if made.failed:
        item.stash[_FAILED] = True
        report(SWEEP, item.nodeid, points=1, failed=1)
    if made.skipped and isinstance(made.longrepr, tuple):
        report(f"left out: {made.longrepr[2].removeprefix('Skipped: ')}", item.nodeid, points=0)
    return made


def has_failed(request: pytest.FixtureRequest) -> bool:
    """Tell, behind a test, whether it failed."""
    return bool(request.node.stash.get(_FAILED, False))
