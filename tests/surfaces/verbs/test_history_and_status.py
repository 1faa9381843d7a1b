from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import addition
from tests.remote.test_dead_letters import bury
from tests.surfaces.console import Console


def test_the_newest_come_first_and_only_so_many_and_what_another_program_did_is_named(
    console: Console,
) -> None:
    first = console.desk.applied(addition("Use the blue switch."))
    second = console.desk.applied(addition("Water the fern."))
    assert [s["proposal"] for s in console.record("history")["steps"]] == [second.id, first.id]
    assert [s["proposal"] for s in console.record("history", "-n", "1")["steps"]] == [second.id]
    assert "1 older; -n 2 shows all." in console.text("history", "-n", "1")
    told = console.text("history")
    assert f"applied: {second.id[:6]}, MEMORY.md" in told
    assert f"nightledger undo {first.id[:6]}#1" in told
    console.desk.memory.write_text("other")
    assert console.record("history")["drift"] == ["MEMORY.md"]
    assert "! MEMORY.md was changed outside Nightledger since." in console.text("history")


def test_reasons_and_texts_are_masked_where_the_file_tells_what_they_say(console: Console) -> None:
    told = "Nebelhorn" + "4711"
    switch = addition(f"Use the blue switch by {told}.")
    console.desk.applied(replace(switch, reason=f"{told} was typed twice"))
    assert f"{told} was typed twice" in console.text("history")
    console.desk.memory.write_text(f"{console.desk.text()}- Loft box password: {told}\n")
    assert "[masked: 13 bytes] was typed twice" in console.text("history")
    assert told not in str(console.record("history"))


def test_a_gated_file_that_cannot_be_read_is_not_said_to_have_been_changed(console: Console) -> None:
    assert "The log holds: 1 event, root" in console.text("verify")
    console.desk.memory.unlink()
    console.desk.memory.mkdir()
    told = console.text("status")
    assert "is a directory, not a file to read" in told
    assert "changed outside" not in told


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
