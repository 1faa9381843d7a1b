from tests.gate.homes import Desk
from tests.gate.lived import live

from nightledger.gate.memory.remembering import fold_uses, read_proofs

RELAY, FERN = "e-relay", "e-fern"


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
