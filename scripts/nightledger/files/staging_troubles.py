"""What staging could not do, and since when: ``.nightledger/staged/troubles.json``.

A trouble is told when it begins, and stands in ``status`` and ``doctor`` while it lasts: staging runs 48
times a day. The marks of the operator's notifier do the same (``jobs/notify.py``).

Invariant: a file that cannot be read counts as none, so at worst a trouble is told once more.
"""

import os
from collections.abc import Sequence
from datetime import datetime

import msgspec

from nightledger.domain.errors import UnreadableError
from nightledger.domain.words import dump_moment
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir, read_optional
from nightledger.files.home import Home

VERSION = 1
MAX_BYTES = 1 << 18


class Trouble(msgspec.Struct, frozen=True):
    """Something that staging could not do when it last ran.

    Attributes:
        about: What it is about, a calendar for example: its words may change while it lasts.
        what: A sentence without its end; it may name files and calendars.
        since: The first of the runs in a row that met it, RFC 3339 UTC.
    """

    about: str
    what: str
    since: str


class _Kept(msgspec.Struct):
    v: int
    troubles: tuple[Trouble, ...]


def read_troubles(home: Home) -> tuple[Trouble, ...]:
    """Return what the last run met; nothing where all was well or nothing can be read."""
    try:
        kept = msgspec.json.decode(read_optional(_path(home), MAX_BYTES, within=home.root) or b"", type=_Kept)
    except (UnreadableError, ValueError, RecursionError):
        return ()
    return kept.troubles if kept.v == VERSION else ()


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
    troubles = tuple(
        Trouble(about=about, what=what, since=since.get(about, dump_moment(now)))
        for about, what in sorted(set(found))
    )
    if troubles != before:
        make_dir(home.staged_dir)
        content = msgspec.json.encode(_Kept(v=VERSION, troubles=troubles), order="sorted")
        replace_file(_path(home), content + b"\n", disposable=True)
    return tuple(one.what for one in troubles if one.about not in since)


def _path(home: Home) -> str:
    return os.path.join(home.staged_dir, "troubles.json")
