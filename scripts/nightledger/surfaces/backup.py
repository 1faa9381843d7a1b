"""What of a home goes into a backup.

Invariant: everything that is a home's record and nothing disposable; no private key
unless it was asked for.
"""

import os
import stat
from collections.abc import Iterator

from msgspec import Struct

from nightledger.files.archive import Source
from nightledger.files.atomic import TEMP_SUFFIX
from nightledger.files.home import Home
from nightledger.files.reading import is_within
from nightledger.hosts.daylogs import find_daylogs
from nightledger.hosts.presets import preset
from nightledger.trust import keys, pin

HOME = "home"
KEYS = "keys"
PUBLIC = (pin.FILE, pin.HEAD_FILE, f"{keys.OPERATOR}.pub", f"{keys.MACHINE_ED25519}.pub")
"""What anybody may see of the keys' directory; ``verify`` needs the first two."""
IGNORED = ".gitignore"
PRIVATE = (keys.LOG_ED25519, keys.LOG_MLDSA44, keys.MACHINE_ED25519, keys.OPERATOR)


class Contents(Struct, frozen=True, kw_only=True):
    """What goes into a backup.

    Attributes:
        sources: Files.
        skipped: Names, relative to the home, of what is no regular file of the home and was left out.
        linked: Directories of ours that are links; what lies there is among the sources.
    """

    sources: tuple[Source, ...]
    skipped: tuple[str, ...]
    linked: tuple[str, ...] = ()


def contents_of(home: Home, ring: keys.KeyRing, *, with_keys: bool) -> Contents:
    """List what goes into a backup.

    Args:
        home: Whose.
        ring: Where its keys live.
        with_keys: Private keys, too.
    """
    names = set(_tree(home)) | set(_memory(home))
    sources, skipped = [], []
    for name in sorted(names):
        path = os.path.realpath(home.path(name)) if name in home.identity.gated else home.path(name)
        if stat.S_ISREG(os.lstat(path).st_mode) and _is_of(home, ring, name):
            sources.append(Source(name=f"{HOME}/{name}", path=path))
        else:
            skipped.append(name)
    directory = ring.home_dir(home.identity.id)
    for name in (*PUBLIC, *(PRIVATE if with_keys else ())):
        if os.path.isfile(directory / name):
            archived = f"{KEYS}/{home.identity.id}/{name}"
            sources.append(Source(name=archived, path=str(directory / name)))
    return Contents(sources=tuple(sources), skipped=tuple(skipped), linked=tuple(_linked(home)))


def _is_of(home: Home, ring: keys.KeyRing, name: str) -> bool:
    """Tell whether a name, all links followed, is no key, and no gated file that lies outside the home."""
    path, keys_dir = home.path(name), str(ring.directory)
    is_inside = is_within(path, home.root)
    if is_within(path, keys_dir) and not (is_inside and is_within(home.root, keys_dir)):
        return False
    return is_inside or name not in home.identity.gated


def _linked(home: Home) -> Iterator[str]:
    """Give the links among the directories that are gone through, and those above them."""
    tops = {top for directory in _tops(home) for top in (directory, os.path.dirname(directory))}
    yield from (home.relative(top) for top in sorted(tops) if top != home.root and os.path.islink(top))


def _tops(home: Home) -> tuple[str, ...]:
    return home.config_dir, home.system_dir, home.state_dir, home.archive_dir, home.audit_dir


def _tree(home: Home) -> Iterator[str]:
    """Give every file in the directories that hold records of ours; links below these are not followed."""
    for top in _tops(home):
        for directory, below, files in os.walk(top):
            links = [name for name in below if os.path.islink(os.path.join(directory, name))]
            for name in (*files, *links):
                if not name.endswith(TEMP_SUFFIX):
                    yield home.relative(os.path.join(directory, name))


def _memory(home: Home) -> Iterator[str]:
    """Give the gated files that are there, and the daily logs."""
    yield from (path for path in home.identity.gated if os.path.exists(home.path(path)))
    for directory in (home.memory_dir, os.path.dirname(home.config_dir)):
        if os.path.lexists(os.path.join(directory, IGNORED)):  # ours, where the directory is ours
            yield home.relative(os.path.join(directory, IGNORED))
    yield from (log.path for log in find_daylogs(home, preset(home.identity.host).daily))
