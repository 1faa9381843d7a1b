"""What is old enough to let go, and what never goes: the rules of the weekly pruner.

Invariant: everything here only ever names candidates; a proposal is made of them, and nothing goes
without a signature. What speaks for keeping wins, whatever its age.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from enum import StrEnum

from msgspec.structs import replace

from nightledger.domain.consent import ConsentGraph, Tier
from nightledger.domain.judge import MOST_FORGOTTEN
from nightledger.domain.outcome import SHOWN_FROM, Link, Pair
from nightledger.domain.proposal import Draft, Flag


class Closure(StrEnum):
    """What a status says of an item that needs nobody any more (published: Resolved; the issue names the others)."""

    RESOLVED = "resolved"
    DONE = "done"
    CLOSED = "closed"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"


FEW_CO_OCCURRENCES = 2
"""A link of fewer is weak (published: ``co_occurrences < 2``)."""
LINK_DAYS = 60
"""A weak link that was not seen for more days may go (published)."""
WEAK_BELOW = 0.10
"""Confidence under which a link is weak (FACTS: weak edges < .10 pruned)."""
CLOSED_DAYS = 90
"""An entry that is closed for more days may go to the archive (published)."""
LOG_DAYS = 30
"""A daily log that is older may be compressed (published)."""
REFERENCED_FROM = SHOWN_FROM
"""What a link with this confidence rests on stays as it is (published: .7)."""
BUDGET_SHARE = 0.25
"""Of a gated file's characters one proposal removes no more; what would is split (issue "Forgetting well")."""
MOST_MONTHS = 12
"""Proposals of a kind that wait at a time, one a month of logs or of closed entries, oldest first; a year
is what a person reads in a morning. The rest competes again. Our choice."""
BUDGET_RULE = "budget.split"


class Kept(StrEnum):
    """Why something that is old enough stays as it is."""

    REFERENCED = "referenced"
    """A link with a confidence of .7 or more rests on an outcome that is written there."""
    PINNED = "pinned"
    """The operator signed that it stays. Principles are no entries: no proposal may write their file."""
    CONSENT = "consent"
    """It names something that the consent graph blocks, and may be why."""
    NO_DATE = "no_date"
    """Nobody can tell since when it is closed."""
    FUTURE_DATE = "future_date"
    REVISIT = "revisit"
    """It is to be looked at again, on a day that is still to come."""
    OF_SECTION = "of_section"
    """It is nothing but a status, and speaks for what stands around it."""
    TWICE = "twice"
    """The very same entry stands there a second time."""
    REFUSED = "refused"
    """The operator rejected it before, or took it back."""
    SHORT = "short"
    """A summary would be no shorter."""
    SUMMARY = "summary"
    """It is a summary already."""
    ODD_FILE = "odd_file"
    """It is a link, has a second name, cannot be read, or holds what was expunged."""


def is_weak(link: Link, today: date) -> bool:
    """Tell whether a link occurred too seldom and too long ago; one of a day to come did not."""
    return link.co_occurrences < FEW_CO_OCCURRENCES and _is_long_unseen(link, today)


def is_faint(link: Link, confidence: float, today: date) -> bool:
    """Tell whether nothing speaks for a link any more and it was not seen for as long as a weak one.

    One that failed lately stays: deleted, it would begin anew, and what failed would be believed as
    much as what was never tried.

    Args:
        link: Which.
        confidence: Of its best resolution, decayed to now.
        today: The date in the home's zone.
    """
    return confidence < WEAK_BELOW and _is_long_unseen(link, today)


def _is_long_unseen(link: Link, today: date) -> bool:
    return today.toordinal() - link.last_day > LINK_DAYS


def by_age(link: Link) -> tuple[int, Pair]:
    """Return what links are ordered by: the longest unseen first."""
    return link.last_day, link.pair


def is_long_closed(since: date, today: date) -> bool:
    """Tell whether an entry is closed for long enough."""
    return (today - since).days > CLOSED_DAYS


def is_old_log(day: date, today: date) -> bool:
    """Tell whether a daily log is old enough to be compressed."""
    return (today - day).days > LOG_DAYS


def in_portions(drafts: Sequence[Draft], total: int) -> Iterator[tuple[tuple[Draft, ...], str]]:
    """Split removals from one file so that no proposal takes more than its share, in their order.

    Each portion comes with what its title says of it. What is larger than the share alone is a portion of its
    own; where all together take more, each draft says so in a flag.

    Args:
        drafts: The removals.
        total: Characters of the file.
    """
    portions: list[list[Draft]] = []
    room = 0.0
    for draft in drafts:
        if not portions or len(draft.before) > room or len(portions[-1]) >= MOST_FORGOTTEN:
            portions.append([])
            room = BUDGET_SHARE * total
        portions[-1].append(draft)
        room -= len(draft.before)
    whole = _share(drafts, total)
    for part, members in enumerate(portions, 1):
        of = f"part {part} of {len(portions)}" if len(portions) > 1 else ""
        split = f"; this is {of} and removes {_share(members, total):.0%}" if of else ""
        told = f"together this would remove {whole:.0%} of the file, more than {BUDGET_SHARE:.0%}{split}"
        flags = (Flag(rule=BUDGET_RULE, message=told),) if whole > BUDGET_SHARE else ()
        yield tuple(replace(draft, flags=(*draft.flags, *flags)) for draft in members), of and f", {of}"


def _share(drafts: Iterable[Draft], total: int) -> float:
    return sum(len(draft.before) for draft in drafts) / max(1, total)


def month_of(day: date) -> str:
    """Give the month that a proposal is about: ``2026-02``."""
    return f"{day:%Y-%m}"


def blocked_words(graph: ConsentGraph) -> frozenset[str]:
    """Return the names of the actions that a graph blocks, by which an entry is known to speak of one.

    Single words ("delete") stand in any entry and tell nothing; names of several words (``unlock_doors``) do.
    """
    actions = (a for tiers in graph.domains.values() for a, tier in tiers.items() if tier is Tier.BLOCKED)
    return frozenset(action.replace("_", " ").casefold() for action in actions if "_" in action.strip("_*"))


def names_blocked(text: str, words: Collection[str]) -> bool:
    """Tell whether a text speaks of a blocked action, written with ``_``, ``-`` or spaces.

    Args:
        text: Any text.
        words: As :func:`blocked_words` gives them.
    """
    plain = " ".join(text.casefold().replace("_", " ").replace("-", " ").split())
    return any(word in plain for word in words)
