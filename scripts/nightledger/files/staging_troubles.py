"""What staging could not do, and since when: ``.nightledger/staged/troubles.json``.

A trouble is told when it begins, and stands in ``status`` and ``doctor`` while it lasts: staging runs 48
times a day. The marks of the operator's notifier do the same (``jobs/notify.py``).

Invariant: a file that cannot be read counts as none, so at worst a trouble is told once more.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from nightledger.codec.canonical import canonical
from nightledger.domain.errors import UnreadableError
from nightledger.domain.words import dump_moment
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.reading import read_optional

VERSION = 1
MAX_BYTES = 1 << 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something that staging could not do when it last ran.

    Attributes:
        about: What it is about, a calendar for example: its words may change while it lasts.
        what: A sentence without its end; it may name files and calendars.
        since: The first of the runs in a row that met it, RFC 3339 UTC.
    """

    about: str
    what: str
    since: str


def read_troubles(home: Home) -> tuple[Trouble, ...]:
    """Give what the last run met; nothing where all was well or nothing can be read."""
    try:
        kept = json.loads(read_optional(_path(home), MAX_BYTES, within=home.root) or b"{}")
        rows = kept["troubles"] if kept.get("v") == VERSION else ()
        told = tuple(Trouble(**{name: str(row[name]) for name in ("about", "what", "since")}) for row in rows)
        for one in told:  # half a surrogate pair could not be written again
            f"{one.about}{one.what}{one.since}".encode()
    except (UnreadableError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return ()
    return told


def keep_troubles(home: Home, found: Sequence[tuple[str, str]], now: datetime) -> tuple[str, ...]:
    """Keep what a run met, and give what the run before it did not meet.

    Nothing is written while nothing changes.

    Args:
        home: Whose.
        found: What this run met: what it is about, and its words.
        now: Aware, UTC.
    """
    before = read_troubles(home)
    since = {one.about: one.since for one in before}
    troubles = [
        Trouble(about=about, what=what, since=since.get(about, dump_moment(now)))
        for about, what in sorted(set(found))
    ]
    if tuple(troubles) != before:
        rows = [{"about": one.about, "what": one.what, "since": one.since} for one in troubles]
        make_dir(home.staged_dir)
        replace_file(_path(home), canonical({"v": VERSION, "troubles": rows}) + b"\n", disposable=True)
    return tuple(one.what for one in troubles if one.about not in since)


def _path(home: Home) -> str:
    return os.path.join(home.staged_dir, "troubles.json")
