import shutil
from pathlib import Path

import pytest
from tests.jobs.nights import HIDDEN, LESSON, log_of
from tests.linking import line, outcome
from tests.recall.asking import put
from tests.surfaces.console import Console


def test_bad_lines_are_named_by_file_and_line(console: Console) -> None:
    Path(console.home.outcomes).write_bytes(b"{}\n" * 30 + line(outcome(1)) + b"half")
    said = console.run("link").err.splitlines()
    assert said[0].startswith("memory/system/outcome-records.jsonl:1 is no outcome: ")
    assert said[20] == "10 more lines of memory/system/outcome-records.jsonl without an outcome"
    assert said[21].endswith("is unfinished; it is read once the logger has closed it")


def snapshot(console: Console) -> dict[Path, bytes]:
    files = (path for path in Path(console.home.root).rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files if ".nightledger" not in path.parts}


def test_a_log_that_is_not_utf8_at_all_is_one_line_that_says_how_to_convert_it(console: Console) -> None:
    put(console.desk, "memory/2026-03-01.md", log_of(LESSON, HIDDEN).encode("utf-16"))
    console.desk.wait(days=1)
    text = console.text("consolidate")
    assert text.startswith("passed over: memory/2026-03-01.md is UTF-16, not UTF-8: convert it with 'iconv")
    assert text.endswith("Nothing proposed: of 1 daily log of these days none could be read.")
    assert list(Path(console.home.quarantine_dir).glob("*.txt")) == []


def test_a_dry_run_shows_the_same_and_writes_nothing(console: Console) -> None:
    put(console.desk, "memory/2026-03-01.md", log_of(LESSON, HIDDEN))
    console.desk.wait(days=1)
    before = snapshot(console)
    tried = console.out("consolidate", "--dry-run").splitlines()
    assert snapshot(console) == before
    assert tried[1] == "Would propose 1 change; nothing was written (--dry-run)."
    done = console.out("consolidate").splitlines()
    assert (tried[0], tried[2:]) == (done[0], done[2:])


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
