"""Links that an agent may be told: tags and resolutions are words that anybody may have written.

Invariant: a resolution that no operator accepted is told as a plain identifier with its counts, marked as unsigned;
one that is no plain identifier, words in a script without spaces for example, is not told.
"""

import re
from collections.abc import Iterator

from nightledger.files.link_index import LinkIndex, Recalled
from nightledger.recall.associations import resolution_texts
from nightledger.recall.unspoken import read_rules
from nightledger.recall.withheld import Judge
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import reading

MOST = 2_000
"""Links that are looked at, the surest: about a second. Our choice."""
_PLAIN = re.compile(r"[A-Za-z0-9_.:+@/-]{1,80}")


def told_links(context: Context, index: LinkIndex, tags: list[str]) -> list[tuple[Recalled, bool]]:
    """Give the links of some tags that an agent may be told, the surest first, and whether an operator accepted each.

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
        accepted = resolution_texts(seen.gate, seen.ledger)
        told = [one for one in found if judge.may_say(" ".join((*_tags(one), *_resolutions(one))))]
        signed = [accepted.holds(one.link.best.resolution, _tags(one)) for one in told]
    return [
        (one, is_signed)
        for one, is_signed in zip(told, signed, strict=True)
        if is_signed or all(map(_PLAIN.fullmatch, _resolutions(one)))
    ]


def _tags(one: Recalled) -> tuple[str, str]:
    return one.link.first, one.link.second


def _resolutions(one: Recalled) -> Iterator[str]:
    yield one.link.best.resolution
    yield from (rival.resolution for rival in one.link.rivals)
