"""Messages that no machine took in, and when each machine was last heard and last answered: for people; nothing rests on it.

Invariant: what is told of a dead letter is a time and a count; what stands in it is shown by
``channel status`` alone.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from nightledger.codec.canonical import canonical
from nightledger.codec.strict_json import parse_json, read_jsonl
from nightledger.domain.errors import RecordError, RefusedError, UnreadableError
from nightledger.domain.words import read_moment, read_text
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.reading import read_optional

FILE = "contacts.json"
_MAX_CONTACTS_BYTES = 1 << 20
_KINDS = ("heard", "answered")
_TIME = "%Y-%m-%dT%H:%M:%SZ"
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


def read_contacts(home: Home) -> dict[str, dict[str, str]]:
    """Give by machine ``heard`` and ``answered``, RFC 3339 UTC; of a file that is not as we write it nothing."""
    path = os.path.join(home.channel_dir, FILE)
    try:
        raw = read_optional(path, _MAX_CONTACTS_BYTES)
        found: Any = parse_json(raw, path) if raw else {}
        contacts = {
            read_text(name): {kind: str(times[kind]) for kind in _KINDS if kind in times}
            for name, times in found.items()
        }
        for at in (at for times in contacts.values() for at in times.values()):
            read_moment(at)
    except (RecordError, UnreadableError, ValueError, TypeError, AttributeError):
        return {}
    return contacts


def note_contact(
    home: Home, peer: str, *, heard: datetime | None = None, answered: datetime | None = None
) -> None:
    """Note that a machine sent us something that its key had signed, or answered us; where that is possible."""
    contacts = read_contacts(home)
    times = {"heard": heard, "answered": answered}
    new = {name: f"{at:{_TIME}}" for name, at in times.items() if at is not None}
    contacts[peer] = {**contacts.get(peer, {}), **new}
    make_dir(home.channel_dir, ignored_by_git=True)
    with suppress(RefusedError):  # something else has its name: no message is held up by that
        replace_file(os.path.join(home.channel_dir, FILE), canonical(contacts) + b"\n")
