from datetime import date, timedelta
from pathlib import Path

from tests.gate.homes import START, Desk, addition, make_desk
from tests.gate.memory.test_naming import BACKUPS, ids
from tests.gate.memory.test_pinning import RELAY, pinned
from tests.gate.used import add_exposure, add_outcome

from nightledger.domain.active import hour_of
from nightledger.domain.reinforcement import ReinforcementKind
from nightledger.domain.retention import DURABLE, STANDARD, Memory
from nightledger.gate.memory.reinforcing import reinforce
from nightledger.gate.memory.remembering import Facts, Oddities, Remembered, read_facts
from nightledger.gate.stored import read_stored

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


def test_what_was_there_before_the_home_counts_from_its_first_day(desk: Desk) -> None:
    desk.wait(days=3)
    assert one(desk, BACKUPS).memory == Memory(id=ids(desk)[BACKUPS], days=3)
    assert facts(desk).odd == Oddities(undated=2)


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


def test_the_day_of_an_entry_is_that_of_its_coming_where_it_came_through_the_gate(desk: Desk) -> None:
    desk.wait(days=3)
    desk.applied(addition("Set the zone."))
    assert one(desk, "- Set the zone.").day == desk.moment.at.date()
    assert one(desk, RELAY).day is None


def test_the_day_of_a_decision_is_the_one_it_states(tmp_path: Path) -> None:
    desk = dated(tmp_path, "2026-01-05")
    assert [found.day for found in facts(desk).memories] == [date(2026, 1, 5)]


def test_each_entry_of_an_edit_that_brings_many_counts_from_then(desk: Desk) -> None:
    hours(desk, 4)
    desk.edit(desk.memory.read_bytes() + b"\n- Atlas is paused.\n- Borealis ships in May.\n")
    assert one(desk, "- Atlas is paused.").memory.created_hour == 4
    assert one(desk, "- Borealis ships in May.").memory.created_hour == 4


def test_outcomes_and_exposures_count_for_what_they_name(desk: Desk) -> None:
    name = ids(desk)[BACKUPS]
    hours(desk, 2)
    desk.wait(hours=1)
    add_outcome(desk.home, desk.moment.at, name)
    add_outcome(desk.home, desk.moment.at, name, session="b", outcome="failure")
    desk.wait(days=1)
    add_exposure(desk.home, desk.moment.at, name)
    desk.wait(days=2)
    memory = one(desk, BACKUPS).memory
    assert (memory.useful, memory.harmful, memory.used_hour, memory.access, memory.days) == (1, 1, 3, 3, 2)
    assert memory.outcome == -1
    assert 0.5 < memory.expected < 1
    assert facts(desk).named == 2
    assert one(desk, RELAY).memory.access == 0


def test_curate_counts_as_use_and_mercy_as_made_anew(desk: Desk) -> None:
    names = ids(desk)
    hours(desk, 9)
    reinforce(desk.home, ReinforcementKind.CURATE, "4", 4, [names[BACKUPS]])
    reinforce(desk.home, ReinforcementKind.CURATE, "3", 3, [names[BACKUPS]])
    reinforce(desk.home, ReinforcementKind.MERCY, "now", 7, [names[BACKUPS]])
    memory = one(desk, BACKUPS).memory
    assert (memory.created_hour, memory.used_hour, memory.access) == (7, 4, 3)
    assert one(desk, RELAY).memory.created_hour == 0


def test_pins_and_tags_are_those_that_were_signed(desk: Desk) -> None:
    pinned(desk, BACKUPS)
    pinned(desk, RELAY, tag="self/goal")
    Path(desk.home.entries).write_text('{"entries":[{"pin":true,"tier":"permanent"}]}')
    assert (one(desk, BACKUPS).memory.pinned, one(desk, BACKUPS).memory.tier) == (True, STANDARD)
    assert (one(desk, RELAY).memory.pinned, one(desk, RELAY).memory.tier) == (False, DURABLE)


def dated(tmp_path: Path, *dates: str) -> Desk:
    blocks = "\n".join(f"- DECISION: number {n}\n- DATE: {day}\n" for n, day in enumerate(dates))
    return make_desk(tmp_path, memory=f"# M\n\n{blocks}".encode())


def test_a_decision_is_as_old_as_it_says_for_the_classic_policy(tmp_path: Path) -> None:
    desk = dated(tmp_path, "2026-02-01", "2026-02-31 or 2026-02-20", "soon")
    days = [one.memory.days for one in facts(desk).memories]
    assert days == [28, 9, 0]
    assert facts(desk).odd == Oddities(undated=1)


def test_an_impossible_date_is_named_and_its_entry_is_judged_all_the_same(tmp_path: Path) -> None:
    desk = dated(tmp_path, "2026-02-31", "2027-01-01", "2026-01-15")
    found = facts(desk)
    assert [one.memory.days for one in found.memories] == [0, 0, 45]
    assert found.odd.impossible == tuple(one.memory.id for one in found.memories[:2])


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


def test_uses_of_what_is_no_entry_are_there_too(desk: Desk) -> None:
    add_exposure(desk.home, AT, "constitution#care")
    assert facts(desk).uses["constitution#care"].shown == 1
    assert facts(desk).hours == (hour_of(AT),)


def test_proposals_that_were_read_already_are_not_read_again(desk: Desk) -> None:
    desk.applied(addition("Set the zone."))
    stored = read_stored(desk.gate, desk.ledger().book)
    assert read_facts(desk.gate, desk.ledger(), desk.moment, stored=stored) == facts(desk)
