"""Messages to other machines that were never taken in: told while they are new."""

from collections.abc import Iterator
from datetime import datetime

from nightledger.files.home import Home
from nightledger.surfaces.channel.dead_letters import recent_dead_letters, told
from nightledger.surfaces.doctor.checks import Check, note


def check_machines(home: Home, now: datetime) -> Iterator[Check]:
    """Look for dead letters of the last seven days.

    Args:
        home: Whose.
        now: Aware, UTC.
    """
    if found := recent_dead_letters(home, now):
        yield note(told(found), "nightledger channel status")
