from datetime import timedelta
from pathlib import Path

from tests.gate.homes import START, Desk, addition, make_desk
from tests.gate.memory.test_naming import BACKUPS, ids
from tests.gate.memory.test_pinning import RELAY
from tests.gate.used import add_outcome

from nightledger.gate.memory.remembering import Facts, Remembered, read_facts

AT = START.at


def facts(desk: Desk) -> Facts:
    return read_facts(desk.gate, desk.ledger(), desk.moment)


def one(desk: Desk, words: str) -> Remembered:
    (found,) = [one for one in facts(desk).memories if one.placed.entry.text.strip() == words]
    return found


def hours(desk: Desk, count: int) -> None:
    """Let the agent be active for so many hours from now on."""
    for _ in range(count):
        desk.wait(hours=1)
        add_outcome(desk.home, desk.moment.at)


def test_what_was_applied_or_edited_counts_from_then(desk: Desk) -> None:
    hours(desk, 4)
    desk.applied(addition("Set the zone."))
    assert one(desk, "- Set the zone.").memory.created_hour == 4
    hours(desk, 2)
    desk.edit(desk.memory.read_bytes().replace(b"30 days.", b"60 days."))
    hours(desk, 1)
    assert one(desk, "- Keep backups for 60 days.").memory.created_hour == 6
    assert one(desk, RELAY).memory.created_hour == 0
    assert facts(desk).now_hour == 7
    assert facts(desk).odd.undated == 1


def dated(tmp_path: Path, *dates: str) -> Desk:
    blocks = "\n".join(f"- DECISION: number {n}\n- DATE: {day}\n" for n, day in enumerate(dates))
    return make_desk(tmp_path, memory=f"# M\n\n{blocks}".encode())


def test_a_decision_that_was_reworded_is_as_old_as_its_wording(tmp_path: Path) -> None:
    desk = dated(tmp_path, "2026-01-15")
    desk.wait(days=4)
    desk.edit(desk.memory.read_bytes().replace(b"number 0", b"number 0, as before"))
    desk.wait(days=1)
    assert [one.memory.days for one in facts(desk).memories] == [1]


def test_a_clock_before_the_newest_record_is_counted_and_ages_nothing(desk: Desk) -> None:
    add_outcome(desk.home, AT + timedelta(days=30), ids(desk)[BACKUPS])
    found = facts(desk)
    assert (found.odd.ahead, found.now_hour, len(found.hours)) == (1, 0, 1)
    assert one(desk, BACKUPS).memory.days == 0
