import shutil

import pytest
from tests.recall.asking import put
from tests.surfaces.console import Console

CALENDAR = (
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20260301T070000Z\r\nDTEND:20260301T080000Z\r\n"
    "SUMMARY:Berths\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)
TROUBLE = "calendar work is no iCalendar text"


def test_under_cron_a_trouble_is_said_when_it_begins_and_stands_in_status_while_it_lasts(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)  # no crontab of this machine
    calendar, settings = console.desk.root / "work.ics", console.desk.ring.directory / "operator.yaml"
    calendar.write_text(CALENDAR)
    settings.write_text(f"calendars:\n  work: {{file: '{calendar}', own: true}}\n")
    settings.chmod(0o600)
    put(console.desk, "memory/state/session-handoff.md", "## Next\n\n- Order the spare fan\n")
    assert console.out("stage") == ""
    calendar.write_text("no calendar")
    assert console.out("stage", "--dry-run")
    said = console.out("stage")
    assert said.startswith(f"Staging: {TROUBLE}.")
    assert said.count("\n") == 1
    assert console.out("stage") == ""
    assert [one["what"] for one in console.record("status")["staged"]["troubles"]] == [TROUBLE]
    assert TROUBLE in console.text("status")
    calendar.write_text(CALENDAR)
    assert console.out("stage") == ""
    assert console.record("status")["staged"]["troubles"] == []
    calendar.write_text("no calendar")
    assert console.out("stage") == said
