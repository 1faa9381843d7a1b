import json
import os
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.gate.homes import addition
from tests.rows import corpus
from tests.surfaces.console import Console

from nightledger.files.home import Home
from nightledger.gate import forgotten
from nightledger.surfaces import kept_look
from nightledger.surfaces.verbs import verify


def count(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[str]:
    """Give a list that grows with each call of a function."""
    calls, real = list[str](), getattr(module, name)

    def counted(*given: Any, **named: Any) -> Any:
        calls.append(name)
        return real(*given, **named)

    monkeypatch.setattr(module, name, counted)
    return calls


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every full look, however fresh the files are; the clock of file systems is not waited for."""
    monkeypatch.setattr(kept_look, "SETTLED_NS", -(10**18))
    return count(monkeypatch, verify, "look_beyond")


@pytest.fixture
def console(console: Console) -> Console:
    desk = console.desk
    desk.approve(desk.proposal(addition("Use the blue switch."), addition("Water the fern.")), only=(1,))
    desk.wait(hours=3)
    console.out("apply")
    for _ in range(2):
        desk.wait(days=1)
        console.out("night")
    return console


def kept(console: Console) -> Path:
    return next(console.desk.root.rglob(kept_look.NAME))


def test_a_second_look_at_the_very_same_files_verifies_nothing_and_says_the_same(
    console: Console, looks: list[str]
) -> None:
    first, second = console.record("status"), console.record("status")
    assert first == second
    assert not first["alarms"]
    assert first["undoable"]
    assert len(looks) == 1


def test_what_is_not_asked_about_is_looked_for_anew_where_a_note_was_edited(
    console: Console, looks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = console.desk.proposal(addition("Paint it."), addition("Sing."))
    console.desk.reject(proposal, reason="never from this heading: Ideas")
    asked = count(monkeypatch, forgotten, "find_unasked")
    first, second = console.record("status"), console.record("status")
    assert first == second
    assert [one["heading"] for one in first["unasked"]] == ["Ideas"]
    assert (len(looks), len(asked)) == (1, 1)
    Path(console.desk.home.root, "memory/2026-02-28.md").write_text("# Ideas\n")
    assert console.record("status") == second
    assert (len(looks), len(asked)) == (1, 2)


EDITS: dict[str, str] = json.loads(corpus("surfaces-kept_look-edits.json"))


def edit(home: Home, what: str) -> None:
    """Flip a bit of a file, whose times say nothing of it; or take the file away."""
    path = next(path for path in sorted(Path(home.root).glob(EDITS[what])) if path.is_file())
    if what.endswith("went"):
        path.unlink()
        return
    times, raw = path.stat(), path.read_bytes()
    path.write_bytes(bytes([raw[0] ^ 1]) + raw[1:])
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # ctime tells all the same


@pytest.mark.parametrize("what", EDITS)
def test_whatever_was_changed_since_is_found_as_without_a_kept_look(
    what: str, console: Console, looks: list[str]
) -> None:
    console.run("status")
    edit(console.home, what)
    with_kept = console.record("status")
    kept(console).unlink()
    assert with_kept == console.record("status")
    assert len(looks) >= 1


@pytest.mark.parametrize(
    "written", [b"", b"{}", b"[]", b'{"at": 1e300}', b"\xff", b'{"grown": 1, "files": ""}']
)
def test_a_kept_look_that_was_edited_costs_a_full_one(
    written: bytes, console: Console, looks: list[str]
) -> None:
    before = console.record("status")
    kept(console).write_bytes(written)
    assert console.record("status") == before
    assert len(looks) == 2


def test_a_file_that_goes_while_its_folder_is_looked_at_ends_no_look(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run at work writes beside ``status``, and takes its own files away."""
    listed, passing = os.scandir, Path(console.home.audit_dir, "passing")

    def scandir(folder: str) -> Iterable[os.DirEntry[str]]:
        if folder != console.home.audit_dir:
            return listed(folder)
        passing.touch()
        entries = list(listed(folder))
        passing.unlink()
        return entries

    monkeypatch.setattr(os, "scandir", scandir)
    assert console.run("status").status == 0


def test_where_something_is_wrong_nothing_is_kept(console: Console, looks: list[str]) -> None:
    edit(console.home, "a decision")
    console.run("status")
    assert not list(console.desk.root.rglob(kept_look.NAME))
    assert looks
