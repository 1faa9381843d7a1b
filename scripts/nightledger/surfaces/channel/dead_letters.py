"""Messages that no machine took in: kept with the reason, and told of while they are new.

Invariant: what is told is a time and a count; what stands in a letter is shown by
``channel status`` alone.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from nightledger.codec.strict_json import read_jsonl
from nightledger.domain.words import read_moment
from nightledger.files.home import Home
from nightledger.files.reading import read_optional

MAX_BYTES = 256 << 20
TOLD_FOR = timedelta(days=7)
"""So long lists tell of a dead letter: the longest that a message may live. Our choice."""


def read_dead_letters(home: Home) -> list[dict[str, Any]]:
    """Give the messages that no machine took in, oldest first; lines that cannot be read are passed over."""
    raw = read_optional(home.dead_letters, MAX_BYTES) or b""
    return [
        line.value for line in read_jsonl(raw, max_line_bytes=MAX_BYTES).lines if isinstance(line.value, dict)
    ]


def recent_dead_letters(home: Home, now: datetime) -> tuple[datetime, ...]:
    """Give when each message became a dead letter, of those of the last seven days, oldest first.

    Args:
        home: Which sent them.
        now: Aware, UTC.
    """
    return tuple(sorted(min(at, now) for at in _times(home) if at > now - TOLD_FOR))


def told(found: tuple[datetime, ...]) -> str:
    """Say in one sentence that messages were never taken in.

    Args:
        found: When each became a dead letter; at least one.
    """
    messages = "1 message was" if len(found) == 1 else f"{len(found)} messages were"
    return f"{messages} never taken in by another machine, the last on {found[-1]:%Y-%m-%d}"


def _times(home: Home) -> Iterator[datetime]:
    for letter in read_dead_letters(home):
        try:
            yield read_moment(str(letter.get("dead_lettered_at")))
        except ValueError:
            continue
