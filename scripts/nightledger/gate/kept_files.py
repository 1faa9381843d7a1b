"""The files that a change may write beside gated ones: daily logs and the archive.

Invariant: none of them is reached through a link, and none is a gated or protected file under
another name; ``domain/kept.py`` says which of them which change may write.
"""

import os

from nightledger.domain.errors import RefusedError
from nightledger.domain.kept import LINKS, Places, is_archive, is_copy, is_daily_log
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.gate.gated import MAX_GATED_BYTES, protected_paths, read_gated, require_gateable
from nightledger.hosts.presets import preset


def places_of(home: Home) -> Places:
    """Return where a home keeps what changes may write."""
    return Places(gated=home.identity.gated, daily=preset(home.identity.host).daily)


def is_gated(home: Home, relative: str) -> bool:
    """Return whether a file is one of which the log holds the bytes accepted last."""
    return relative in home.identity.gated


def read_target(home: Home, relative: str) -> bytes:
    """Return the bytes of a file that a change may write; none where it is missing, and of the links.

    Raises:
        UnreadableError: It is not a regular file of this home, or too large.
        RefusedError: No change may write it, or it is a gated or protected file under another name.
    """
    if is_gated(home, relative):
        return read_gated(home, relative)
    if relative == LINKS:
        return b""
    require_kept(home, relative)
    path = home.path(relative)
    return read_regular(path, MAX_GATED_BYTES) if os.path.lexists(path) else b""


def require_kept(home: Home, relative: str) -> None:
    """Refuse a path that is neither a daily log nor in the archive, or that leads elsewhere.

    Raises:
        RefusedError: With the reason.
    """
    if not (is_archive(relative) or is_copy(relative) or is_daily_log(relative, places_of(home).daily)):
        raise RefusedError(f"{relative} is neither a daily log nor in the archive of this home")
    require_gateable(home, relative)
    path = home.path(relative)
    if os.path.realpath(path) != os.path.join(os.path.realpath(home.root), relative):
        raise RefusedError(f"{relative} is reached through a link, which the gate does not follow there")
    for other in (*home.gated_paths(), *protected_paths(home)):
        if os.path.lexists(path) and os.path.exists(other) and os.path.samefile(path, other):
            raise RefusedError(f"{relative} is really {home.relative(other)}")
