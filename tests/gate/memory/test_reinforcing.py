from pathlib import Path

from tests.gate.homes import Desk

from nightledger.domain.reinforcement import Reinforcement, ReinforcementKind
from nightledger.gate.integrity.inputs import append_only
from nightledger.gate.memory.reinforcing import read_reinforcements, reinforce


def test_a_rerun_of_a_period_appends_nothing(desk: Desk) -> None:
    assert reinforce(desk.home, ReinforcementKind.CURATE, "40", 41, ["e-2", "e-1", "e-2"])
    assert not reinforce(desk.home, ReinforcementKind.CURATE, "40", 43, ["e-3"])
    assert reinforce(desk.home, ReinforcementKind.MERCY, "40", 43, ["e-3"])
    assert read_reinforcements(desk.home) == (
        Reinforcement(v=1, kind=ReinforcementKind.CURATE, period="40", active_hours=41, ids=("e-1", "e-2")),
        Reinforcement(v=1, kind=ReinforcementKind.MERCY, period="40", active_hours=43, ids=("e-3",)),
    )


def test_nothing_reinforced_is_no_line(desk: Desk) -> None:
    assert not reinforce(desk.home, ReinforcementKind.CURATE, "40", 41, [])
    assert not Path(desk.home.reinforcements).exists()
    assert read_reinforcements(desk.home) == ()


def test_a_bad_line_and_a_period_that_stands_twice_change_nothing(desk: Desk) -> None:
    reinforce(desk.home, ReinforcementKind.CURATE, "40", 41, ["e-1"])
    line = Path(desk.home.reinforcements).read_bytes()
    Path(desk.home.reinforcements).write_bytes(line + b"{torn\n" + line.replace(b"e-1", b"e-9"))
    assert [one.ids for one in read_reinforcements(desk.home)] == [("e-1",)]


def test_it_is_an_append_only_file_that_heartbeats_commit_to(desk: Desk) -> None:
    assert "memory/system/reinforcements.jsonl" in append_only(desk.home)
