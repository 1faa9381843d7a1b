"""Who may sign here, what happens when a key is lost, the constitution, and how old the operator's consent is."""

from collections.abc import Iterator

from nightledger.domain.cooling import DAY_S
from nightledger.domain.moment import Moment
from nightledger.domain.trusting import RECOVERY_NAMESPACE
from nightledger.gate.consenting import read_standing
from nightledger.gate.integrity.trust_changes import find_differing
from nightledger.gate.integrity.trusting import Trust
from nightledger.gate.memory.principles import NAME, WHERE, read_principles
from nightledger.gate.opening import Gate, Ledger, read_ledger
from nightledger.surfaces.alarms import reset_alarms
from nightledger.surfaces.doctor.checks import Check, bad, good, note

_PUT_BACK = "nightledger key restore puts it back"
SOON_S = 5 * DAY_S
"""How long before its end the operator is told that consent decays. Our choice."""


def check_trust(gate: Gate, at: Moment) -> Iterator[Check]:
    """Look at the signers in force, at a reset that waits, and at the constitution.

    Args:
        gate: The home.
        at: The clocks.
    """
    ledger = read_ledger(gate)
    yield from _keys(gate, ledger, at)
    yield _constitution(gate, ledger, at)


def check_consent(gate: Gate, at: Moment) -> Iterator[Check]:
    """Look how old the operator's consent is, and whether they signed this home's own graph.

    Args:
        gate: The home.
        at: The clocks.

    Raises:
        NightledgerError: This home's own graph cannot be used.
    """
    standing = read_standing(gate, read_ledger(gate), at)
    days, left_s = (
        standing.since_review_s // DAY_S,
        standing.signed.decay_days * DAY_S - standing.since_review_s,
    )
    if standing.decayed:
        yield note(
            f"no review was signed for {days} days: what was autonomous asks for approval",
            "nightledger consent review",
        )
    elif left_s <= SOON_S:
        yield note(
            f"{days} days since the last signed review; in {-(-left_s // DAY_S)} what is autonomous asks for approval",
            "nightledger consent review",
        )
    else:
        yield good(f"{days} days since the last signed review, or since the home began")
    if standing.replaced:
        yield note(
            "this home's own consent graph is not the one that was signed: what was autonomous asks for approval",
            "nightledger consent review",
        )
    elif not standing.reviewed:
        yield note(
            "this home's own consent graph was not signed for: what it allows beyond the shipped one does not count",
            "nightledger consent review",
        )


def _keys(gate: Gate, ledger: Ledger, at: Moment) -> Iterator[Check]:
    yield from (bad(alarm.message, alarm.hint) for alarm in reset_alarms(ledger.book, at))
    if Trust(gate.home, ledger).signers(at).able(RECOVERY_NAMESPACE, at.at):
        yield good("a recovery key can bring in a new signer when the operator's is lost")
    else:
        yield note(
            "there is no recovery key: when the operator's is lost, a new one counts after a reset of 24 hours",
            "nightledger key recovery FILE.pub, with a key that lies in a drawer",
        )


def _constitution(gate: Gate, ledger: Ledger, at: Moment) -> Check:
    standing = read_principles(gate.home, ledger, at)
    if NAME in find_differing(gate.home, ledger, at):
        return bad(f"{WHERE} is not as it was signed; what was signed stays in force", _PUT_BACK, area=NAME)
    if standing is None:
        return note("none: this home began without one", "nightledger init --seed", area=NAME)
    return good(f"{len(standing.principles)} principles, as they were signed", area=NAME)
