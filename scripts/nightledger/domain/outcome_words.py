"""The fixed words and limits of an outcome record, for code that must start fast.

The same words as the enums of ``domain/outcome.py`` and the schema (``tests/test_drift.py``).
"""

RESULTS = ("success", "partial", "failure")
ORIGINS = ("owner", "agent", "tool", "web", "group", "system", "unknown")
SIGNALS = ("explicit", "exit_code", "test", "tool_error", "user_correction", "revert")

MAX_IDENTIFIER_CHARACTERS = 80
MAX_NOTE_CHARACTERS = 2000
MAX_EVIDENCE = 32
MAX_SHOWN = 64
MAX_SHOWN_CHARACTERS = 160
MAX_DURATION_S = 31_536_000
"""A year; a longer task was not one task."""
MAX_LINE = 2**31 - 1
MAX_AHEAD_S = 300
"""How far a record's time may lie ahead of ours: clocks that are kept by NTP differ by less."""
