"""stage at the command line."""

import shutil
from pathlib import Path

import pytest
from tests.recall.asking import put
from tests.surfaces.calling import Caller, make_caller

CALENDAR = (
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260301T070000Z\r\nDTEND:20260301T080000Z\r\n"
    "SUMMARY:Berths\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    monkeypatch.setattr(shutil, "which", lambda _: None)  # no crontab of this machine
    return make_caller(tmp_path, monkeypatch, capsys)


@pytest.fixture(autouse=True)
def operator(caller: Caller, tmp_path: Path) -> Path:
    path = caller.desk.ring.directory / "operator.yaml"
    (tmp_path / "work.ics").write_text(CALENDAR)
    path.write_text(f"calendars:\n  work: {{file: '{tmp_path}/work.ics', own: true}}\n")
    path.chmod(0o600)
    put(caller.desk, "memory/state/session-handoff.md", "## Next\n\n- Order the spare fan\n")
    return path


def test_under_cron_a_trouble_is_said_when_it_begins_and_stands_in_status_while_it_lasts(
    caller: Caller, tmp_path: Path
) -> None:
    assert caller.lines("stage") == []
    (tmp_path / "work.ics").write_text("no calendar")
    assert caller.lines("stage", "--dry-run")
    (said,) = caller.lines("stage")
    assert said.startswith("Staging: calendar work is no iCalendar text.")
    assert caller.lines("stage") == []
    assert [one["what"] for one in caller.record("status")["staged"]["troubles"]] == [
        "calendar work is no iCalendar text"
    ]
    assert "calendar work is no iCalendar text" in caller.text("status")
    (tmp_path / "work.ics").write_text(CALENDAR)
    assert caller.lines("stage") == []
    assert caller.record("status")["staged"]["troubles"] == []
    (tmp_path / "work.ics").write_text("no calendar")
    assert len(caller.lines("stage")) == 1
