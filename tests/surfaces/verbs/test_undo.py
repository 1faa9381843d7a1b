from typing import Any

import pytest
from tests.gate.homes import MEMORY, addition, removal
from tests.surfaces.console import Console

from nightledger.surfaces import signing

OLD = "- Keep backups for 30 days."


def test_an_undo_shows_the_diff_and_is_done_at_once(console: Console) -> None:
    proposal = console.desk.applied(addition("One.", rank=0.9), removal(OLD))
    out = console.out("undo", proposal.id)
    assert "-- One." in out
    assert f"+{OLD}" in out
    assert out.endswith(f"Took back change 1, 2 of {proposal.id[:6]}.\n")
    assert console.desk.text() == MEMORY
    assert console.out("verify").startswith("The log holds")
    ran = console.run("undo", proposal.id)
    assert ran.status == 2
    assert "nothing to undo there: change 1 is undone, 2 is undone" in ran.err


def test_one_change_is_named_with_a_hash_or_a_colon(console: Console) -> None:
    proposal = console.desk.applied(addition("One.", rank=0.9), removal(OLD))
    record = console.record("undo", f"{proposal.id}#1")
    assert record["undone"] == [1]
    assert console.record("undo", f"{proposal.id}:2")["proposal"] == proposal.id
    assert console.desk.text() == MEMORY
    assert console.run("undo", f"{proposal.id}#x").status == 2


def test_a_dry_run_shows_and_changes_nothing(console: Console) -> None:
    proposal = console.desk.applied(addition("One."))
    before = console.desk.events()
    assert console.out("undo", proposal.id, "--dry-run").endswith("Nothing was changed (--dry-run).\n")
    record = console.record("undo", proposal.id, "--dry-run")
    assert "-- One.\n" in record["diff"]
    assert (record["changes"], record["problem"]) == ([1], "")
    assert console.desk.events() == before
    console.desk.wait(days=9)
    assert "its undo window closed" in console.out("undo", proposal.id, "--dry-run")


def test_an_undo_that_would_change_other_bytes_than_those_shown_is_refused(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = console.desk.applied(addition("One."))
    unlock = signing.unlock

    def meanwhile(*given: Any) -> Any:
        console.desk.memory.write_text(console.desk.text() + "- By hand.\n")
        return unlock(*given)

    monkeypatch.setattr(signing, "unlock", meanwhile)
    ran = console.run("undo", proposal.id)
    assert ran.status == 1
    assert "what it would change is not what was shown any more; nothing was signed" in ran.err
    assert "run it again" in ran.err
    assert "- One." in console.desk.text()
    assert console.desk.states(proposal) == ["applied"]
    assert len(console.desk.ledger().book.decisions) == 1
