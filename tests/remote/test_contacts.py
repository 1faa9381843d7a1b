import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.homes import make_home

from nightledger.remote.notes import FILE, note_contact, read_contacts

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["[]", '"x"', "3", '{"shed": 3}', '{"shed": {"heard": 0.5}}', '{"\\ud800": {}}', "{torn", '{"shed": {"heard": "\\ud800"}}']
)  # fmt: skip
def test_what_stands_there_in_another_form_hinders_no_note(text: str, tmp_path: Path) -> None:
    home = make_home(tmp_path)
    Path(home.channel_dir).mkdir(parents=True)
    Path(home.channel_dir, FILE).write_text(text)
    assert not any(read_contacts(home).values())
    note_contact(home, "desk", heard=NOON)
    note_contact(home, "desk", answered=NOON)
    assert read_contacts(home)["desk"] == {
        "heard": "2026-03-01T12:00:00Z",
        "answered": "2026-03-01T12:00:00Z",
    }


@pytest.mark.parametrize("kind", ["directory", "fifo", "link"])
def test_what_is_no_file_holds_up_nothing(kind: str, tmp_path: Path) -> None:
    home = make_home(tmp_path)
    path = Path(home.channel_dir, FILE)
    path.parent.mkdir(parents=True)
    if kind == "directory":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(path)
    assert read_contacts(home) == {}
    note_contact(home, "desk", heard=NOON)
    assert kind == "fifo" or read_contacts(home) == {}
