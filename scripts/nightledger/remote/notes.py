"""What people are told of machines: messages that none took in, when each was last heard, what a command prints; nothing rests on it.

Invariant: what is told of a dead letter is a time and a count; what stands in it is shown by
``channel status`` alone.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from nightledger.codec.strict_json import read_jsonl
from nightledger.domain.errors import RefusedError, UnreadableError
from nightledger.domain.words import read_moment
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context

_MAX_TIME_BYTES = 64
_TIME = "%Y-%m-%dT%H:%M:%SZ"
MAX_BYTES = 256 << 20
TOLD_FOR = timedelta(days=7)
"""So long lists tell of a dead letter: the longest that a message may live. Our choice."""


def read_dead_letters(home: Home) -> list[dict[str, Any]]:
    """Give the messages that no machine took in, oldest first; lines that cannot be read are passed over."""
    raw = read_optional(home.dead_letters, MAX_BYTES) or b""
    values, _ = read_jsonl(raw, max_line_bytes=MAX_BYTES)
    return [value for _, value in values if isinstance(value, dict)]


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


def contact(home: Home, peer: str, kind: str) -> str | None:
    """Return when a machine was last ``heard``, or ``answered`` us, RFC 3339 UTC; None where nothing says so."""
    try:
        said = (read_optional(_contact_path(home, peer, kind), _MAX_TIME_BYTES) or b"").decode()
        return f"{read_moment(said):{_TIME}}"
    except (UnreadableError, ValueError):
        return None


def note_contact(home: Home, peer: str, kind: str, at: datetime) -> None:
    """Note that a machine sent us something that its key had signed, or answered us; where that is possible."""
    path = _contact_path(home, peer, kind)
    make_dir(os.path.dirname(path), ignored_by_git=True)
    with suppress(RefusedError):  # something else has its name: no message is held up by that
        replace_file(path, f"{at:{_TIME}}".encode())


def _contact_path(home: Home, peer: str, kind: str) -> str:
    return os.path.join(home.channel_dir, "contacts", f"{peer}.{kind}")


def tell(context: Context, record: Any, lines: Iterable[str] = (), notes: Iterable[str] = ()) -> None:
    """Print a command's record with ``--json``, else its lines; notes go to standard error.

    What other machines wrote is made visible; each line is broken to the width, and goes on further in than it begins.
    """
    context.emit(record)
    for line in lines:
        context.print_lines(_rows(line))
    for line in notes:
        for row in _rows(line):
            context.note(row)


def _rows(line: str) -> list[str]:
    text = line.lstrip(" ")
    first = line[: len(line) - len(text)]
    return screen.wrap(screen.shown(text), indent=f"{first}  ", first=first)
