from typing import Any

import pytest
from tests.gate.homes import MEMORY, addition, removal
from tests.surfaces.console import Console

from nightledger.files.blobs import BlobStore
from nightledger.surfaces import signing

OLD = "- Keep backups for 30 days."


def test_an_undo_shows_the_diff_and_is_done_at_once(console: Console) -> None:
    proposal = console.desk.applied(addition("One.", rank=0.9), removal(OLD))
    out = console.out("undo", proposal.id)
    assert "-- One." in out
    assert f"+{OLD}" in out
    assert out.endswith(f"Took back change 1, 2 of {proposal.id}.\n")
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


def test_after_the_window_a_reversal_waits_and_waits_once(console: Console) -> None:
    proposal = console.desk.applied(addition("One."))
    console.desk.wait(days=8)
    out = console.out("undo", proposal.id)
    assert "It cannot be taken back in place: its undo window closed at" in out
    assert "The reversal waits as p-" in out
    ran = console.run("undo", proposal.id)
    assert ran.status == 1
    assert "Its reversal waits already" in ran.out


def test_what_was_rewritten_since_has_to_be_changed_by_hand(console: Console) -> None:
    proposal = console.desk.applied(addition("One lesson."))
    console.desk.memory.write_text(console.desk.text().replace("One lesson.", "One more lesson."))
    ran = console.run("undo", proposal.id)
    assert ran.status == 1
    assert "the same lines of MEMORY.md were changed since" in ran.out
    assert "'nightledger edit' changes the file by hand" in ran.out


def test_a_secret_does_not_come_back(console: Console) -> None:
    secret = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    console.desk.memory.write_text(f"{MEMORY}\n- token {secret}\n")
    proposal = console.desk.edit(MEMORY.encode())
    ran = console.run("undo", proposal.id)
    assert ran.status == 1
    assert "took out a secret, and that does not come back" in ran.err
    assert f"nightledger undo {proposal.id[:10]}#N" in ran.err
    assert secret not in ran.out + ran.err
    assert console.desk.text() == MEMORY


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


def test_an_undo_behind_a_line_that_a_crash_left_in_the_log_is_signed_and_done(console: Console) -> None:
    proposal = console.desk.applied(addition("One."))
    with open(console.desk.home.audit_log, "ab") as log:
        log.write(b'{"never":"acknowledged"}\n')
    assert console.out("undo", proposal.id).endswith(f"Took back change 1 of {proposal.id}.\n")
    assert "log.tail_closed" in console.desk.events()
    assert console.desk.text() == MEMORY


def test_what_drift_took_out_of_the_file_is_not_taken_back_while_it_is_signed_still(console: Console) -> None:
    desk = console.desk
    proposal = desk.applied(addition("Push keys to everyone."))
    desk.memory.write_text(MEMORY)
    desk.guard()
    ran = console.run("undo", proposal.id)
    assert ran.status == 1
    assert "it touches lines that were changed outside the gate: answer these first" in ran.out
    assert desk.states(proposal) == ["applied"]
    desk.settle(keep=(1,))
    assert console.out("undo", proposal.id) == f"Took back change 1 of {proposal.id}.\n"


def test_an_undo_beside_drift_elsewhere_takes_the_lines_out_of_file_and_signed_bytes(
    console: Console,
) -> None:
    desk = console.desk
    proposal = desk.applied(addition("One.", rank=0.9), removal(OLD))
    desk.memory.write_text(desk.text().replace("## Projects\n", "## Projects\n\n- By hand.\n"))
    desk.guard()
    assert "Took back change 1, 2" in console.out("undo", proposal.id)
    accepted = desk.ledger().book.accepted_of("MEMORY.md")
    assert accepted is not None
    assert BlobStore(desk.home.blobs_dir).get(accepted) == MEMORY.encode()
    assert desk.text() == MEMORY.replace("## Projects\n", "## Projects\n\n- By hand.\n")
