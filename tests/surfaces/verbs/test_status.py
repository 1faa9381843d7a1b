from pathlib import Path

import pytest
from tests.remote.test_dead_letters import bury
from tests.surfaces.console import Console


@pytest.mark.parametrize("name", ["audit_log", "allowed_signers", "runs"])
def test_a_directory_in_place_of_a_file_is_told_with_the_rest(console: Console, name: str) -> None:
    path = Path(getattr(console.home, name))
    path.unlink(missing_ok=True)
    path.mkdir()
    record = console.record("status")
    assert any(path.name in alarm["message"] for alarm in record["alarms"])
    assert record["sizes"]


def test_a_consent_graph_that_cannot_be_used_and_dead_letters_are_alarms_on_a_screen_that_comes(
    console: Console,
) -> None:
    Path(console.home.consent_graph).write_text("{")
    bury(console.home, "2026-03-01T05:00:00Z")
    alarms = {alarm["kind"]: alarm for alarm in console.record("status")["alarms"]}
    assert "consent-graph.json is not valid" in alarms["consent"]["message"]
    assert alarms["letters"]["hint"] == "memory/state/tc-dead-letters.jsonl says why"
