import sys
import tempfile
from pathlib import Path

import pytest
from tests.gate.homes import MEMORY, make_desk
from tests.surfaces.console import Console

from nightledger.files.lock import Lock

EDITED = MEMORY.replace("30 days", "90 days")


def source(console: Console, content: bytes) -> str:
    path = console.desk.root / "new.md"
    path.write_bytes(content)
    return str(path)


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
    assert "MEMORY.md was changed meanwhile, in or above the sections that you edited" in ran.err
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
