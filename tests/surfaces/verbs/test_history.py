import pytest
from msgspec.structs import replace
from tests.gate.homes import addition
from tests.surfaces.calling import Caller

from nightledger.domain.errors import UsageError


def test_the_newest_come_first_and_only_so_many(caller: Caller) -> None:
    first = caller.desk.applied(addition("Use the blue switch."))
    second = caller.desk.applied(addition("Water the fern."))
    assert [s["proposal"] for s in caller.record("history")["steps"]] == [second.id, first.id]
    assert [s["proposal"] for s in caller.record("history", "-n", "1")["steps"]] == [second.id]
    assert "1 older; -n 2 shows all." in caller.text("history", "-n", "1")
    told = caller.text("history")
    assert f"applied: {second.id[:6]}, MEMORY.md" in told
    assert f"nightledger undo {first.id[:6]}#1" in told
    with pytest.raises(UsageError, match="not a number from 1"):
        caller.run("history", "-n", "0")


def test_what_another_program_did_is_named(caller: Caller) -> None:
    caller.desk.applied(addition("Use the blue switch."))
    caller.desk.memory.write_text("other")
    assert caller.record("history")["drift"] == ["MEMORY.md"]
    assert "! MEMORY.md was changed outside Nightledger since." in caller.text("history")


def test_reasons_and_texts_are_masked_where_the_file_tells_what_they_say(caller: Caller) -> None:
    told = "Nebelhorn" + "4711"
    switch = addition(f"Use the blue switch by {told}.")
    caller.desk.applied(replace(switch, reason=f"{told} was typed twice"))
    assert f"{told} was typed twice" in caller.text("history")
    caller.desk.memory.write_text(f"{caller.desk.text()}- Loft box password: {told}\n")
    assert "[masked: 13 bytes] was typed twice" in caller.text("history")
    assert told not in str(caller.record("history"))
