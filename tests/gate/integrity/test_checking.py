from pathlib import Path

from tests.gate.homes import Desk, addition

from nightledger.gate.integrity.checking import Altered, find_altered


def altered(desk: Desk) -> tuple[Altered, ...]:
    from nightledger.domain.folding import fold_events
    from nightledger.gate.opening import Ledger
    from nightledger.trust.pin import read_pin
    from nightledger.trust.reading import check_log

    log = check_log(desk.home, read_pin(desk.ring, desk.home.identity.id))
    return find_altered(desk.home, Ledger(log=log, book=fold_events(log.events)), desk.moment)


def test_a_signature_of_other_bytes_is_named_although_it_holds(desk: Desk) -> None:
    """White space around the armour changes the file and nothing that it says; the log has the file's hash."""
    (decision,) = desk.approve(desk.proposal(addition("One.")))
    path = Path(f"{desk.home.decision(decision.id)}.sig")
    path.write_text(f"{path.read_text()}\n")
    name = f"audit/decisions/{decision.id}.json.sig"
    assert altered(desk) == (Altered(path=name, message="it was changed after it was recorded"),)
