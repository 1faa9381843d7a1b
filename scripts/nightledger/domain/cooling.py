"""How long an approval waits before it may be applied.

Invariant: no step of a clock makes the wait shorter. Where witnesses are asked for, only
the times in their cosignatures count, and no clock of this machine. Without them, within
one boot the smaller of wall and boot-time clock counts; across a reboot there is only the
wall clock.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from nightledger.domain.decision import DecisionType, Entry, EventName, Moment


class Cooling(Struct, frozen=True, kw_only=True):
    """The two waits, both of which must pass.

    Attributes:
        after_proposal_s: Seconds since the proposal's leaf; published value 2 hours.
        after_signature_s: Seconds since the signature; 10 minutes.
    """

    after_proposal_s: int = 2 * 3600
    after_signature_s: int = 10 * 60


NONE = Cooling(after_proposal_s=0, after_signature_s=0)
"""An operator's own edit and undo do not cool."""
NEVER = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
"""When a wait ends that no calendar holds."""


class Vouched(Struct, frozen=True, kw_only=True):
    """When a quorum of witnesses cosigned a head that an entry is under.

    Attributes:
        first: A time by which it had; None where it never did. Late rather than early.
        last: The last time at which it did; None likewise. Early rather than late.
    """

    first: datetime | None = None
    last: datetime | None = None

    @property
    def elapsed_s(self) -> int:
        """Whole seconds that surely passed since the entry; 0 where nobody vouched."""
        if self.first is None or self.last is None:
            return 0
        return max(0, int((self.last - self.first).total_seconds()))


class Witnessed(Struct, frozen=True, kw_only=True):
    """What witnesses say of both waits.

    Attributes:
        proposed: Of the proposal's entry.
        signed: Of the decision's.
    """

    proposed: Vouched = Vouched()
    signed: Vouched = Vouched()

    def latest(self, at: datetime) -> datetime:
        """Give the later of a time and the last one that witnesses stated."""
        return max([at, *filter(None, (self.proposed.last, self.signed.last))])


def elapsed_s(since: Moment, now: Moment) -> int:
    """Give the whole seconds that surely passed; negative when the wall clock went back."""
    wall_s = int((now.at - since.at).total_seconds())
    if since.boot and since.boot == now.boot:
        return min(wall_s, now.boot_s - since.boot_s)
    return wall_s


def cools_until(proposed: Moment, signed: Moment, cooling: Cooling) -> datetime:
    """Give the wall-clock time at which both waits are over if no clock steps; at most the year 9999's last second.

    A proposal that stands after its signature was dated by a clock that was ahead, or is behind now: it was
    there when it was signed, so its wait is over as long after that.
    """
    return max(
        _after(min(proposed.at, signed.at), cooling.after_proposal_s),
        _after(signed.at, cooling.after_signature_s),
    )


def _after(at: datetime, wait_s: int) -> datetime:
    """Give a time that much later: what a home asks for, and what another machine says, may be any number."""
    try:
        return at + timedelta(seconds=wait_s)
    except OverflowError:
        return NEVER


def remaining_s(
    proposed: Moment, signed: Moment, now: Moment, cooling: Cooling, witnessed: Witnessed | None = None
) -> int:
    """Give the seconds still to wait, 0 when both waits have passed.

    Args:
        proposed: Clocks at the proposal's entry.
        signed: Clocks at the decision's entry.
        now: The clocks.
        cooling: The waits.
        witnessed: What witnesses say instead; None where the policy asks for none.
    """
    if witnessed is None:
        began = signed if proposed.at > now.at else proposed  # in a time to come: by a clock that was ahead
        passed = elapsed_s(began, now), elapsed_s(signed, now)
    else:
        passed = witnessed.proposed.elapsed_s, witnessed.signed.elapsed_s
    return max(0, cooling.after_proposal_s - passed[0], cooling.after_signature_s - passed[1])


REVIEWS = frozenset({DecisionType.APPROVE, DecisionType.REJECT, DecisionType.DRIFT, DecisionType.CONSENT})
"""Decisions that an operator makes by reading what waits. An undo or a key is no review."""
DAY_S = 86_400


def passed_s(since: Moment, now: Moment) -> int:
    """Give the most that may have passed between two readings of the clocks, in whole seconds, 0 at least."""
    wall_s = int((now.at - since.at).total_seconds())
    boot_s = now.boot_s - since.boot_s if since.boot and since.boot == now.boot else 0
    return max(0, wall_s, boot_s)


def since_review_s(entries: Iterable[Entry], review: str | None, now: Moment) -> int:
    """Give the seconds since a review was recorded, added up from entry to entry.

    Args:
        entries: Of the log, as checked.
        review: Id of the last decision that was a review; None counts from the log's beginning.
        now: The clocks.
    """
    total, last = 0, None
    for name, fields, at in entries:
        here = Moment.of_entry(fields, at)
        if review is not None and name == EventName.DECIDED and fields["decision"] == review:
            total, last, review = 0, here, None
            continue
        if last is not None:
            total += passed_s(last, here)
        last = here
    return total + (passed_s(last, now) if last else 0)
