from pathlib import Path

from tests.gate.homes import Desk

from nightledger.domain.retention import ReinforcementKind
from nightledger.gate.memory.remembering import read_reinforcements, reinforce


def test_a_bad_line_and_a_period_that_stands_twice_change_nothing(desk: Desk) -> None:
    reinforce(desk.home, ReinforcementKind.CURATE, "40", 41, ["e-1"])
    line = Path(desk.home.reinforcements).read_bytes()
    Path(desk.home.reinforcements).write_bytes(line + b"{torn\n" + line.replace(b"e-1", b"e-9"))
    assert [one.ids for one in read_reinforcements(desk.home)] == [("e-1",)]
