"""stage at the command line."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.recall.asking import put
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.errors import ConfigurationError
from nightledger.domain.staged_page import parse_page

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


def test_it_stages_and_says_so_only_to_whoever_looks(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert caller.run("stage") == 0
    page = parse_page(Path(caller.home.staged_context).read_text())
    assert page is not None
    assert [line.partition(" (")[0] for line in page.lines] == ["Berths", "Order the spare fan"] or len(
        page.lines
    ) == 2
    assert caller.lines("stage", "--quiet") == []


def test_a_dry_run_shows_the_page_and_writes_none(caller: Caller) -> None:
    text = caller.text("stage", "--dry-run")
    assert "memory/state/session-handoff.md:3 (unsigned; the handoff leaves 1 open)" in text
    assert "Staged: 2 line(s)," in text
    assert not os.path.lexists(caller.home.staged_context)


def test_the_record_says_of_each_line_where_it_comes_from_and_why(caller: Caller) -> None:
    record = caller.record("stage")
    assert record["changed"]
    assert {line["source"] for line in record["lines"]} == {"event", "open_item"}
    (event,) = [line for line in record["lines"] if line["source"] == "event"]
    assert event["until"] == "2026-03-01T08:00:00Z"
    assert event["place"] == "calendar work"
    assert record["tokens"] <= record["budget_tokens"]
    assert not caller.record("stage")["changed"]


def test_a_broken_calendar_is_said_and_the_rest_is_staged(caller: Caller, tmp_path: Path) -> None:
    (tmp_path / "work.ics").write_text("no calendar")
    record = caller.record("stage")
    assert record["notes"] == ["calendar work is no iCalendar text"]
    assert any("some events may be missing here" in line["line"] for line in record["lines"])
    assert any(line["source"] == "open_item" for line in record["lines"])
    assert "calendar work is no iCalendar text" in caller.text("stage", "--dry-run")


def test_under_cron_a_trouble_is_said_when_it_begins_and_stands_in_status_while_it_lasts(
    caller: Caller, tmp_path: Path
) -> None:
    assert caller.lines("stage") == []
    (tmp_path / "work.ics").write_text("no calendar")
    assert caller.lines("stage", "--quiet") == []
    assert caller.lines("stage", "--dry-run")
    (said,) = caller.lines("stage")
    assert said.startswith("Staging: calendar work is no iCalendar text.")
    assert caller.lines("stage") == []
    assert [one["what"] for one in caller.record("status")["staged"]["troubles"]] == [
        "calendar work is no iCalendar text"
    ]
    assert "calendar work is no iCalendar text" in caller.text("status")
    assert "calendar work is no iCalendar text" in caller.text("doctor", "--all")
    (tmp_path / "work.ics").write_text(CALENDAR)
    assert caller.lines("stage") == []
    assert caller.record("status")["staged"]["troubles"] == []
    assert "calendar work is no iCalendar text" not in caller.text("doctor", "--all")
    (tmp_path / "work.ics").write_text("no calendar")
    assert len(caller.lines("stage")) == 1


def test_rules_that_are_not_valid_are_named(caller: Caller) -> None:
    put(caller.desk, "config/nightledger/staging-rules.json", json.dumps({"lookahead": 3}))
    with pytest.raises(ConfigurationError, match="lookahead_hours"):
        caller.run("stage")


def test_status_and_doctor_tell_what_is_staged(caller: Caller, operator: Path) -> None:
    assert "staged" not in caller.record("status") or caller.record("status")["staged"] is None
    assert "nothing is staged now" in caller.text("doctor", "--all")
    caller.run("stage")
    assert caller.record("status")["staged"] == {
        "lines": 2, "good_until": "2026-03-03T00:00:00Z", "troubles": []
    }  # fmt: skip
    assert "staged 2 lines, until 2026-03-03 00:00 UTC" in caller.text("status")
    assert "2 line(s) are staged, until 2026-03-03T00:00:00Z" in caller.text("doctor", "--all")
    assert "the calendar work is a file" in caller.text("doctor", "--all")
    late = "2026-03-03T00:00:00+00:00"
    assert "over since 2026-03-03 00:00 UTC: nightledger stage" in caller.text("status", now=late)
    assert "nothing stages" in caller.text("doctor", "--all", now=late)
    Path(caller.home.staged_context).write_text("mine")
    assert "not as it was written" in caller.text("status")
    assert "not as it was written" in caller.text("doctor", "--all")
    operator.write_text("calendars:\n  work: {file: /nowhere.ics}\n")
    assert "the calendar work is no file" in caller.text("doctor", "--all")
    secret = operator.with_name("password")
    operator.write_text(
        f"calendars:\n  work: {{url: 'https://x.example/', user: ann, password_file: '{secret}'}}\n"
    )
    assert "the password file of the calendar work is missing" in caller.text("doctor", "--all")
    secret.write_text("tide")
    secret.chmod(0o644)
    assert "others may read the password of the calendar work" in caller.text("doctor", "--all")
    secret.chmod(0o600)
    assert "the calendar work is asked over the network" in caller.text("doctor", "--all")
    operator.unlink()
    assert "no calendar is named" in caller.text("doctor", "--all")
