from datetime import timedelta
from pathlib import Path

from tests.gate.homes import START, Desk
from tests.gate.lived import live
from tests.gate.used import add_exposure, add_outcome

from nightledger.domain.retention import ReinforcementKind, hour_of
from nightledger.gate.remembering import Marks, fold_uses, read_proofs, read_reinforcements, reinforce

AT = START.at


def test_it_reads_no_further_than_it_is_told(desk: Desk) -> None:
    add_outcome(desk.home, AT, "e-1")
    add_exposure(desk.home, AT, "e-1")
    before = fold_uses(desk.home, {})
    add_outcome(desk.home, AT + timedelta(hours=1), "e-1")
    add_exposure(desk.home, AT + timedelta(hours=2), "e-1")
    assert fold_uses(desk.home, {}, before.read) == before
    beyond = Marks(outcomes=1 << 40, exposures=1 << 40)
    assert fold_uses(desk.home, {}, beyond) == fold_uses(desk.home, {})


def test_bad_lines_and_impossible_dates_are_counted_and_nothing_is_lost(desk: Desk) -> None:
    Path(desk.home.outcomes).write_text("no record\n")
    add_outcome(desk.home, AT, "e-1", received_at="2026-02-30T06:00:00Z")
    add_outcome(desk.home, AT, "e-2")
    uses = fold_uses(desk.home, {})
    assert uses.bad_lines == 2
    assert uses.of["e-1"].useful == 1
    assert uses.of["e-1"].used_hour is None
    assert uses.hours == (hour_of(AT),)


def test_a_torn_line_is_read_once_it_is_closed(desk: Desk) -> None:
    add_outcome(desk.home, AT, "e-1")
    whole = Path(desk.home.outcomes).read_bytes()
    Path(desk.home.outcomes).write_bytes(whole + whole[:-9])
    assert fold_uses(desk.home, {}).read.outcomes == len(whole)


RELAY = "e-relay"


def proofs(desk: Desk, *periods: int) -> dict[int, dict[str, tuple[int, int]]]:
    hours = fold_uses(desk.home, {}).hours
    found = read_proofs(desk.home, {}, hours, periods)
    return {n: {name: (one.useful, one.harmful) for name, one in of.items()} for n, of in found.items()}


def test_a_session_counts_once_a_day_for_each_kind_of_task_and_result(desk: Desk) -> None:
    same = {"session": "one", "timestamp": "2026-03-01T06:30:00Z"}
    live(desk, range(10), RELAY, **same)
    live(desk, range(10, 20), RELAY, task_type="mail", **same)
    live(desk, range(20, 30), RELAY, outcome="failure", **same)
    live(desk, range(30, 40), RELAY, outcome="partial")
    assert proofs(desk, 40) == {40: {RELAY: (2, 1)}}


def test_a_bad_line_and_a_period_that_stands_twice_change_nothing(desk: Desk) -> None:
    reinforce(desk.home, ReinforcementKind.CURATE, "40", 41, ["e-1"])
    line = Path(desk.home.reinforcements).read_bytes()
    Path(desk.home.reinforcements).write_bytes(line + b"{torn\n" + line.replace(b"e-1", b"e-9"))
    assert [one.ids for one in read_reinforcements(desk.home)] == [("e-1",)]
