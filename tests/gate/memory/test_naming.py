from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, Desk, addition, make_desk

from nightledger.gate.memory import naming
from nightledger.gate.memory.naming import find_standing, naming_events

BACKUPS = "- Keep backups for 30 days."


def ids(desk: Desk) -> dict[str, str]:
    """Give each entry's id by its words."""
    standing = find_standing(desk.home, desk.ledger().book)
    return {placed.entry.text.strip(): name for name, placed in standing.entries.items()}


def swap(desk: Desk, old: str, new: str) -> None:
    desk.edit(desk.memory.read_bytes().replace(old.encode(), new.encode()))


def test_an_edited_entry_keeps_its_id_again_and_again(desk: Desk) -> None:
    before = ids(desk)[BACKUPS]
    swap(desk, "30 days.", "60 days.")
    assert ids(desk)["- Keep backups for 60 days."] == before
    swap(desk, "60 days.", "60 days, encrypted.")
    assert ids(desk)["- Keep backups for 60 days, encrypted."] == before
    assert "entries.named" in desk.events()


def test_who_goes_back_to_the_old_words_has_the_id_still(desk: Desk) -> None:
    before = ids(desk)
    swap(desk, "30 days.", "60 days.")
    swap(desk, "60 days.", "30 days.")
    assert ids(desk) == before
    assert desk.ledger().book.names == {}


def test_an_entry_that_moves_to_another_section_keeps_its_id(desk: Desk) -> None:
    before = ids(desk)[BACKUPS]
    text = desk.text().replace(f"{BACKUPS}\n", "").replace("## Projects\n", f"## Projects\n\n{BACKUPS}\n")
    desk.edit(text.encode())
    assert ids(desk)[BACKUPS] == before


def test_every_entry_of_a_renamed_section_keeps_its_id(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "STEPS_AN_ENTRY", 1)
    before = ids(desk)
    swap(desk, "# MEMORY.md", "# What I know")
    assert ids(desk) == before
    assert desk.events().count("entries.named") == len(before)


def test_what_only_adds_or_removes_logs_no_names(desk: Desk) -> None:
    desk.applied(addition("Set the zone."))
    swap(desk, f"{BACKUPS}\n", "")
    assert "entries.named" not in desk.events()


def test_an_undo_of_an_edit_keeps_the_id_too(desk: Desk) -> None:
    before = ids(desk)[BACKUPS]
    proposal = desk.edit(desk.memory.read_bytes().replace(b"30", b"60"))
    desk.undo(proposal)
    assert ids(desk)[BACKUPS] == before


def test_who_says_the_old_words_anew_is_another_entry(desk: Desk) -> None:
    before = ids(desk)[BACKUPS]
    swap(desk, "30 days.", "60 days.")
    swap(desk, "## Lessons\n", f"{BACKUPS}\n\n## Lessons\n")
    after = ids(desk)
    assert after["- Keep backups for 60 days."] == before
    assert after[BACKUPS] != before


def test_what_drifted_keeps_its_id_without_a_signature(desk: Desk) -> None:
    before = ids(desk)[BACKUPS]
    desk.memory.write_bytes(desk.memory.read_bytes().replace(b"30 days.", b"90 days."))
    assert ids(desk)["- Keep backups for 90 days."] == before


def test_an_edit_around_drift_is_followed_in_the_accepted_bytes(desk: Desk) -> None:
    before = ids(desk)
    desk.memory.write_bytes(desk.memory.read_bytes().replace(b"30 days.", b"90 days."))
    desk.guard()
    swap(desk, "Restart the relay after an upgrade.", "Restart the relay after every upgrade.")
    after = ids(desk)
    assert after["- Keep backups for 90 days."] == before[BACKUPS]
    assert (
        after["- Restart the relay after every upgrade."] == before["- Restart the relay after an upgrade."]
    )


def test_two_files_that_say_the_same_have_two_ids_and_are_counted(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "USER.md").write_text(MEMORY)
    desk = make_desk(tmp_path, gated=("MEMORY.md", "USER.md"))
    standing = find_standing(desk.home, desk.ledger().book)
    assert len(standing.entries) == 4
    assert len(standing.twice) == 2
    assert all(placed.entry.id == name for name, placed in standing.entries.items())


def test_steps_of_an_apply_that_was_given_up_count_for_nothing(desk: Desk) -> None:
    before = ids(desk)
    (event,) = naming_events(
        "a-none", [(desk.memory.read_bytes(), desk.memory.read_bytes().replace(b"30", b"60"))]
    )
    desk.record(event[0].value, **event[1])
    assert ids(desk) == before
