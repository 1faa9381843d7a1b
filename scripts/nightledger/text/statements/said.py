"""What somebody said in a session, without what hosts and tools put in: prose, line by line.

Invariant: code, output, quotations, secrets, and blocks of hosts, other tools and ourselves are left out; when in doubt a line is.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from nightledger.domain.consolidation import Region
from nightledger.text.scanners.scan import mask_secrets
from nightledger.text.statements.daylog import TURN, find_regions

MOST_CHARACTERS = 20_000
"""Of one message that are looked at: more is pasted. Our choice."""
MOST_LINES = 60
"""Of one message that are kept. Our choice."""
_MASKED = "[masked: "
"""What stood beside a secret is not kept: nothing would be learned from it."""
_KEPT = (Region.PROSE, Region.HEADING)


def prose_of(text: str, injected: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the lines of a message that may be learned from, one empty line where others were left out.

    Lines that hold a secret are left out, and lines that would look like another's turn.

    Args:
        text: A message as its host keeps it.
        injected: ``tags`` around what hosts and tools put in, and how such messages ``begin``.
    """
    text = _tags(injected["tags"]).sub("\n", text.replace("\r\n", "\n")).strip("\n")
    if text.lstrip().startswith(injected["begins"]):
        return []
    text, cut = text[:MOST_CHARACTERS], text[MOST_CHARACTERS:]
    lines = mask_secrets(text).split("\n")
    # a paste ends where it ends, not at the cut
    regions = find_regions([*lines, *cut.split("\n")], len(lines))
    kept: list[str] = []
    for line, region in zip(lines, regions, strict=True):
        if region in _KEPT and not (_MASKED in line or TURN.match(line)):
            kept.append(line.replace("\r", " ").rstrip())
        elif kept and kept[-1]:
            kept.append("")
    while kept and not kept[-1]:
        kept.pop()
    return kept[:MOST_LINES]


@lru_cache(maxsize=4)
def _tags(names: tuple[str, ...]) -> "re.Pattern[str]":
    """Return what finds each tag with all that stands in it; one that is not closed goes on to the end.

    What a host quotes there may hold the closing tag itself: a block goes on to the last one before another opens.
    """
    either = "|".join(re.escape(name).replace(r"\*", r"[\w-]+") for name in names)
    end = r"</\1>(?:(?:(?!<\1[\s>]).)*?</\1>)*"
    return re.compile(rf"<({either})(?:\s[^<>]*)?>.*?(?:{end}|\Z)", re.DOTALL | re.IGNORECASE)
