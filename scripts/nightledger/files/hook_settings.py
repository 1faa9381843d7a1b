"""The prompt hook's own settings: ``prompt_hook`` of a home's staging rules, read with ``json`` alone.

Invariant: what cannot be read, or is no sensible value, counts as not set; the checks with messages
are those of ``stage`` and ``doctor``. The defaults are those of ``config/staging-rules.json``.
"""

import json

from nightledger.domain.errors import UnreadableError
from nightledger.files.reading import read_regular

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from nightledger.files.home import Home

MAX_BYTES = 1 << 18


class HookSettings:
    """How much the hook says, and when.

    Attributes:
        relevance: Least score (``domain/exposure.py``) that is shown; nats.
        tokens: Budget of what is added to a prompt (``domain/exposure.py``).
        lines: How many lines at most.
    """

    __slots__ = ("lines", "relevance", "tokens")

    def __init__(self, *, relevance: float = 6.5, tokens: int = 100, lines: int = 2) -> None:
        self.relevance = relevance
        self.tokens = tokens
        self.lines = lines


_RANGES = {"relevance": (0.1, 1000.0), "tokens": (0, 2000), "lines": (0, 10)}


def read_hook_settings(home: "Home") -> HookSettings:
    """Give the settings in force; the defaults where the home sets none."""
    try:
        record = json.loads(read_regular(home.staging_rules, MAX_BYTES))["prompt_hook"]
        return HookSettings(**{name: record[name] for name in _RANGES if _is_fit(name, record.get(name))})
    except (OSError, UnreadableError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return HookSettings()


def _is_fit(name: str, value: object) -> bool:
    least, most = _RANGES[name]
    kinds = (int, float) if name == "relevance" else (int,)
    return isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most
