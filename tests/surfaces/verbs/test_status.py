from pathlib import Path

import pytest
from tests.gate.homes import addition
from tests.remote.test_dead_letters import bury
from tests.surfaces.calling import Caller

from nightledger.domain.event import EventName
from nightledger.gate.opening import record


@pytest.mark.parametrize("name", ["audit_log", "allowed_signers", "runs"])
def test_a_directory_in_place_of_a_file_is_told_with_the_rest(caller: Caller, name: str) -> None:
    path = Path(getattr(caller.home, name))
    path.unlink(missing_ok=True)
    path.mkdir()
    record = caller.record("status")
    assert any(path.name in alarm["message"] for alarm in record["alarms"])
    assert record["sizes"]


def held_back(caller: Caller, *lines: int) -> None:
    events: list[tuple[EventName, dict[str, object]]] = [
        (
            EventName.QUARANTINED,
            {"sha256": "0" * 64, "rules": ["secret.github"], "path": "memory/2026-02-28.md", "line": line},
        )
        for line in lines
    ]
    record(caller.desk.gate, events, caller.desk.moment)


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


def test_a_consent_graph_that_cannot_be_used_and_dead_letters_are_alarms_on_a_screen_that_comes(
    caller: Caller,
) -> None:
    Path(caller.home.consent_graph).write_text("{")
    bury(caller.home, "2026-03-01T05:00:00Z")
    alarms = {alarm["kind"]: alarm for alarm in caller.record("status")["alarms"]}
    assert "consent-graph.json is not valid" in alarms["consent"]["message"]
    assert alarms["letters"]["hint"] == "'nightledger channel status' says why"
