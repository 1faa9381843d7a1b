"""Links that an agent may be told: tags and resolutions are words that anybody may have written."""

from nightledger.files.link_index import LinkIndex, Recalled
from nightledger.recall.unspoken import read_rules
from nightledger.recall.withheld import Judge
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import reading

MOST = 2_000
"""Links that are looked at, the surest: about a second. Our choice."""


def told_links(context: Context, index: LinkIndex, tags: list[str]) -> list[Recalled]:
    """Give the links of some tags that an agent may be told, the surest first.

    Args:
        context: The command's surroundings.
        index: The links.
        tags: Canonical, each once.

    Raises:
        NightledgerError: The home cannot be read.
    """
    found, _ = index.recall(tags, MOST)
    if not found:
        return []
    with reading(context) as seen:
        judge = Judge(seen.gate.home, read_rules(seen.gate, seen.ledger), frozenset())
        return [one for one in found if judge.may_say(_words(one))]


def _words(one: Recalled) -> str:
    link = one.link
    return " ".join(
        (link.first, link.second, link.best.resolution, *(rival.resolution for rival in link.rivals))
    )
