"""How long a small file that spares cron a full look is believed.

Invariant: whoever can write the home can write such a file, and a clock that was wrong for one run
wrote it with its time; so a full look is taken once an hour at the latest, whatever stands there.
"""

from datetime import datetime

MARK_S = 3600
"""So long it is believed: whoever can write the home can write the mark."""
UNMARKED_MIN = 10
"""In the first minutes of each hour it is not believed at all: whoever writes it anew each hour would never be looked at."""


def is_believed(written_at: float, now: datetime) -> bool:
    """Tell whether a mark that names its time is believed now."""
    return 0 <= now.timestamp() - written_at < MARK_S and now.minute >= UNMARKED_MIN
