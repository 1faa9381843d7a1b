"""How long ago the operator last signed a review, by every clock that the log has.

Invariant: no step of a clock makes the time shorter. Between two entries the larger of
wall and boot-time clock counts, and never less than nothing: a clock that goes back adds
nothing and takes nothing away.
"""

from collections.abc import Iterable

from nightledger.domain.decision import DecisionType
from nightledger.domain.event import Entry, EventName
from nightledger.domain.moment import Moment

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
