"""What a run of the pruner judges by, and what became of each kind of candidates.

Invariant: whatever was old enough is counted once: proposed, waiting, left alone with its reason, or
for another run.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from zoneinfo import ZoneInfo

from nightledger.domain.proposal import Draft, Evidence, Op, Proposal
from nightledger.domain.pruning import Kept
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the outcomes say, in one reading.

    Attributes:
        sure: Ids of the outcomes on which links with a confidence of .7 or more rest.
        places: The files that they name, relative to the home, each with the
            anchors in it ("" for the file as a whole).
        cited: Evidence for the outcomes that were asked for, by id.
    """

    sure: frozenset[str]
    places: Mapping[str, frozenset[str]]
    cited: Mapping[str, Evidence]


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What a run judges by.

    Attributes:
        gate: The home.
        ledger: Its log, as checked.
        stored: Everything that was ever proposed.
        told: What the outcomes say.
        today: The date in the home's zone.
        zone: The home's zone.
    """

    gate: Gate
    ledger: Ledger
    stored: Sequence[Stored]
    told: Told
    today: date
    zone: ZoneInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Something that is old enough and stays as it is.

    Attributes:
        what: A link, a place in a gated file or a log.
        kept: Why.
        detail: One sentence where there is more to say.
    """

    what: str
    kept: Kept
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What is to become one proposal.

    Attributes:
        period: The month that it is about, or the day of the run.
        title: One line for lists.
        drafts: Its changes.
    """

    period: str
    title: str
    drafts: tuple[Draft, ...]


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts of one run for one kind; added up while it goes.

    Attributes:
        op: What is proposed for this kind.
        looked: How many there are.
        old: How many are old enough.
        waiting: How many of these wait for an answer already.
        proposals: What was proposed, or would be.
        suppressed: How many were answered before.
        no_room: How many wait for another run.
        months_left: Months with candidates that this run did not come to.
        closed: How many proposed changes were closed because they hold no longer.
        left: What stays, and why.
        unfit: Why candidates could not be proposed.
    """

    op: Op
    looked: int = 0
    old: int = 0
    waiting: int = 0
    proposals: list[Proposal] = field(default_factory=list)
    suppressed: int = 0
    no_room: int = 0
    months_left: int = 0
    closed: int = 0
    left: list[Left] = field(default_factory=list)
    unfit: list[str] = field(default_factory=list)

    @property
    def proposed(self) -> int:
        """How many changes were proposed."""
        return sum(len(proposal.changes) for proposal in self.proposals)

    @property
    def kept(self) -> dict[str, int]:
        """How many stay, by reason."""
        found = Counter(item.kept for item in self.left)
        return {kept.value: found[kept] for kept in Kept if found[kept]}

    def leave(self, what: str, kept: Kept, detail: str = "") -> None:
        """Count something that stays."""
        self.left.append(Left(what=what, kept=kept, detail=detail))
