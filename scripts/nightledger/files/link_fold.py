"""Fold the whole outcome log aside: what it says about links, whatever index and view say.

Invariant: nothing of the index is read or written; what was folded is gone when it was used.
"""

import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from zoneinfo import ZoneInfo

from nightledger.codec.link_tables import Pair
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.files.link_build import build_segment
from nightledger.files.link_index import LinkIndex, open_segment
from nightledger.files.link_store import write_segment

READ_ONLY = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


@contextmanager
def folded_links(home: Home, zone: ZoneInfo, forgotten: Mapping[Pair, int]) -> Iterator[LinkIndex]:
    """Give an index of all outcomes of a home, for as long as the context lasts.

    Args:
        home: Whose.
        zone: The home's zone.
        forgotten: Deleted links, and how many outcomes there were when each was deleted.

    Raises:
        UnreadableError: When the outcome log is a link, a directory, a FIFO or a device.
        FileChangedError: When it was replaced or cut while it was read.
    """
    with (
        LineLog(home.outcomes) as log,
        tempfile.TemporaryDirectory(prefix="links-", dir=_beside(home)) as directory,
    ):
        built = build_segment(log, 0, (), zone, forgotten)
        log.require_same()
        yield LinkIndex(directory, [open_segment(directory, write_segment(directory, built.pieces))])


def _beside(home: Home) -> str | None:
    """Give a folder of the home, which has room for what it holds; None, for the system's, where it is read-only."""
    try:
        make_dir(home.work_dir, ignored_by_git=True)
    except OSError as error:
        if error.errno not in READ_ONLY:
            raise
        return None
    return home.work_dir if os.access(home.work_dir, os.W_OK) else None
