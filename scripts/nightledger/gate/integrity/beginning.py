"""Compare ``home.json`` with what the log's first entry says of the home.

An agent can write that file. Which files are gated, and whether ``--now`` sets the clock, follows from the
log, whose first line is pinned; the file only tells it to whoever does not read the log.

Invariant: nothing is opened as a home that the log does not know.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from nightledger.domain.identity import Identity


def why_another(identity: Identity, genesis: Mapping[str, Any]) -> str:
    """Say where a home's record differs from what its log began with; empty where it does not.

    Args:
        identity: As the file has it.
        genesis: Fields of the first entry; none where there is no entry that counts.
    """
    found = [
        f"{name} was {before} at init, and is {now}" for name, before, now in _differences(identity, genesis)
    ]
    return "; ".join(found)


def _differences(identity: Identity, genesis: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    if not genesis:
        return
    said = {
        "origin": (genesis["origin"], identity.origin),
        "simulated": (genesis["simulated"], identity.simulated),
        "gated": ([one["path"] for one in genesis["gated"]], list(identity.gated)),
    }
    for name, (before, now) in said.items():
        if before != now:
            yield name, _told(before), _told(now)


def _told(value: object) -> str:
    """Give a value as the file would have it."""
    if isinstance(value, list):
        return f"[{', '.join(map(_told, value))}]"
    return str(value).lower() if isinstance(value, bool) else repr(value)
