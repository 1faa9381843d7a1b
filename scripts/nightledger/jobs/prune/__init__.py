"""Weekly: look for what may be let go, and propose it: weak links, closed entries, old daily logs.

Reads   outcomes, the gated files, daily logs, the audit log and what it refers to
Writes  memory/state/proposals/, the audit log
Changes no memory: it proposes.

Invariant: the same home and the same day give the same proposals; one that waits is not made again.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from msgspec import Struct

from nightledger.domain.consent import SELF_MODIFICATION, Tier
from nightledger.domain.decision import Moment
from nightledger.domain.judge import MOST_DELETIONS
from nightledger.domain.links import link_key
from nightledger.domain.proposal import Op
from nightledger.domain.pruning import REFERENCED_FROM, LinkUse, by_age, is_faint, is_weak
from nightledger.files.configuration import home_zone
from nightledger.files.link_index import LinkIndex, Rules, folded_links
from nightledger.gate.forgetting.forgotten import tombstones
from nightledger.gate.forgetting.letting_go import link_use, unseen_link_deletion
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_stored
from nightledger.jobs.prune.entries import Run, Tally, prune_entries, prune_logs, read_places

__all__ = ["ACTION", "Pruned", "Tally", "prune"]

ACTION = "prune_stale_memory"
"""As the consent graph calls it."""


class Pruned(Struct, frozen=True, kw_only=True):
    """What a run did.

    Attributes:
        today: By which day ages were told.
        tallies: What became of each kind: links, entries, logs.
        reason: Why nothing at all was looked for; empty where it was.
    """

    today: date
    tallies: tuple[Tally, ...] = ()
    reason: str = ""


def prune(gate: Gate, ledger: Ledger, today: date, moment: Moment, *, dry_run: bool = False) -> Pruned:
    """Propose what may be let go; the caller holds the home's lock.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        today: The date in the home's zone by which ages are told.
        moment: The clocks.
        dry_run: Say what would be proposed and write nothing.

    Raises:
        UnreadableError: A gated file or the outcomes cannot be read.
    """
    if gate.consent.tier(SELF_MODIFICATION, ACTION) is Tier.BLOCKED:
        return Pruned(today=today, reason=f"the consent graph blocks {ACTION}")
    rules, sure = (
        Rules(zone=home_zone(gate.home, gate.settings), forgotten=tombstones(gate, ledger)),
        set[str](),
    )
    with folded_links(gate.home, rules) as index:
        links = list(_uses(index, sure))
    run = Run(
        gate=gate,
        ledger=ledger,
        today=today,
        dry_run=dry_run,
        moment=moment,
        stored=read_stored(gate, ledger.book),
        places=read_places(gate.home, sure),
    )
    return Pruned(today=today, tallies=(prune_links(run, links), prune_entries(run), prune_logs(run)))


def _uses(index: LinkIndex, sure: set[str]) -> Iterator[LinkUse]:
    """Yield how each link was used; add the ids of the outcomes on which those of .7 or more rest."""
    for one in index.every():
        if one.confidence >= REFERENCED_FROM:
            sure.update(one.link.best.sources)
        yield link_use(one)


def prune_links(run: Run, links: Sequence[LinkUse]) -> Tally:
    """Propose to delete weak links, one by one; those that are hardly believed curation asks about."""
    today = run.today
    weak = sorted((link for link in links if is_weak(link, today)), key=by_age)
    drafts = {link_key(*link.pair): unseen_link_deletion(link, today) for link in weak}
    faint = {link_key(*link.pair) for link in links if is_faint(link, today)}
    said = {change.key for item in run.stored for change in item.proposal.changes}
    fresh = {name: draft for name, draft in drafts.items() if draft.statement_key not in said}
    tally = Tally(op=Op.DELETE_LINK, looked=len(links), old=len(weak))
    free = MOST_DELETIONS - len(run.waiting(Op.DELETE_LINK))
    open_now = run.close(tally, lambda change: change.hunk.removed not in drafts.keys() | faint)
    tally.waiting = sum(change.hunk.removed in drafts for _, change in open_now)
    submissions = (
        run.submission(today.isoformat(), f"Forget the link {name}", [draft]) for name, draft in fresh.items()
    )
    run.submit(submissions, tally, free + tally.closed)
    tally.suppressed = len(weak) - len(fresh) - tally.waiting
    tally.no_room = len(fresh) - tally.proposed
    return tally
