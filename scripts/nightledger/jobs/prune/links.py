"""Which links may be deleted, and which outcomes the sure ones rest on.

Invariant: links are folded from the outcomes here and now; the index and the view are not believed.
"""

from collections.abc import Collection, Iterator
from datetime import date
from zoneinfo import ZoneInfo

from msgspec import Struct

from nightledger.domain.lanes import MOST_DELETIONS
from nightledger.domain.links import Pair, link_key
from nightledger.domain.proposal import Draft, Op
from nightledger.domain.pruning import REFERENCED_FROM, Kept, LinkUse, find_weak, is_weak
from nightledger.files.home import Home
from nightledger.files.link_index import LinkIndex, folded_links
from nightledger.gate.forgetting.letting_go import link_use, unseen_link_deletion
from nightledger.jobs.prune.frame import Run, Tally


class Looked(Struct, frozen=True, kw_only=True):
    """What a look at all links found.

    Attributes:
        links: How many there are.
        bridges: How many are weak and old, and stay because they hold groups together.
        weak: Those that may be deleted, the longest unseen first.
        faint: Names of those that occurred more often and may be deleted all the same: curation asks about them.
        answered: How many of them were proposed before, waiting ones among them.
        sources: Ids of the outcomes behind those that are proposed first, by their tags.
        sure: Ids of the outcomes on which links with a confidence of .7 or more rest.
    """

    links: int
    bridges: int
    weak: tuple[LinkUse, ...]
    faint: frozenset[str]
    answered: int
    sources: dict[Pair, tuple[str, ...]]
    sure: frozenset[str]


def look_at_links(
    home: Home, zone: ZoneInfo, forgotten: dict[Pair, int], today: date, said: Collection[str], most: int
) -> Looked:
    """Look at all links of a home.

    Args:
        home: Whose.
        zone: The home's zone.
        forgotten: Deleted links, and how many outcomes there were when each was deleted.
        today: The date in the home's zone.
        said: Keys of what was proposed before.
        most: How many are to be proposed.
    """
    sure: set[str] = set()
    with folded_links(home, zone, forgotten) as index:
        found = find_weak(_uses(index, sure), today)
        weak = tuple(link for link in found.removable if is_weak(link, today))
        fresh = [link for link in weak if unseen_link_deletion(link, today).statement_key not in said]
        behind = {link.pair: index.link(*link.pair) for link in fresh[:most]}
    return Looked(
        links=found.links,
        bridges=sum(is_weak(link, today) for link in found.bridges),
        weak=weak,
        faint=frozenset(link_key(*link.pair) for link in found.removable if not is_weak(link, today)),
        answered=len(weak) - len(fresh),
        sources={pair: link.best.sources if link else () for pair, link in behind.items()},
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
    tally = Tally(op=Op.DELETE_LINK, looked=links.links, old=len(links.weak) + links.bridges)
    for _ in range(links.bridges):
        tally.leave("", Kept.BRIDGE)
    free = MOST_DELETIONS - len(run.waiting(Op.DELETE_LINK))
    open_now = run.close(tally, lambda change: change.hunk.removed not in weak | links.faint)
    tally.waiting = sum(change.hunk.removed in weak for _, change in open_now)
    fresh = (link for link in links.weak if link.pair in links.sources)
    submissions = (
        run.submission(
            today.isoformat(), f"Forget the link {link_key(*link.pair)}", [_draft(run, link, links)]
        )
        for link in fresh
    )
    run.submit(submissions, tally, free + tally.closed)
    tally.suppressed = links.answered - tally.waiting
    tally.no_room = len(links.weak) - links.answered - tally.proposed
    return tally


def _draft(run: Run, link: LinkUse, links: Looked) -> Draft:
    cited = (run.told.cited.get(name) for name in links.sources[link.pair])
    return unseen_link_deletion(link, run.asked.today, evidence=tuple(filter(None, cited)))
