"""Links that an agent may be told: tags and resolutions are words that anybody may have written.

Invariant: a link is told as a record that nobody signed; with it the place of the signed entry that names its resolution, where
there is one. A tag that was not asked for, and a resolution, is told as a plain identifier or not at all: words in a script without
spaces are a sentence.
"""

import re
from collections.abc import Iterator

from nightledger.domain.links import Link
from nightledger.files.link_index import LinkIndex, Recalled
from nightledger.recall.associations import read_resolutions
from nightledger.recall.visibility import Judge, read_rules
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import reading

MOST = 2_000
"""Links that are looked at, the surest: about a second. Our choice."""
_PLAIN = re.compile(r"[A-Za-z0-9_.:+@/-]{1,80}")


def told_links(context: Context, index: LinkIndex, tags: list[str]) -> list[tuple[Recalled, str]]:
    """Return the links of some tags that an agent may be told, the surest first.

    With each comes the place of the signed entry that names its resolution, ``MEMORY.md:9``; empty where none does.

    Args:
        context: The command's surroundings.
        index: The links.
        tags: Canonical, each once.

    Raises:
        NightledgerError: The home cannot be read.
    """
    found, _ = index.recall(tags, MOST)
    plain = [
        _plain(one) for one in found if all(tag in tags or _PLAIN.fullmatch(tag) for tag in one.link.pair)
    ]
    if not plain:
        return []
    with reading(context) as seen:
        judge = Judge(seen.gate.home, read_rules(seen.gate, seen.ledger), frozenset())
        accepted = read_resolutions(seen.gate, seen.ledger)
        may = [one for one in plain if judge.may_say(" ".join((*one.link.pair, *_resolutions(one))))]
        entries = [(one, accepted.find(one.link.best.resolution, one.link.pair)) for one in may]
    return [
        (one, f"{entry.path}:{entry.entry.first_line}" if entry else "")
        for one, entry in entries
        if entry or _PLAIN.fullmatch(one.link.best.resolution)
    ]


def _plain(one: Recalled) -> Recalled:
    """Return a link without the rivals that are no plain identifiers."""
    link = one.link
    told = Link(
        link.pair,
        co_occurrences=link.co_occurrences,
        tallies=[link.best, *(rival for rival in link.rivals if _PLAIN.fullmatch(rival.resolution))],
        resolutions=link.resolutions,
        last_day=link.last_day,
    )
    return Recalled(told, one.confidence, one.idle_days)


def _resolutions(one: Recalled) -> Iterator[str]:
    yield one.link.best.resolution
    yield from (rival.resolution for rival in one.link.rivals)
