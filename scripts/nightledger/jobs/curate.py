"""After each forty active hours: reinforce what proved useful, and propose to let go of what faded.

Reads   memory/system/ (outcomes, exposures, reinforcements), the gated files, audit/
Writes  memory/system/reinforcements.jsonl, proposals, the audit log
Changes no memory: it proposes.

Each period of active hours is reinforced once, however often a pass runs, and by what had
happened until its end. The constitution is reinforced with each, whether it was recalled or not.
"""

from collections.abc import Sequence

from msgspec import Struct

from nightledger.domain.curation import PERIOD_HOURS, ReinforcementKind, most_useful, periods_due
from nightledger.domain.moment import Moment
from nightledger.domain.periods import log_day
from nightledger.domain.retention import Policy, utility_of
from nightledger.files.configuration import home_zone
from nightledger.gate.forgetting.letting_go import Known, propose_faded, propose_weak
from nightledger.gate.memory.naming import signed_entries
from nightledger.gate.memory.principles import read_principles
from nightledger.gate.memory.remembering import (
    Facts,
    Remembered,
    read_facts,
    read_proofs,
    read_reinforcements,
    reinforce,
)
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_stored
from nightledger.trust.scan import collector_at_rest


class Curated(Struct, frozen=True, kw_only=True):
    """What one pass did.

    Attributes:
        periods: Periods of active hours that it reinforced, by the count at their end.
        reinforced: Entries that it reinforced, over all of them.
        constitutional_reinforced: Principles that it reinforced, over all of them.
        weak_links: Links that nothing speaks for any more.
        faded: Entries that faded.
        kept: How many of these two stay, because something speaks for them.
        proposals: Ids of the proposals that it made.
        reason: Why it did nothing, or did not propose; else empty.
    """

    periods: tuple[int, ...] = ()
    reinforced: int = 0
    constitutional_reinforced: int = 0
    weak_links: int = 0
    faded: int = 0
    kept: int = 0
    proposals: tuple[str, ...] = ()
    reason: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """What the run ledger says of it."""
        return {
            "periods": len(self.periods),
            "reinforced": self.reinforced,
            "constitutional_reinforced": self.constitutional_reinforced,
            "weak_links": self.weak_links,
            "faded": self.faded,
            "kept": self.kept,
            "proposals": len(self.proposals),
        }


def curate(gate: Gate, ledger: Ledger, moment: Moment, *, dry_run: bool = False) -> Curated:
    """Curate every period of active hours that is over; the caller holds the home's lock.

    What is proposed comes first and the lines of the ledger last: a pass that died is done again,
    and what it had proposed is not proposed twice.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        moment: The clocks.
        dry_run: Say what would be done, and write nothing.

    Raises:
        UnreadableError: A gated file or a ledger cannot be read.
    """
    with collector_at_rest():
        return _curate(gate, ledger, moment, dry_run=dry_run)


def _curate(gate: Gate, ledger: Ledger, moment: Moment, *, dry_run: bool) -> Curated:
    stored = read_stored(gate, ledger.book)
    facts = read_facts(gate, ledger, moment, stored=stored)
    last = _last_period(gate)
    periods = periods_due(facts.now_hour, last)
    if not periods:
        hours = facts.now_hour - (last or 0)
        return Curated(reason=f"{max(0, hours)} of {PERIOD_HOURS} active hours since the last pass")
    accepted = signed_entries(gate.home, ledger.book)
    signed = [one for one in facts.memories if one.placed in accepted]
    known = Known(facts=facts, signed=signed, stored=stored)
    day = log_day(moment.at, home_zone(gate.home, gate.settings))
    weak = propose_weak(gate, ledger, known, moment, day, dry_run=dry_run)
    faded = propose_faded(gate, known, moment, day, dry_run=dry_run)
    chosen = _choose(gate, ledger, facts, signed, periods)
    standing = read_principles(gate.home, ledger, moment)
    principles = [one.id for one in standing.principles] if standing else []
    for period, entries in chosen.items() if not dry_run else ():
        ids = [*entries, *principles]
        reinforce(gate.home, ReinforcementKind.CURATE, str(period), period, ids)
    return Curated(
        periods=periods,
        reinforced=sum(map(len, chosen.values())),
        constitutional_reinforced=len(principles) * len(periods),
        weak_links=weak.found,
        faded=faded.found,
        kept=weak.kept + faded.kept,
        proposals=(*weak.proposals, *faded.proposals),
        reason=faded.reason,
    )


def _last_period(gate: Gate) -> int | None:
    lines = (line for line in read_reinforcements(gate.home) if line.kind is ReinforcementKind.CURATE)
    return max((line.active_hours for line in lines), default=None)


def _choose(
    gate: Gate, ledger: Ledger, facts: Facts, signed: Sequence[Remembered], periods: Sequence[int]
) -> dict[int, tuple[str, ...]]:
    """Give the entries that each period reinforces."""
    memories = [one.memory for one in signed]
    proofs = read_proofs(gate.home, ledger.book.names, facts.hours, periods)
    return {
        period: most_useful(
            proofs[period], {memory.id: utility_of(memory, Policy.MEASURED, period) for memory in memories}
        )
        for period in periods
    }
