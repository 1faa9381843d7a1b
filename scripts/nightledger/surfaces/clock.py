"""The only code that reads the clock.

Everything below takes ``now`` as an argument, so that a rerun gives the same bytes.
"""

import time
from datetime import UTC, datetime

from nightledger.domain.errors import UsageError

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from nightledger.domain.decision import Moment

BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id"
"""Linux, proc_sys_kernel(5): a UUID made anew at each boot."""

YEARS = range(1971, 3000)
"""Of a time that is given: before and after them "999 years ago" and the end of a month still lie in the calendar."""


def system_now() -> datetime:
    """Give the wall clock, aware, in UTC, to the microsecond."""
    return datetime.now(UTC)  # noqa: TID251 - this is the one place


def system_moment() -> "Moment":
    """Read the wall clock and the boot clock."""
    from nightledger.domain.decision import Moment

    boot, boot_s = boot_clock()
    return Moment(at=system_now(), boot=boot, boot_s=boot_s)


def parse_now(text: str) -> datetime:
    """Read the argument of ``--now``.

    Raises:
        UsageError: When it is not RFC 3339 with a zone, or of a year from which days cannot be counted both ways.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"--now {text!r} is not a time", hint="write it as 2026-03-01T07:30:00Z") from error
    if moment.tzinfo is None:
        raise UsageError(f"--now {text!r} has no zone", hint="end it with Z or an offset such as +01:00")
    if moment.year not in YEARS or moment.astimezone(UTC).year not in YEARS:
        raise UsageError(
            f"--now {text!r} is too far away", hint=f"give a year from {YEARS[0]} to {YEARS[-1]}"
        )
    return moment.astimezone(UTC)


def boot_clock() -> tuple[str, int]:
    """Give a name of this boot and the whole seconds since it, suspend included.

    The name is empty and the count 0 where the system does not tell (macOS has no boot id).
    """
    try:
        with open(BOOT_ID_FILE, encoding="ascii") as stream:
            boot = stream.read(64).strip()
        return boot, int(time.clock_gettime(time.CLOCK_BOOTTIME))
    except (OSError, AttributeError):
        return "", 0
