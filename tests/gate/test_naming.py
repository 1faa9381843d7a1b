from tests.gate.homes import Desk, addition

from nightledger.gate.naming import find_standing, naming_events

BACKUPS = "- Keep backups for 30 days."


def ids(desk: Desk) -> dict[str, str]:
    """Give each entry's id by its words."""
    standing = find_standing(desk.home, desk.ledger().book)
    return {placed.entry.text.strip(): name for name, placed in standing.entries.items()}


def swap(desk: Desk, old: str, new: str) -> None:
    desk.edit(desk.memory.read_bytes().replace(old.encode(), new.encode()))


def test_what_only_adds_or_removes_logs_no_names(desk: Desk) -> None:
    desk.applied(addition("Set the zone."))
    swap(desk, f"{BACKUPS}\n", "")
    assert "entries.named" not in desk.events()


def test_steps_of_an_apply_that_was_given_up_count_for_nothing(desk: Desk) -> None:
    before = ids(desk)
    (event,) = naming_events(
        "a-none", [(desk.memory.read_bytes(), desk.memory.read_bytes().replace(b"30", b"60"))]
    )
    desk.record(event[0].value, **event[1])
    assert ids(desk) == before
