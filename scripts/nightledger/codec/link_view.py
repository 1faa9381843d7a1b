r"""The association view, ``memory/system/hebbian-links.json``.

Invariant: one fold of outcomes, one sequence of bytes. The file is one JSON object: the key
names a link, the value is canonical JSON (RFC 8785); one link a line, sorted as RFC 8785
sorts, so that people can search it and programs can compare it.
"""

import json
from collections.abc import Iterable
from datetime import date
from typing import Any

import msgspec

from nightledger.domain.links import Link, Tally

VIEW_LINKS = 5_000
"""Links in the view at most: those of most sessions. More would help nobody who reads it, and
``recall`` reads the index, which has all."""


def dump_view(links: Iterable[Link]) -> bytes:
    """Give the bytes of the view of some links."""
    encode = msgspec.json.Encoder(order="sorted").encode
    members = {link.key: encode(link_record(link)) for link in links}
    lines = (
        json.dumps(key, ensure_ascii=False).encode() + b":" + members[key]
        for key in sorted(members, key=lambda key: key.encode("utf-16-be"))
    )
    return b"{\n" + b",\n".join(lines) + b"\n}\n" if members else b"{}\n"


def link_record(link: Link) -> dict[str, Any]:
    """Give a link as its schema has it (``schemas/hebbian-links.schema.json``)."""
    return {
        **_tally_record(link, link.best),
        "source_outcomes": list(link.best.sources),
        "co_occurrences": link.co_occurrences,
        "last_active": dump_day(link.last_day),
        "resolutions": link.resolutions,
        "rivals": [_tally_record(link, tally) for tally in link.rivals],
        "v": 1,
    }


def dump_day(ordinal: int) -> str:
    """Give a log day as it is written: ``2026-02-28``."""
    return date.fromordinal(ordinal).isoformat()


def _tally_record(link: Link, tally: Tally) -> dict[str, Any]:
    return {
        "confidence": link.confidence(tally),
        "failures": tally.failures,
        "last_active": dump_day(tally.last_day),
        "partials": tally.partials,
        "resolution_pattern": tally.resolution,
        "shown_failures": tally.shown_failures,
        "shown_successes": tally.shown_successes,
        "successes": tally.successes,
    }
