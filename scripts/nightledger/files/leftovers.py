"""Temporary files that runs which died left in a home: they may hold text, and nobody misses them."""

import os
from collections.abc import Iterator
from itertools import chain

from nightledger.files.atomic import leftovers
from nightledger.files.durable import is_regular
from nightledger.files.home import Home

YOUNG_S = 3_600
"""A run that lives has written to its temporary file within the last hour."""


def find_leftovers(home: Home, *directories: str) -> Iterator[str]:
    """Return the paths of what was left wherever we write: below our directories and others, beside gated files."""
    ours = (home.memory_dir, home.audit_dir, home.config_dir, home.work_dir, *directories)
    folders = {folder for directory in ours for folder, _, _ in os.walk(directory)}
    beside = {os.path.dirname(path) for path in home.gated_paths()}
    return filter(is_regular, chain.from_iterable(map(leftovers, sorted(folders | beside))))


def remove_leftovers(home: Home, keys_dir: str, *, before: float) -> None:
    """Remove what was left in a home and in the directory of its keys; the caller holds the home's lock.

    Args:
        home: What lies beside its gated files was kept as blobs before (``gate/apply/recovering.py``).
        keys_dir: The directory of its keys.
        before: What was written to since stays, seconds since 1970.
    """
    for path in find_leftovers(home, keys_dir):
        if os.lstat(path).st_mtime < before:
            os.unlink(path)
