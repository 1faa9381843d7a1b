from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition

from nightledger.gate import checking, opening
from nightledger.gate.checking import Altered, find_altered, find_drift


def altered(desk: Desk) -> tuple[Altered, ...]:
    # as verify does: without read_ledger's own refusal of changed trust files
    from nightledger.domain.folding import fold_events
    from nightledger.gate.opening import Ledger
    from nightledger.trust.pin import read_pin
    from nightledger.trust.reading import check_log

    log = check_log(desk.home, read_pin(desk.ring, desk.home.identity.id))
    return find_altered(desk.home, Ledger(log=log, book=fold_events(log.events)))


def test_a_home_as_it_was_left_holds(desk: Desk) -> None:
    proposal = desk.applied(addition("One."))
    desk.undo(proposal)
    assert altered(desk) == ()
    assert find_drift(desk.home, desk.ledger().book) == ()


def test_every_changed_file_is_named(desk: Desk) -> None:
    first, second = desk.proposal(addition("One.")), desk.proposal(addition("Two."))
    approved, forged = desk.approve(first, second)
    one, two = Path(desk.home.proposal(first.id)), Path(desk.home.proposal(second.id))
    one.write_bytes(one.read_bytes().replace(b"One.", b"Uno."))
    two.unlink()
    Path(desk.home.decision(approved.id)).write_bytes(b"{}")
    Path(f"{desk.home.decision(forged.id)}.sig").write_text("no signature")
    found = altered(desk)
    assert [(item.path, item.message) for item in found] == [
        (f"memory/state/proposals/{first.id}.json", "it was changed after it was proposed"),
        (f"memory/state/proposals/{second.id}.json", f"{two} is missing"),
        (
            f"audit/decisions/{approved.id}.json",
            f"{desk.home.decision(approved.id)} was changed after it was recorded",
        ),
        (f"audit/decisions/{forged.id}.json.sig", "it is no signature of who the decision names"),
    ]


def test_changed_signers_are_named_and_no_decision_is_judged_by_them(desk: Desk) -> None:
    desk.approve(desk.proposal(addition("One.")))
    Path(desk.home.allowed_signers).write_text("# nobody\n")
    assert [(item.path, item.message) for item in altered(desk)] == [
        ("config/nightledger/allowed_signers", "it is not the file that the log names")
    ]


def test_drift_is_a_gated_file_that_is_not_as_last_accepted(desk: Desk) -> None:
    book = desk.ledger().book
    desk.memory.write_text("by hand")
    assert find_drift(desk.home, book) == ("MEMORY.md",)
    desk.memory.unlink()
    assert find_drift(desk.home, book) == ("MEMORY.md",)
    desk.memory.mkdir()
    assert find_drift(desk.home, book) == ("MEMORY.md",)


def test_a_signature_that_is_of_another_decision_is_none(desk: Desk) -> None:
    first, second = desk.proposal(addition("One.")), desk.proposal(addition("Two."))
    one, two = desk.approve(first, second)
    stolen = Path(f"{desk.home.decision(one.id)}.sig").read_bytes()
    Path(f"{desk.home.decision(two.id)}.sig").write_bytes(stolen)
    assert [item.path for item in altered(desk)] == [f"audit/decisions/{two.id}.json.sig"]


def test_signers_that_cannot_be_read_are_named_once_and_no_decision_is_judged(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.approve(desk.proposal(addition("One.")), desk.proposal(addition("Two.")))
    Path(desk.home.allowed_signers).write_text("no line of signers\n")
    monkeypatch.setattr(checking, "_trust_files", lambda _home, _book: ())  # a log that names these bytes
    monkeypatch.setattr(
        opening, "_read_trusted", lambda home, _book, name: opening._read_trust_file(home, name)
    )
    (found,) = altered(desk)
    assert found.path == "config/nightledger"
    assert "allowed_signers" in found.message
