"""What the ledgers of a test's home hold of its agent's life: outcomes, and what was shown before them."""

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.gate.homes import START, Desk
from tests.linking import lines, outcome

from nightledger.files.home import Home
from nightledger.gate.naming import find_standing


def live(desk: Desk, hours: range, shown: str = "", **fields: Any) -> None:
    """Record one outcome in each of some hours since the home began, and let the clock go on.

    Args:
        desk: The home.
        hours: Which.
        shown: What had been shown before each.
        fields: Fields of the outcomes that matter to the test.
    """
    records = []
    for hour in hours:
        at = f"{START.at + timedelta(hours=hour):%Y-%m-%dT%H:30:00Z}"
        values = {"received_at": at, "timestamp": at, "session": f"s{hour}"} | (
            {"shown": [shown]} if shown else {}
        )
        records.append(outcome(f"{hour} {shown} {fields}", **{**values, **fields}))
    with Path(desk.home.outcomes).open("ab") as stream:
        stream.write(lines(records))
    last = START.at + timedelta(hours=hours[-1] + 1)
    desk.wait(hours=max(0.0, (last - desk.moment.at) / timedelta(hours=1)))


def name_of(desk: Desk, word: str) -> str:
    """Give the id of the one entry with a word."""
    standing = find_standing(desk.home, desk.ledger().book)
    (found,) = [name for name, placed in standing.entries.items() if word in placed.entry.text]
    return found


def add_outcome(home: Home, at: datetime, *shown: str, **fields: Any) -> None:
    """Append a line that the reader of uses takes for an outcome."""
    stamp = f"{at:%Y-%m-%dT%H:%M:%SZ}"
    record = {"received_at": stamp, "timestamp": stamp, "session": stamp, "shown": list(shown)}
    _append(home.outcomes, {"task_type": "deploy", "outcome": "success", **record, **fields})


def add_exposure(home: Home, at: datetime, *shown: str) -> None:
    """Append an exposure."""
    _append(home.exposures, {"at": f"{at:%Y-%m-%dT%H:%M:%SZ}", "shown": list(shown)})


def _append(path: str, record: dict[str, Any]) -> None:
    with Path(path).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record) + "\n")
