"""Weekly: look for what may be let go, and propose it: weak links, closed entries, old daily logs.

Reads   outcomes, the gated files, daily logs, the audit log and what it refers to
Writes  memory/state/proposals/, the audit log
Changes no memory: it proposes.

Invariant: the same home and the same day give the same proposals; one that waits is not made again.
"""

from collections.abc import Collection, Iterator
from datetime import date
from functools import partial
from zoneinfo import ZoneInfo

from msgspec import Struct

from nightledger.domain.consent import SELF_MODIFICATION, Tier
from nightledger.domain.decision import Moment
from nightledger.domain.judge import MOST_DELETIONS
from nightledger.domain.links import Pair, link_key
from nightledger.domain.proposal import Op
from nightledger.domain.pruning import REFERENCED_FROM, LinkUse, by_age, is_faint, is_weak
from nightledger.files.configuration import home_zone
from nightledger.files.home import Home
from nightledger.files.link_index import LinkIndex, Rules, folded_links
from nightledger.gate.forgetting.forgotten import tombstones
from nightledger.gate.forgetting.letting_go import link_use, unseen_link_deletion
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_stored
from nightledger.jobs.prune.entries import prune_entries, prune_logs
from nightledger.jobs.prune.frame import EVERYTHING, Asked, Run, Tally, read_places

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
    stored = read_stored(gate, ledger.book)
    said = {change.key for item in stored for change in item.proposal.changes}
    zone = home_zone(gate.home, gate.settings)
    links = look_at_links(gate.home, zone, tombstones(gate, ledger), asked.today, said)
    places = read_places(gate.home, links.sure)
    run = Run(gate=gate, ledger=ledger, asked=asked, moment=moment, stored=stored, places=places)
    parts = {
        Op.DELETE_LINK: partial(prune_links, run, links),
        Op.ARCHIVE: partial(prune_entries, run),
        Op.COMPRESS: partial(prune_logs, run),
    }
    return Pruned(today=asked.today, tallies=tuple(parts[op]() for op in EVERYTHING if op in asked.ops))


class Looked(Struct, frozen=True, kw_only=True):
    """What a look at all links found.

    Attributes:
        links: How many there are.
        weak: Those that may be deleted, the longest unseen first.
        faint: Names of those that are hardly believed: curation asks about them.
        fresh: Those of them that were not proposed before.
        sure: Ids of the outcomes on which links with a confidence of .7 or more rest.
    """

    links: int
    weak: tuple[LinkUse, ...]
    faint: frozenset[str]
    fresh: tuple[LinkUse, ...]
    sure: frozenset[str]


def look_at_links(
    home: Home, zone: ZoneInfo, forgotten: dict[Pair, int], today: date, said: Collection[str]
) -> Looked:
    """Look at all links of a home.

    Args:
        home: Whose.
        zone: The home's zone.
        forgotten: Deleted links, and how many outcomes there were when each was deleted.
        today: The date in the home's zone.
        said: Keys of what was proposed before.
    """
    sure: set[str] = set()
    with folded_links(home, Rules(zone=zone, forgotten=forgotten)) as index:
        links = list(_uses(index, sure))
    weak = tuple(sorted((link for link in links if is_weak(link, today)), key=by_age))
    return Looked(
        links=len(links),
        weak=weak,
        faint=frozenset(link_key(*link.pair) for link in links if is_faint(link, today)),
        fresh=tuple(link for link in weak if unseen_link_deletion(link, today).statement_key not in said),
        sure=frozenset(sure),
    )


def _uses(index: LinkIndex, sure: set[str]) -> Iterator[LinkUse]:
    for one in index.every():
        if one.confidence >= REFERENCED_FROM:
            sure.update(one.link.best.sources)
        yield link_use(one)


def prune_links(run: Run, links: Looked) -> Tally:
    """Propose to delete weak links, one by one."""
    today, weak = run.asked.today, {link_key(*link.pair) for link in links.weak}
    tally = Tally(op=Op.DELETE_LINK, looked=links.links, old=len(links.weak))
    free = MOST_DELETIONS - len(run.waiting(Op.DELETE_LINK))
    open_now = run.close(tally, lambda change: change.hunk.removed not in weak | links.faint)
    tally.waiting = sum(change.hunk.removed in weak for _, change in open_now)
    submissions = (
        run.submission(
            today.isoformat(), f"Forget the link {link_key(*link.pair)}", [unseen_link_deletion(link, today)]
        )
        for link in links.fresh
    )
    run.submit(submissions, tally, free + tally.closed)
    tally.suppressed = len(links.weak) - len(links.fresh) - tally.waiting
    tally.no_room = len(links.fresh) - tally.proposed
    return tally
