from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.gate.homes import addition
from tests.remote.test_dead_letters import bury
from tests.surfaces.calling import Caller, make_caller, write_identity

from nightledger.codec.records import dump_line
from nightledger.domain.event import EventName
from nightledger.domain.moment import Moment
from nightledger.domain.periods import Run, RunOutcome
from nightledger.gate.opening import record
from nightledger.surfaces.status_text import age


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return make_caller(tmp_path, monkeypatch, capsys)


def ran(job: str, period: str, *, outcome: RunOutcome = RunOutcome.DONE, reason: str = "") -> bytes:
    at = datetime(2026, 3, 2, 3, 5, tzinfo=UTC)
    return dump_line(
        Run(
            v=2,
            id="r-" + "a" * 26,
            job=job,
            period=period,
            attempt=1,
            started_at=at,
            finished_at=at,
            outcome=outcome,
            counts={"proposed": 2, "held": 0},
            reason=reason,
        )
    )


def files_of(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_a_fresh_home_says_that_nothing_waits_and_that_its_clock_is_made_up(caller: Caller) -> None:
    text = caller.text("status")
    assert "waits nothing" in text
    assert "A simulated home" in text
    assert "no night yet" in text
    assert "next 2026-03-02 03:05 UTC" in text
    assert "!" not in text


def test_what_waits_is_counted_with_the_age_of_the_oldest(caller: Caller) -> None:
    caller.desk.proposal(addition("Use the blue switch."), addition("Water the fern."))
    caller.desk.wait(days=2)
    caller.desk.proposal(addition("Lock the shed."))
    record = caller.record("status")
    assert record["waiting"] == {"proposals": 2, "changes": 3, "oldest_at": "2026-03-01T06:00:00Z"}
    assert "waits 2 proposals, 3 changes, oldest 2 days: nightledger review" in caller.text("status")


def test_the_exit_status_tells_what_waits_only_when_asked(caller: Caller) -> None:
    assert caller.run("status", "--exit-code") == 0
    caller.desk.proposal(addition("Use the blue switch."))
    assert caller.run("status") == 0
    assert caller.run("status", "--exit-code") == 3


def test_what_cools_has_an_end_and_then_says_that_it_can_be_applied(caller: Caller) -> None:
    proposal = caller.desk.proposal(addition("Use the blue switch."))
    caller.desk.approve(proposal)
    assert f"signed {proposal.id[:6]} change 1, cools until 2026-03-01 08:00 UTC" in caller.text("status")
    caller.desk.wait(hours=3)
    assert "change 1, has cooled: apply" in caller.text("status")


def test_what_was_applied_can_be_undone_until_the_window_closes(caller: Caller) -> None:
    proposal = caller.desk.applied(addition("Use the blue switch."))
    until = caller.desk.moment.at + timedelta(days=7)
    expected = {"proposal": proposal.id, "changes": [1], "undo_until": f"{until:%Y-%m-%dT%H:%M:%SZ}"}
    assert caller.record("status")["undoable"] == [expected]
    caller.desk.wait(days=6, hours=23)
    assert caller.record("status")["undoable"] == [expected]
    caller.desk.wait(hours=1)
    assert caller.record("status")["undoable"] == []


def test_a_gated_file_that_cannot_be_read_is_drift_and_has_no_size(caller: Caller) -> None:
    caller.desk.memory.unlink()
    caller.desk.memory.mkdir()
    record = caller.record("status")
    assert [alarm["kind"] for alarm in record["alarms"]] == ["drift"]
    assert record["sizes"] == []


@pytest.mark.parametrize("name", ["audit_log", "allowed_signers", "runs"])
def test_a_directory_in_place_of_a_file_is_told_with_the_rest(caller: Caller, name: str) -> None:
    path = Path(getattr(caller.home, name))
    path.unlink(missing_ok=True)
    path.mkdir()
    record = caller.record("status")
    assert any(path.name in alarm["message"] for alarm in record["alarms"])
    assert record["sizes"]


def test_the_last_runs_and_what_they_did_are_shown(caller: Caller) -> None:
    Path(caller.home.runs).write_bytes(ran("consolidate", "2026-03-01") + ran("close_day", "2026-03-01"))
    text = caller.text("status", now="2026-03-02T04:00:00Z")
    assert "ran consolidate 2026-03-01 done: 2 proposed" in text
    assert "close_day 2026-03-01 done" in text
    assert "next 1 period is due: nightledger night" in text


def test_a_job_that_failed_is_an_alarm_with_its_reason(caller: Caller) -> None:
    failed = ran("link", "2026-03-01", outcome=RunOutcome.FAILED, reason="the disk is full")
    Path(caller.home.runs).write_bytes(failed)
    record = caller.record("status", now="2026-03-02T04:00:00Z")
    assert [alarm["message"] for alarm in record["alarms"]] == [
        "link failed for 2026-03-01: the disk is full"
    ]
    assert caller.run("status", "--exit-code", now="2026-03-02T04:00:00Z") == 0


def test_missed_periods_are_counted_as_those_that_are_due(caller: Caller) -> None:
    assert "1 period was missed, the oldest 2026-03-01" in caller.text("status", now="2026-03-03T04:00:00Z")
    assert "3 periods were missed" in caller.text("status", now="2026-03-05T04:00:00Z")


def held_back(caller: Caller, *lines: int) -> None:
    events: list[tuple[EventName, dict[str, object]]] = [
        (
            EventName.QUARANTINED,
            {"sha256": "0" * 64, "rules": ["secret.github"], "path": "memory/2026-02-28.md", "line": line},
        )
        for line in lines
    ]
    record(caller.desk.gate, events, caller.desk.moment)


def test_the_size_is_measured_against_the_cap_of_the_host(caller: Caller) -> None:
    write_identity(caller.home, host="openclaw")
    caller.desk.memory.write_text("x" * 20_500)
    text = caller.text("status")
    assert "MEMORY.md [##########] 20,500 of 20,000 characters, over it" in text


@pytest.mark.parametrize("columns", ["40", "80"])
def test_no_line_is_wider_than_the_terminal(
    caller: Caller, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller.desk.applied(addition("Use the blue switch."))
    caller.desk.proposal(addition("Water the fern."))
    held_back(caller, 4)
    caller.desk.memory.write_text("changed")
    monkeypatch.setenv("COLUMNS", columns)
    assert all(len(line) <= int(columns) for line in caller.lines("status"))


def test_looking_writes_nothing_into_the_home(caller: Caller) -> None:
    caller.desk.proposal(addition("Use the blue switch."))
    before = files_of(Path(caller.home.root))
    caller.run("status")
    assert files_of(Path(caller.home.root)) == before


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (timedelta(seconds=-5), "0 min"),
        (timedelta(minutes=59), "59 min"),
        (timedelta(hours=23, minutes=59), "23 h"),
        (timedelta(days=1), "1 day"),
        (timedelta(days=12, hours=3), "12 days"),
    ],
)
def test_ages_are_said_in_the_largest_unit_that_fits(passed: timedelta, said: str) -> None:
    now = Moment(at=datetime(2026, 3, 1, tzinfo=UTC)).at
    assert age(now - passed, now) == said


def test_a_consent_graph_that_cannot_be_used_and_dead_letters_are_alarms_on_a_screen_that_comes(
    caller: Caller,
) -> None:
    Path(caller.home.consent_graph).write_text("{")
    bury(caller.home, "2026-03-01T05:00:00Z")
    alarms = {alarm["kind"]: alarm for alarm in caller.record("status")["alarms"]}
    assert "consent-graph.json is not valid" in alarms["consent"]["message"]
    assert alarms["letters"]["hint"] == "'nightledger channel status' says why"
