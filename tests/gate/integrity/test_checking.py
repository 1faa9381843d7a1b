import hashlib
from dataclasses import replace
from pathlib import Path

from tests.gate.homes import Desk, addition
from tests.gate.signers import own_key

from nightledger.gate.deciding import sign, with_id
from nightledger.gate.integrity.checking import Altered, find_altered


def altered(desk: Desk) -> tuple[Altered, ...]:
    from nightledger.domain.folding import fold_events
    from nightledger.gate.opening import Ledger
    from nightledger.trust.pin import read_pin
    from nightledger.trust.reading import check_log

    log = check_log(desk.home, read_pin(desk.ring, desk.home.identity.id))
    return find_altered(desk.home, Ledger(log=log, book=fold_events(log.events)), desk.moment)


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
