"""What the policy in force asks of witnesses, and what they say of a proposal's and a decision's waits.

Invariant: whose lines count is read from the trust file that the log names, never from
one that merely lies there.
"""

from datetime import datetime, timedelta

from msgspec import Struct

from nightledger.domain.cooling import Witnessed
from nightledger.domain.errors import UsageError
from nightledger.domain.event import EventName
from nightledger.domain.moment import Moment
from nightledger.domain.states import DecisionStatus
from nightledger.files.home import Home
from nightledger.gate.integrity.trusting import Trust
from nightledger.gate.opening import Gate, Ledger
from nightledger.trust.heads import Cosignatures
from nightledger.trust.policy import Policy, parse_policy
from nightledger.trust.reading import VerifiedLog
from nightledger.trust.report import Damage, Finding

_PLACES = {
    EventName.PROPOSED.value: "proposal",
    EventName.DECIDED.value: "decision",
    EventName.APPLY_INTENT.value: "apply",
    EventName.APPLY_DONE.value: "apply",
    EventName.APPLY_RACED.value: "apply",
    EventName.APPLY_ABORTED.value: "apply",
}
"""Which member names what an entry is about."""
STALE = timedelta(hours=24)
"""After this a log that grows every night has an entry that no witness has seen (DESIGN section 6)."""
COOLED = frozenset({EventName.PROPOSED.value, EventName.DECIDED.value})
"""Entries whose first cosigned head is kept for ever, because a wait begins with them."""


def read_policy(home: Home, ledger: Ledger, at: Moment) -> Policy:
    """Return the policy in force.

    Raises:
        IntegrityError: Its bytes are kept nowhere, or a decision that changed it was altered.
        RecordError: It is malformed.
    """
    return parse_policy(Trust(home, ledger).content("policy", at), where=home.relative(home.policy))


def read_cosignatures(home: Home, ledger: Ledger, at: Moment) -> Cosignatures:
    """Return what witnesses of the policy in force said of this log.

    Raises:
        IntegrityError: As :func:`read_policy`.
    """
    return Cosignatures(home, read_policy(home, ledger, at), ledger.log.tree)


def witnessed(gate: Gate, ledger: Ledger, status: DecisionStatus, moment: Moment) -> Witnessed | None:
    """Return what witnesses know of the waits of an approval; None where the policy asks for none.

    Args:
        gate: The home.
        ledger: Its log.
        status: The approval.
        moment: The clocks.

    Raises:
        IntegrityError: As :func:`read_policy`.
    """
    cosignatures = read_cosignatures(gate.home, ledger, moment)
    if not cosignatures.policy.asks:
        return None
    proposed, signed = (find_leaves(ledger.log, name)[0] for name in (status.proposal, status.id))
    return Witnessed(proposed=cosignatures.vouched(proposed), signed=cosignatures.vouched(signed))


class WitnessLook(Struct, frozen=True, kw_only=True):
    """How a home stands with its witnesses.

    Attributes:
        asks: Whether the policy asks for any.
        size: Size of the head of this log that the quorum cosigned last; 0 for none.
        at: When that was; None for none.
        findings: What is wrong, each an alarm.
    """

    asks: bool = False
    size: int = 0
    at: datetime | None = None
    findings: tuple[Finding, ...] = ()


def look_at_witnesses(home: Home, cosignatures: Cosignatures, now: datetime) -> WitnessLook:
    """Return whether witnesses cosigned this log lately, and whether they cosigned another one.

    Args:
        home: Whose.
        cosignatures: What they said.
        now: The clock; aware.
    """
    policy = cosignatures.policy
    if not policy.asks:
        return WitnessLook()
    found: list[Finding] = []

    def find(damage: Damage, message: str) -> None:
        found.append(Finding(damage=damage, path=home.cosigned, line=None, message=message))

    if foreign := cosignatures.foreign():
        head, damage = foreign
        find(
            damage,
            f"witnesses cosigned a head of {head.checkpoint.size} entries that this log does not continue",
        )
    newest = cosignatures.newest()
    if newest is None:
        find(Damage.STALE_WITNESS, f"no head of this log is cosigned as the policy asks ({policy.quorum!r})")
        return WitnessLook(asks=True, findings=tuple(found))
    head, at = newest
    if now - at > STALE:
        hours = (now - at) // timedelta(hours=1)
        message = f"witnesses last cosigned {head.checkpoint.size} entries, {hours} hours ago"
        find(Damage.STALE_WITNESS, message)
    return WitnessLook(asks=True, size=head.checkpoint.size, at=at, findings=tuple(found))


def find_leaves(log: VerifiedLog, name: str) -> tuple[int, ...]:
    """Return the places of the entries that a proposal, decision or apply has of its own, in order.

    Args:
        log: As checked.
        name: Its id.

    Raises:
        UsageError: The log has none.
    """
    found = tuple(
        fields["seq"] for event, fields, _ in log.entries() if fields.get(_PLACES.get(event, "")) == name
    )
    if not found:
        raise UsageError(
            f"the log has no entry of {name[:80]!r}",
            hint="name a proposal, a decision, an apply, or an entry's number; 'nightledger history' lists them",
        )
    return found


def has_waits_between(log: VerifiedLog, start: int, end: int) -> bool:
    """Return whether a proposal or a decision was logged from line ``start`` on and before line ``end``, from 0."""
    return any(event in COOLED and start <= fields["seq"] < end for event, fields, _ in log.entries())
