from pathlib import Path

import pytest
from tests.codec.outcomes import given_record
from tests.surfaces.calling import Caller, make_caller

from nightledger.files.configuration import home_zone, load_settings
from nightledger.gate.proposing.views import refresh_views
from nightledger.jobs.link import link
from nightledger.jobs.log_outcomes import log_outcomes


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    made = make_caller(tmp_path, monkeypatch, capsys)
    refresh_views(made.desk.gate, made.desk.ledger())
    return made


def log(caller: Caller, *resolutions: str) -> None:
    records = [(name, given_record(resolution=name)) for name in resolutions]
    log_outcomes(caller.home, records, now=caller.desk.moment.at)


def run_link(caller: Caller) -> None:
    link(caller.home, home_zone(caller.home, load_settings(caller.home)))


def test_each_file_that_differs_is_named_with_the_status_of_an_alarm(caller: Caller) -> None:
    log(caller, "set_zone")
    run_link(caller)
    for path in (caller.home.links, caller.home.entries, caller.home.pending_view):
        before = Path(path).read_bytes()
        Path(path).write_bytes(before.replace(b'"', b"'", 1))
        assert caller.run("rebuild", "--check") == 4
        assert caller.record("rebuild", "--check")["differs"] == [caller.home.relative(path)]
        Path(path).write_bytes(before)
    assert caller.run("rebuild", "--check") == 0
