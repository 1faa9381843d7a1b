import sys
import tempfile
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, make_desk
from tests.surfaces.console import Console

from nightledger.files.lock import Lock

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
EDITED = MEMORY.replace("30 days", "90 days")


def source(console: Console, content: bytes) -> str:
    path = console.desk.root / "new.md"
    path.write_bytes(content)
    return str(path)


def test_an_edit_is_shown_signed_and_applied_at_once(console: Console) -> None:
    out = console.out("edit", "--from", source(console, EDITED.encode()))
    assert "-- Keep backups for 30 days." in out
    assert "+- Keep backups for 90 days." in out
    assert "takes it back" in out
    assert console.desk.text() == EDITED
    assert console.run("verify").status == 0
    assert console.record("edit", "--from", source(console, MEMORY.encode()))["changed"] is True
    assert console.desk.text() == MEMORY


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"{MEMORY}- {SECRET}\n".encode(), "the scanner secret."),
        (f"{MEMORY}- a\u202eb\n".encode(), "the scanner unicode."),
    ],
)
def test_what_could_not_be_applied_is_not_signed_and_leaves_nothing_open(
    console: Console, content: bytes, said: str
) -> None:
    ran = console.run("edit", "--from", source(console, content))
    assert ran.status == 1
    assert said in ran.err
    assert console.desk.text() == MEMORY
    assert console.desk.ledger().book.decisions == {}
    console.out("edit", "--from", source(console, EDITED.encode()))
    assert console.record("proposals") == []
    assert console.desk.text() == EDITED


def test_an_edit_over_the_cap_is_refused(console: Console) -> None:
    Path(console.desk.home.settings).write_text("cap_characters: {generic: 500}\n")
    ran = console.run("edit", "--from", source(console, (MEMORY + "word " * 100).encode()))
    assert ran.status == 1
    assert "its host shows 500" in ran.err
    assert console.desk.text() == MEMORY


def test_without_the_passphrase_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    console = Console(desk=make_desk(tmp_path, passphrase=b"x"))
    ran = console.run("edit", "--from", source(console, EDITED.encode()))
    assert ran.status == 1
    assert "no terminal to ask on" in ran.err
    assert console.desk.text() == MEMORY


def editor(console: Console, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    path = console.desk.root / "meanwhile.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(path))


def test_no_lock_is_held_while_the_editor_is_open(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = console.desk
    asks = f"import fcntl; fcntl.flock(open({desk.home.lock_path()!r}, 'a'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    with Lock(desk.home.lock_path()):  # the lock's own file
        pass
    editor(console, monkeypatch, f'"{sys.executable}" -c "{asks}" || exit 9; sed -i s/30/90/ "$1"')
    console.out("edit")
    assert desk.text() == EDITED


def test_an_edit_keeps_what_came_elsewhere_in_the_file_meanwhile(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = console.desk
    longer = MEMORY.replace("## Projects\n", "## Projects\n\n- One.\n- Two.\n- Three.\n- Four.\n- Five.\n")
    desk.memory.write_text(longer)
    desk.edit(longer.encode() + b"- Six.\n")
    editor(console, monkeypatch, f'sed -i s/30/90/ "$1"; echo "- Seven." >> "{desk.memory}"')
    console.out("edit")
    assert desk.text() == longer.replace("30 days", "90 days") + "- Six.\n- Seven.\n"


def test_an_edit_of_lines_that_changed_meanwhile_is_refused_and_its_text_kept(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = console.desk
    editor(console, monkeypatch, f'sed -i s/30/90/ "$1"; sed -i s/30/60/ "{desk.memory}"')
    monkeypatch.setattr(tempfile, "tempdir", str(desk.root))
    ran = console.run("edit")
    assert ran.status == 1
    assert "MEMORY.md was changed meanwhile, in, beside or above the lines that you edited" in ran.err
    (kept,) = desk.root.glob("nightledger-edit-*.md")
    assert f"your text is kept in {kept}" in ran.err
    assert kept.read_text() == EDITED
    assert kept.stat().st_mode & 0o077 == 0
    assert desk.text() == MEMORY.replace("30", "60")
    assert desk.ledger().book.proposals == {}


@pytest.mark.parametrize(("answer", "text"), [("y", EDITED), ("", MEMORY), ("n", MEMORY)])
def test_a_person_whose_key_asks_nothing_is_asked_below_the_diff(
    answer: str, text: str, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(console.desk.root))
    editor(console, monkeypatch, 'sed -i s/30/90/ "$1"')
    ran = console.run("edit", typed=[answer])
    assert "+- Keep backups for 90 days." in ran.out.split("Apply it?")[0]
    assert console.desk.text() == text
    assert ("your text is kept in" in ran.err) is (text == MEMORY)
