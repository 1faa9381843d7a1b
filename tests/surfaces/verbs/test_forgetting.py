"""pin, unpin, forget and hygiene as their operator sees them."""

from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import Desk, make_desk
from tests.gate.memory.test_naming import BACKUPS, ids
from tests.gate.memory.test_pinning import RELAY
from tests.gate.used import add_outcome
from tests.surfaces.console import Console

from nightledger.domain.errors import FileChangedError
from nightledger.gate.memory.naming import find_standing
from nightledger.gate.memory.remembering import read_reinforcements
from nightledger.surfaces.context import Context
from nightledger.surfaces.verbs import pin as forgetting


def active(desk: Desk, hours: int = 330) -> None:
    for _ in range(hours):
        desk.wait(hours=1)
        add_outcome(desk.home, desk.moment.at)


def console_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: str, **fields: Any) -> Console:
    monkeypatch.setenv("NIGHTLEDGER_KEYS", str(tmp_path / "keys"))
    return Console(desk=make_desk(tmp_path, memory=memory.encode(), **fields))


# ---------------------------------------------------------------- forget


def test_what_was_changed_while_it_was_shown_is_not_forgotten(console: Console) -> None:
    desk = console.desk
    placed = find_standing(desk.home, desk.ledger().book).entries[ids(desk)[BACKUPS]]
    desk.edit(desk.memory.read_bytes().replace(b"30 days.", b"60 days."))
    context = Context(verb="forget", home=desk.home.root, now_text=desk.moment.at.isoformat(), json=False)
    with pytest.raises(FileChangedError, match="was changed meanwhile"):
        forgetting._propose(context, placed, "another text of its section")
    assert console.record("proposals") == []


def test_an_entry_that_holds_a_secret_cannot_be_copied_into_a_proposal_but_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    console = console_of(tmp_path, monkeypatch, f"# M\n\n- The token is {token}\n- Other.\n")
    name = next(name for words, name in ids(console.desk).items() if token in words)
    ran = console.run("forget", name)
    assert token not in ran.out + ran.err
    assert ran.status == 0


# ---------------------------------------------------------------- hygiene


def test_yes_archives_no_shows_mercy(console: Console) -> None:
    active(console.desk)
    said = console.out("hygiene", typed=["x", "y", "n"])
    assert "Kept 1 for now: counted as made anew." in said
    assert "Signed 1 change." in said
    (line,) = read_reinforcements(console.desk.home)
    assert line.ids == (ids(console.desk)[RELAY],)
    assert len(console.record("proposals")) == 1
    assert "1 active, 0 immune, 1 pending" in console.out("hygiene")
