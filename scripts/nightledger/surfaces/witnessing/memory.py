"""What a home remembers of asking its witnesses: disposable, and nothing rests on it.

``.nightledger/witnesses.json``. Invariant: where it is missing, damaged or from another time,
witnesses are asked as if for the first time.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from nightledger.domain.errors import NightledgerError
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.reading import read_optional

FILE = "witnesses.json"
MARK = "witness-due"
"""Disposable: when to ask next; its presence says that there is somebody to ask."""
REFRESH_S = 6 * 3600
"""A head that did not grow is cosigned again after this, so that 24 hours are never reached. Our choice."""
_FIRST_RETRY_S = 60
_LAST_RETRY_S = 3600
_MAX_BYTES = 1 << 18
_MAX_SHIFT = 10
_MOST = 1 << 53
"""No time and no size is larger; the sum of one of 4,300 digits could not be written down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What came of asking one witness.

    Attributes:
        asked_at: When it was last asked, seconds since 1970 UTC by our clock; 0 for never.
        size: The size that it cosigned last, as far as is known.
        failures: How often in a row it gave no line.
        problem: Why, the last time.
        refused: Whether it said then that this log does not continue what it remembers, and showed no head.
        contradiction: What it remembers that this log does not continue; empty where nothing.
        taken: Over a spool, hash of the request whose answer was taken last.
    """

    asked_at: int = 0
    size: int = 0
    failures: int = 0
    problem: str = ""
    refused: bool = False
    contradiction: str = ""
    taken: str = ""

    def next_s(self) -> int:
        """Give when it is to be asked again though the log did not grow, seconds since 1970 UTC; 0 for at once."""
        if not self.asked_at:
            return 0
        if not self.failures:
            return self.asked_at + REFRESH_S
        return self.asked_at + min(_LAST_RETRY_S, _FIRST_RETRY_S << min(self.failures - 1, _MAX_SHIFT))

    def is_due(self, now: datetime, size: int, *, refresh: bool) -> bool:
        """Tell whether to ask it now.

        Args:
            now: Aware.
            size: Size of the newest head.
            refresh: Whether a fresh time is needed even for a head that it cosigned.
        """
        if not self.asked_at <= now.timestamp() < self.next_s():
            return True
        return not self.failures and (refresh or self.size != size)


def read_memory(home: Home) -> dict[str, Remembered]:
    """Read what is remembered, by the names of the witnesses' keys."""
    try:
        raw = read_optional(os.path.join(home.work_dir, FILE), _MAX_BYTES, within=home.root)
        found = json.loads(raw or b"{}")
        return {str(name): _parse(values) for name, values in found.items()}
    except (NightledgerError, ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return {}


def write_memory(home: Home, memory: Mapping[str, Remembered]) -> None:
    """Write down what is to be remembered, and beside it when to ask next."""
    make_dir(home.work_dir)
    values = {name: asdict(remembered) for name, remembered in memory.items()}
    replace_file(os.path.join(home.work_dir, FILE), json.dumps(values, sort_keys=True).encode("ascii"))
    next_at = min((remembered.next_s() for remembered in memory.values()), default=0)
    replace_file(os.path.join(home.work_dir, MARK), f"{next_at}\n".encode("ascii"))


def _parse(values: Mapping[str, Any]) -> Remembered:
    """Read one; what another version wrote otherwise is as if it were not there."""
    blank = asdict(Remembered())
    for name, value in values.items():
        if type(value) is not type(blank[name]) or (isinstance(value, int) and not 0 <= value <= _MOST):
            raise TypeError(name)
    return Remembered(**values)
