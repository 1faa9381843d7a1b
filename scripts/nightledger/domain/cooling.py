"""How long an approval waits before it may be applied.

Invariant: no step of a clock makes the wait shorter. Within one boot the smaller of
wall and boot-time clock counts; across a reboot there is only the wall clock.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from nightledger.domain.moment import Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Cooling:
    """The two waits, both of which must pass.

    Attributes:
        after_proposal_s: Seconds since the proposal's leaf; published value 2 hours.
        after_signature_s: Seconds since the signature; 10 minutes.
    """

    after_proposal_s: int = 2 * 3600
    after_signature_s: int = 10 * 60


NONE = Cooling(after_proposal_s=0, after_signature_s=0)
"""An operator's own edit and undo do not cool."""


def elapsed_s(since: Moment, now: Moment) -> int:
    """Give the whole seconds that surely passed; negative when the wall clock went back."""
    wall_s = int((now.at - since.at).total_seconds())
    if since.boot and since.boot == now.boot:
        return min(wall_s, now.boot_s - since.boot_s)
    return wall_s


def cools_until(proposed: Moment, signed: Moment, cooling: Cooling) -> datetime:
    """Give the wall-clock time at which both waits are over if no clock steps."""
    return max(
        proposed.at + timedelta(seconds=cooling.after_proposal_s),
        signed.at + timedelta(seconds=cooling.after_signature_s),
    )


def remaining_s(proposed: Moment, signed: Moment, now: Moment, cooling: Cooling) -> int:
    """Give the seconds still to wait, 0 when both waits have passed."""
    return max(
        0,
        cooling.after_proposal_s - elapsed_s(proposed, now),
        cooling.after_signature_s - elapsed_s(signed, now),
    )
