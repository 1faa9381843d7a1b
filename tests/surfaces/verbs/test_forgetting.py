"""forget and hygiene as their operator sees them."""

from typing import Any

import pytest
from tests.gate.homes import make_desk
from tests.gate.lived import add_outcome
from tests.gate.test_naming import BACKUPS, RELAY, ids
from tests.surfaces.console import Console

from nightledger.gate.remembering import read_reinforcements
from nightledger.surfaces.verbs import pin


def test_what_was_changed_while_it_was_shown_is_not_forgotten(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, propose = console.desk, pin._propose

    def meanwhile(*given: Any) -> Any:
        desk.edit(desk.memory.read_bytes().replace(b"30 days.", b"60 days."))
        return propose(*given)

    monkeypatch.setattr(pin, "_propose", meanwhile)
    assert "was changed meanwhile" in console.refused("forget", ids(desk)[BACKUPS])
    assert console.record("proposals") == []
    assert "60 days." in desk.text()


def test_an_entry_that_holds_a_secret_cannot_be_copied_into_a_proposal_but_goes(console: Console) -> None:
    token = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    console = Console(
        desk=make_desk(console.desk.root / "other", memory=f"# M\n\n- {token}\n- Other.\n".encode())
    )
    name = next(name for words, name in ids(console.desk).items() if token in words)
    ran = console.run("forget", name)
    assert token not in ran.out + ran.err
    assert ran.status == 0


def test_yes_archives_no_shows_mercy(console: Console) -> None:
    for _ in range(330):
        console.desk.wait(hours=1)
        add_outcome(console.home, console.desk.moment.at)
    said = console.out("hygiene", typed=["x", "y", "n"])
    assert "Kept 1 for now: counted as made anew." in said
    assert "Signed 1 change." in said
    (line,) = read_reinforcements(console.home)
    assert line.ids == (ids(console.desk)[RELAY],)
    assert len(console.record("proposals")) == 1
    assert "1 active, 0 immune, 1 pending" in console.out("hygiene")
