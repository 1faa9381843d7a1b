"""When each machine was last heard, and last answered: for ``channel status``; nothing rests on it."""

import os
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from nightledger.codec.canonical import canonical
from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import RecordError
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.reading import read_optional

FILE = "contacts.json"
_MAX_BYTES = 1 << 20
_TIME = "%Y-%m-%dT%H:%M:%SZ"


def read_contacts(home: Home) -> dict[str, dict[str, str]]:
    """Give by machine ``heard`` and ``answered``, RFC 3339 UTC; what cannot be read is nothing."""
    path = os.path.join(home.channel_dir, FILE)
    raw = read_optional(path, _MAX_BYTES)
    try:
        found: Any = parse_json(raw, path) if raw else {}
    except RecordError:
        return {}
    return {str(name): dict(times) for name, times in found.items() if isinstance(times, Mapping)}


def note_contact(
    home: Home, peer: str, *, heard: datetime | None = None, answered: datetime | None = None
) -> None:
    """Note that a machine sent us something that its key had signed, or answered us."""
    contacts = read_contacts(home)
    times = {"heard": heard, "answered": answered}
    new = {name: f"{at:{_TIME}}" for name, at in times.items() if at is not None}
    contacts[peer] = {**contacts.get(peer, {}), **new}
    make_dir(home.channel_dir, ignored_by_git=True)
    replace_file(os.path.join(home.channel_dir, FILE), canonical(contacts) + b"\n")
