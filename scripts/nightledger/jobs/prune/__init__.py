"""Weekly: look for what may be let go, and propose it: weak links, closed entries, old daily logs.

Reads   outcomes, the gated files, daily logs, the audit log and what it refers to
Writes  memory/state/proposals/, the audit log
Changes no memory: it proposes.

Invariant: the same home and the same day give the same proposals; one that waits is not made again.
"""

from datetime import date
from functools import partial

from msgspec import Struct

from nightledger.domain.consent import SELF_MODIFICATION, Tier
from nightledger.domain.lanes import MOST_DELETIONS
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Op
from nightledger.domain.pruning import clock_problem
from nightledger.files.configuration import home_zone
from nightledger.gate.forgetting.forgotten import tombstones
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_stored
from nightledger.jobs.prune.entries import prune_entries
from nightledger.jobs.prune.frame import EVERYTHING, Asked, Run, Tally, read_told
from nightledger.jobs.prune.links import look_at_links, prune_links
from nightledger.jobs.prune.logs import prune_logs

__all__ = ["ACTION", "EVERYTHING", "Asked", "Pruned", "Tally", "prune"]

ACTION = "prune_stale_memory"
"""As the consent graph calls it."""


class Pruned(Struct, frozen=True, kw_only=True):
    """What a run did.

    Attributes:
        today: By which day ages were told.
        tallies: What became of each kind that was asked for.
        reason: Why nothing at all was looked for; empty where it was.
    """

    today: date
    tallies: tuple[Tally, ...] = ()
    reason: str = ""


def prune(gate: Gate, ledger: Ledger, asked: Asked, moment: Moment) -> Pruned:
    """Propose what may be let go; the caller holds the home's lock.

    Raises:
        UnreadableError: A gated file or the outcomes cannot be read.
    """
    if gate.consent.tier(SELF_MODIFICATION, ACTION) is Tier.BLOCKED:
        return Pruned(today=asked.today, reason=f"the consent graph blocks {ACTION}")
    newest = ledger.log.newest  # the time in an outcome is its writer's word
    if problem := clock_problem(moment.at, newest.at if newest else None):
        return Pruned(today=asked.today, reason=f"{problem}: by such a clock nothing is old")
    stored = read_stored(gate, ledger.book)
    said = {change.key for item in stored for change in item.proposal.changes}
    zone, forgotten = home_zone(gate.home, gate.settings), tombstones(gate, ledger)
    links = look_at_links(gate.home, zone, forgotten, asked.today, said, MOST_DELETIONS)
    named = {name for sources in links.sources.values() for name in sources}
    told = read_told(gate.home, links.sure, named)
    run = Run(gate=gate, ledger=ledger, asked=asked, moment=moment, stored=stored, told=told)
    parts = {
        Op.DELETE_LINK: partial(prune_links, run, links),
        Op.ARCHIVE: partial(prune_entries, run),
        Op.COMPRESS: partial(prune_logs, run),
    }
    return Pruned(today=asked.today, tallies=tuple(parts[op]() for op in EVERYTHING if op in asked.ops))
