"""Outcomes and exposures as the ledgers hold them, for tests of what came of showing an entry."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from nightledger.files.home import Home


def add_outcome(home: Home, at: datetime, *shown: str, **fields: Any) -> None:
    """Append a line that the reader of uses takes for an outcome."""
    stamp = f"{at:%Y-%m-%dT%H:%M:%SZ}"
    record = {
        "received_at": stamp,
        "timestamp": stamp,
        "task_type": "deploy",
        "outcome": "success",
        "session": stamp,
        "shown": list(shown),
        **fields,
    }
    _append(home.outcomes, record)


def add_exposure(home: Home, at: datetime, *shown: str) -> None:
    """Append an exposure."""
    _append(home.exposures, {"at": f"{at:%Y-%m-%dT%H:%M:%SZ}", "shown": list(shown)})


def _append(path: str, record: dict[str, Any]) -> None:
    with Path(path).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(record) + "\n")
