import json
from datetime import timedelta
from pathlib import Path

from tests.gate.homes import START, Desk
from tests.gate.lived import add_exposure, add_outcome, live

from nightledger.domain.retention import ReinforcementKind, hour_of
from nightledger.gate.remembering import Marks, fold_uses, read_proofs, read_reinforcements, reinforce
from nightledger.gate.views import read_marks_of

AT = START.at
RELAY = "e-relay"


def test_it_reads_no_further_than_it_is_told(desk: Desk) -> None:
    add_outcome(desk.home, AT, "e-1")
    add_exposure(desk.home, AT, "e-1")
    before = fold_uses(desk.home, {})
    add_outcome(desk.home, AT + timedelta(hours=1), "e-1")
    add_exposure(desk.home, AT + timedelta(hours=2), "e-1")
    assert fold_uses(desk.home, {}, before.read) == before
    assert fold_uses(desk.home, {}, Marks(outcomes=1 << 40, exposures=1 << 40)) == fold_uses(desk.home, {})


def test_a_view_that_does_not_say_how_far_it_was_read_says_nothing() -> None:
    counts = ({"outcomes": 1}, {"outcomes": -1, "exposures": 2}, {"outcomes": True, "exposures": 2}, 3)
    views = [json.dumps({"read": read}).encode() for read in counts]
    for view in (None, b"[]", b"[" * 100_000, *views):
        assert read_marks_of(view) is None


def test_bad_lines_and_impossible_dates_are_counted_and_a_torn_line_is_read_once_it_is_closed(
    desk: Desk,
) -> None:
    path = Path(desk.home.outcomes)
    path.write_text("no record\n")
    add_outcome(desk.home, AT, "e-1", received_at="2026-02-30T06:00:00Z")
    add_outcome(desk.home, AT, "e-2")
    whole = path.read_bytes()
    path.write_bytes(whole + whole[-40:-9])
    uses = fold_uses(desk.home, {})
    assert (uses.bad_lines, uses.hours, uses.read.outcomes) == (2, (hour_of(AT),), len(whole))
    assert (uses.of["e-1"].useful, uses.of["e-1"].used_hour) == (1, None)


def test_a_session_counts_once_a_day_for_each_kind_of_task_and_result(desk: Desk) -> None:
    same = {"session": "one", "timestamp": "2026-03-01T06:30:00Z"}
    live(desk, range(10), RELAY, **same)
    live(desk, range(10, 20), RELAY, task_type="mail", **same)
    live(desk, range(20, 30), RELAY, outcome="failure", **same)
    live(desk, range(30, 40), RELAY, outcome="partial")
    proof = read_proofs(desk.home, {}, fold_uses(desk.home, {}).hours, [40])[40][RELAY]
    assert (proof.useful, proof.harmful) == (2, 1)


def test_a_bad_line_and_a_period_that_stands_twice_change_nothing(desk: Desk) -> None:
    reinforce(desk.home, ReinforcementKind.CURATE, "40", 41, ["e-1"])
    path = Path(desk.home.reinforcements)
    line = path.read_bytes()
    path.write_bytes(line + b"{torn\n" + line.replace(b"e-1", b"e-9"))
    assert [one.ids for one in read_reinforcements(desk.home)] == [("e-1",)]
