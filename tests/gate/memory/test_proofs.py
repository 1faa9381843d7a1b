from pathlib import Path

from tests.gate.homes import Desk
from tests.gate.lived import live

from nightledger.domain.curation import Proof
from nightledger.gate.memory.proofs import read_proofs
from nightledger.gate.memory.uses import fold_uses

RELAY, FERN = "e-relay", "e-fern"


def proofs(desk: Desk, *periods: int) -> dict[int, dict[str, tuple[int, int]]]:
    hours = fold_uses(desk.home, {}).hours
    found = read_proofs(desk.home, {}, hours, periods)
    return {n: {name: (one.useful, one.harmful) for name, one in of.items()} for n, of in found.items()}


def test_each_period_has_what_was_recorded_in_its_forty_hours(desk: Desk) -> None:
    live(desk, range(40), RELAY)
    live(desk, range(40, 70), FERN)
    live(desk, range(70, 80), FERN, outcome="failure")
    assert proofs(desk, 40, 80) == {40: {RELAY: (40, 0)}, 80: {FERN: (30, 10)}}


def test_hours_without_a_record_are_no_part_of_a_period(desk: Desk) -> None:
    live(desk, range(0, 400, 10), RELAY)
    assert proofs(desk, 40) == {40: {RELAY: (40, 0)}}


def test_a_session_counts_once_a_day_for_each_kind_of_task_and_result(desk: Desk) -> None:
    same = {"session": "one", "timestamp": "2026-03-01T06:30:00Z"}
    live(desk, range(10), RELAY, **same)
    live(desk, range(10, 20), RELAY, task_type="mail", **same)
    live(desk, range(20, 30), RELAY, outcome="failure", **same)
    live(desk, range(30, 40), RELAY, outcome="partial")
    assert proofs(desk, 40) == {40: {RELAY: (2, 1)}}


def test_an_edited_entry_keeps_what_it_proved_and_is_counted_once(desk: Desk) -> None:
    live(desk, range(40), ["old", "new"])
    hours = fold_uses(desk.home, {}).hours
    assert read_proofs(desk.home, {"new": "old"}, hours, [40]) == {40: {"old": Proof(useful=40)}}


def test_what_is_no_outcome_tells_nothing(desk: Desk) -> None:
    live(desk, range(40), RELAY)
    with Path(desk.home.outcomes).open("ab") as stream:
        stream.write(b"nonsense\n{}\n")
    assert proofs(desk, 40) == {40: {RELAY: (40, 0)}}
    assert proofs(desk) == {}
