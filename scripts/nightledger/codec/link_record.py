"""A link as a record: what the view holds under its name, and ``recall --json`` gives.

Standard library only and cheap to import: ``recall`` starts here.
"""

from datetime import date

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from typing import Any

    from nightledger.domain.links import Link, Tally


def link_record(link: "Link") -> "dict[str, Any]":
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


def _tally_record(link: "Link", tally: "Tally") -> "dict[str, Any]":
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
