import hashlib
from dataclasses import replace
from pathlib import Path

from tests.gate.homes import Desk, addition
from tests.gate.signers import own_key

from nightledger.files.blobs import BlobStore
from nightledger.gate.deciding import sign, with_id
from nightledger.gate.integrity.checking import Altered, find_altered, find_drift


def altered(desk: Desk) -> tuple[Altered, ...]:
    from nightledger.domain.folding import fold_events
    from nightledger.gate.opening import Ledger
    from nightledger.trust.pin import read_pin
    from nightledger.trust.reading import check_log

    log = check_log(desk.home, read_pin(desk.ring, desk.home.identity.id))
    return find_altered(desk.home, Ledger(log=log, book=fold_events(log.events)), desk.moment)


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


def test_changed_signers_are_named_and_decisions_are_judged_by_those_of_the_log(desk: Desk) -> None:
    _, forged = desk.approve(desk.proposal(addition("One.")), desk.proposal(addition("Two.")))
    Path(desk.home.allowed_signers).write_text("# nobody\n")
    Path(f"{desk.home.decision(forged.id)}.sig").write_text("no signature")
    assert [(item.path, item.message.split(";")[0]) for item in altered(desk)] == [
        ("config/nightledger/allowed_signers", "it is not the file that the log names"),
        (f"audit/decisions/{forged.id}.json.sig", "it is no signature of who the decision names"),
    ]


def test_drift_is_a_gated_file_that_is_not_as_last_accepted(desk: Desk) -> None:
    book = desk.ledger().book
    desk.memory.write_text("by hand")
    assert find_drift(desk.home, book) == ("MEMORY.md",)
    desk.memory.unlink()
    assert find_drift(desk.home, book) == ("MEMORY.md",)
    desk.memory.mkdir()
    assert find_drift(desk.home, book) == ("MEMORY.md",)


def test_a_signature_of_other_bytes_is_named_although_it_holds(desk: Desk) -> None:
    """White space around the armour changes the file and nothing that it says; the log has the file's hash."""
    (decision,) = desk.approve(desk.proposal(addition("One.")))
    path = Path(f"{desk.home.decision(decision.id)}.sig")
    path.write_text(f"{path.read_text()}\n")
    name = f"audit/decisions/{decision.id}.json.sig"
    assert altered(desk) == (Altered(path=name, message="it was changed after it was recorded"),)


def test_a_signature_that_is_of_another_decision_is_none(desk: Desk) -> None:
    first, second = desk.proposal(addition("One.")), desk.proposal(addition("Two."))
    one, two = desk.approve(first, second)
    stolen = Path(f"{desk.home.decision(one.id)}.sig").read_bytes()
    Path(f"{desk.home.decision(two.id)}.sig").write_bytes(stolen)
    assert [item.path for item in altered(desk)] == [f"audit/decisions/{two.id}.json.sig"]


def test_signers_that_are_kept_nowhere_are_named_once_and_no_decision_is_judged(desk: Desk) -> None:
    desk.approve(desk.proposal(addition("One.")), desk.proposal(addition("Two.")))
    signers = Path(desk.home.allowed_signers)
    kept = BlobStore(desk.home.blobs_dir).path(hashlib.sha256(signers.read_bytes()).hexdigest())
    Path(kept).unlink()  # a home that began before trust files were kept as blobs
    signers.write_text("# nobody\n")
    of_file, of_set = altered(desk)
    assert of_file.path == "config/nightledger/allowed_signers"
    assert (of_set.path, "its bytes are not kept" in of_set.message) == ("config/nightledger", True)


def test_a_decision_over_another_history_is_named_as_a_fork(desk: Desk) -> None:
    """The head that an operator signed is an anchor: a log that was made anew does not continue it."""
    decision = desk.compose_all(desk.proposal(addition("One.")))[0][0]
    other = with_id(replace(decision, log=replace(decision.log, root="0" * 64)))
    signed = sign(other, own_key(desk).signer)
    Path(desk.home.decision(other.id)).write_bytes(signed.content)
    Path(f"{desk.home.decision(other.id)}.sig").write_text(signed.signature)
    desk.record(
        "decision.recorded",
        decision=other.id,
        sha256=hashlib.sha256(signed.content).hexdigest(),
        signature_sha256=signed.signature_sha256,
        type="approve",
        proposal=other.proposal,
        changes=[1],
    )
    (found,) = altered(desk)
    assert (found.path, "FORK" in found.message) == (f"audit/decisions/{other.id}.json", True)
