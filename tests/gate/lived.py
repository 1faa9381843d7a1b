"""Let the agent of a test's home live some active hours: one outcome in each."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.gate.homes import START, Desk
from tests.linking import lines, outcome

from nightledger.gate.naming import find_standing


def live(desk: Desk, hours: range, shown: str | list[str] = "", **fields: Any) -> None:
    """Record one outcome in each of some hours since the home began, and let the clock go on.

    Args:
        desk: The home.
        hours: Which.
        shown: What had been shown before each.
        fields: Fields of the outcomes that matter to the test.
    """
    names = [shown] if isinstance(shown, str) else shown
    records = []
    for hour in hours:
        at = f"{START.at + timedelta(hours=hour):%Y-%m-%dT%H:30:00Z}"
        values = {
            "received_at": at,
            "timestamp": at,
            "session": f"s{hour}",
            "shown": sorted(filter(None, names)),
        }
        records.append(outcome(f"{hour} {shown} {fields}", **{**values, **fields}))
    with Path(desk.home.outcomes).open("ab") as stream:
        stream.write(lines({key: value for key, value in one.items() if value != []} for one in records))
    last = START.at + timedelta(hours=hours[-1] + 1)
    desk.wait(hours=max(0.0, (last - desk.moment.at) / timedelta(hours=1)))


def name_of(desk: Desk, word: str) -> str:
    """Give the id of the one entry with a word."""
    standing = find_standing(desk.home, desk.ledger().book)
    (found,) = [name for name, placed in standing.entries.items() if word in placed.entry.text]
    return found
