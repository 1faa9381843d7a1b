"""When each machine was last heard, and last answered: for ``channel status``; nothing rests on it."""

import os
from contextlib import suppress
from datetime import datetime
from typing import Any

from nightledger.codec.canonical import canonical
from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import RecordError, RefusedError, UnreadableError
from nightledger.domain.words import read_moment, read_text
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.reading import read_optional

FILE = "contacts.json"
_MAX_BYTES = 1 << 20
_KINDS = ("heard", "answered")
_TIME = "%Y-%m-%dT%H:%M:%SZ"


def read_contacts(home: Home) -> dict[str, dict[str, str]]:
    """Give by machine ``heard`` and ``answered``, RFC 3339 UTC; of a file that is not as we write it nothing."""
    path = os.path.join(home.channel_dir, FILE)
    try:
        raw = read_optional(path, _MAX_BYTES)
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
