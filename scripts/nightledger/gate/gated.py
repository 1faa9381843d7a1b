"""Gated files: which they are, reading them, and what may never be one.

Invariant: a path is judged by the real file and its inode, not by its spelling, so that
no link and no second name reaches a protected file.
"""

import hashlib
import os
from collections.abc import Iterable

from nightledger.domain.consent import PROTECTED_FILES
from nightledger.domain.errors import NightledgerError, RefusedError, UnreadableError
from nightledger.domain.trusting import TRUST_FILES
from nightledger.files.home import Home
from nightledger.files.reading import is_within, read_regular

MAX_GATED_BYTES = 32_000_000
"""Of a file that the gate writes, archives and views among them."""
MAX_MEMORY_BYTES = 4_000_000
"""Of a gated file: two hundred times what a host shows an agent. A larger one is refused and told, not half read: to take 15 MB
apart held the guard for minutes."""


def read_gated(home: Home, relative: str) -> bytes:
    """Return a gated file's bytes; an empty file where there is none yet.

    Raises:
        UnreadableError: It is not a regular file of this home, or too large.
        RefusedError: It is no gated file, or a protected one under another name.
    """
    require_gated(home, relative)
    return _read(home, relative)


def why_unreadable(home: Home, relative: str) -> str:
    """Return why a gated file cannot be read now, and what helps; empty where it can."""
    try:
        read_gated(home, relative)
    except NightledgerError as error:
        return f"{error}; {error.hint}" if error.hint else str(error)
    return ""


def require_readable(home: Home, relative: str) -> None:
    """Make sure, before a home is made, that a file can be its gated file.

    Raises:
        UnreadableError: It is not a regular file of this home, or too large.
        RefusedError: It may not be one.
    """
    require_gateable(home, relative)
    _read(home, relative)


def _read(home: Home, relative: str) -> bytes:
    path = home.path(relative)
    if not os.path.lexists(path):
        return b""
    return read_regular(path, MAX_MEMORY_BYTES, within=home.root)


def sha256_gated(home: Home, relative: str) -> str:
    """Return the hex SHA-256 of a gated file's bytes."""
    return hashlib.sha256(read_gated(home, relative)).hexdigest()


def require_gated(home: Home, relative: str) -> None:
    """Refuse a path that the gate may not change.

    Raises:
        RefusedError: It is not among the home's gated files, or it is a protected file,
            or a link to another gated one.
    """
    if relative not in home.identity.gated:
        raise RefusedError(
            f"{relative} is not a gated file of this home",
            hint=f"gated here: {', '.join(home.identity.gated)}",
        )
    require_gateable(home, relative)
    require_apart(home, relative, home.identity.gated)


def require_apart(home: Home, relative: str, gated: Iterable[str]) -> None:
    """Refuse a gated name that is a link to another gated file: what is signed for one would go to the other.

    Raises:
        RefusedError: With both names.
    """
    real = home.resolve(relative)
    if real == os.path.join(os.path.realpath(home.root), relative):
        return
    for other in gated:
        if other != relative and real == os.path.realpath(home.path(other)):
            raise RefusedError(
                f"{relative} is a link that leads to another gated file, {other}",
                hint="put the file itself in its place",
            )


def require_gateable(home: Home, relative: str) -> None:
    """Refuse a path that no home may name as a gated file.

    Raises:
        RefusedError: It leads out of the home, is a protected file under whatever name, or
            lies in a directory that holds our own records.
    """
    try:
        real = home.resolve(relative)
    except UnreadableError as error:
        raise RefusedError(str(error), hint=error.hint) from error
    for name in protected_paths(home):
        if is_same_file(real, name):
            raise RefusedError(f"{relative} is really the protected file {home.relative(name)}")
    for directory in (home.audit_dir, home.config_dir, home.system_dir, home.state_dir, home.work_dir):
        if is_within(real, directory):
            raise RefusedError(f"{relative} lies in {home.relative(directory)}, which the gate never changes")


def protected_paths(home: Home) -> tuple[str, ...]:
    """Return the files that no proposal ever changes."""
    return (
        *(home.path(name) for name in PROTECTED_FILES),
        home.audit_log,
        home.checkpoint,
        home.consent_graph,
        *(home.path(path) for path in TRUST_FILES.values()),
        home.identity_file,
    )


def is_same_file(real: str, name: str) -> bool:
    """Return whether a real path and a name are one file, by the path or by the inode."""
    if real == os.path.realpath(name):
        return True
    try:
        return os.path.samefile(real, name)
    except OSError:
        return False
