"""Options that several verbs read; plain, because help and tags load them, too."""

from datetime import date

from nightledger.domain.errors import UsageError
from nightledger.domain.words import read_tag

FILTERS = {
    "--since": ("DATE", "only what is dated from this day on: 2026-02-28"),
    "--until": ("DATE", "only what is dated up to this day"),
    "--any-time": "search all times, though the query names one: it is preferred then",
    "--scope": ("KINDS", "where to look: memory,daily,archive,outcome,handoff,principle"),
    "--agent": "answer as an agent is answered",
}
"""What narrows a query."""


def read_day(text: str | None, option: str) -> date | None:
    """Give the day that an option names; None where it was not given.

    Raises:
        UsageError: It is none.
    """
    if text is None:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:  # ISO 8601 has weeks, and dates without dashes, too
        raise UsageError(f"{option} {text!r} is not a date", hint="write it as 2026-02-28")
    return day


def read_tags(text: str) -> tuple[str, ...]:
    """Give canonical tags, sorted, of ``cron,time_zone``.

    Raises:
        UsageError: One is none.
    """
    try:
        return tuple(sorted({read_tag(tag) for tag in text.split(",")}))
    except ValueError as error:
        raise UsageError(f"--tags: {error}", hint="write them as cron,time_zone") from error
