"""Files that the gate writes or watches: gated ones, skills, daily logs, archive, protected ones; and what may never be gated.

Invariant: a path is judged by the real file and its inode, not by its spelling, so that no link and no second name
reaches a protected file; ``domain/kept.py`` says which change may write which file. Files of ours that change by
themselves, trust files and the consent graph, which count as far as they were signed, are not watched.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping

from nightledger.domain.consent import PROTECTED_FILES
from nightledger.domain.errors import (
    IntegrityError,
    MissingBlobError,
    NightledgerError,
    RefusedError,
    UnreadableError,
)
from nightledger.domain.kept import LINKS, Places, is_archive, is_copy, is_daily_log, skill_name
from nightledger.domain.states import Book
from nightledger.domain.trusting import EMPTY_SHA256, TRUST_FILES
from nightledger.files.blobs import BlobStore
from nightledger.files.durable import is_within, read_optional, read_regular
from nightledger.files.home import Home, shipped_config
from nightledger.hosts.daylogs import preset

MAX_GATED_BYTES = 32_000_000
"""Of a file that the gate writes, archives and views among them."""
MAX_MEMORY_BYTES = 4_000_000
"""Of a gated file: two hundred times what a host shows an agent. A larger one is refused and told, not half read: to take 15 MB
apart held the guard for minutes."""
MAX_PROTECTED_BYTES = 8 << 20
"""More than any host reads; a larger file is looked at by nobody. Our choice."""


def read_gated(home: Home, relative: str) -> bytes:
    """Return a gated file's bytes; an empty file where there is none yet.

    Raises:
        UnreadableError: It is not a regular file of this home, or too large.
        RefusedError: It is no gated file, or a protected one under another name.
    """
    (require_kept if _is_skill(home, relative) else require_gated)(home, relative)
    return _read(home, relative)


def read_accepted(home: Home, book: Book, path: str) -> bytes | None:
    """Return the bytes of a file that were accepted last; None where they are not kept, or the log names none."""
    sha256 = book.accepted_of(path)
    if sha256 == EMPTY_SHA256:
        return b""
    try:
        return None if sha256 is None else BlobStore(home.blobs_dir).get(sha256)
    except (MissingBlobError, IntegrityError, ValueError):  # ValueError: what stands there is no hash
        return None


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


def require_watched(home: Home, book: Book, relative: str) -> None:
    """Refuse a path that is neither a gated file nor a skill that the gate wrote.

    Raises:
        RefusedError: With what is gated, or as :func:`require_gated`.
    """
    if relative not in watched(home, book):
        require_gated(home, relative)


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


def places_of(home: Home) -> Places:
    """Return where a home keeps what changes may write."""
    host = preset(home.identity.host)
    return Places(gated=home.identity.gated, daily=host.daily, skills=host.skills)


def is_gated(home: Home, relative: str) -> bool:
    """Return whether a file is one of which the log holds the bytes accepted last: of a skill that none made, no bytes."""
    return relative in home.identity.gated or _is_skill(home, relative)


def _is_skill(home: Home, relative: str) -> bool:
    """Return whether a file may be a skill, in whatever host's folder: ``home.json`` says the host, and an agent can write it."""
    return relative not in home.identity.gated and bool(skill_name(relative))


def watched(home: Home, book: Book) -> tuple[str, ...]:
    """Return the files that only the gate changes: those gated at ``init``, and the skills that it wrote."""
    return (*home.identity.gated, *sorted(path for path in book.claimed if _is_skill(home, path)))


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
    """Refuse a path that is neither a daily log nor a skill nor in the archive, or that leads elsewhere.

    Raises:
        RefusedError: With the reason.
    """
    kept = is_archive(relative) or is_copy(relative) or is_daily_log(relative, places_of(home).daily)
    if not (kept or _is_skill(home, relative)):
        raise RefusedError(f"{relative} is neither a daily log nor in the archive nor a skill of this home")
    require_gateable(home, relative)
    path = home.path(relative)
    if os.path.realpath(path) != os.path.join(os.path.realpath(home.root), relative):
        raise RefusedError(f"{relative} is reached through a link, which the gate does not follow there")
    for other in (*home.gated_paths(), *protected_paths(home)):
        if os.path.lexists(path) and os.path.exists(other) and os.path.samefile(path, other):
            raise RefusedError(f"{relative} is really {home.relative(other)}")


def protected_now(home: Home) -> dict[str, bytes]:
    """Give the bytes of the protected files that are there and can be read."""
    found = {}
    for path in PROTECTED_FILES:
        try:
            content = read_optional(home.path(path), MAX_PROTECTED_BYTES, within=home.root)
        except NightledgerError:
            continue
        if content is not None:
            found[path] = content
    return found


def read_watched(home: Home, path: str) -> bytes:
    """Give the bytes of a gated or a watched protected file; none where it is missing.

    Raises:
        UnreadableError: It is no regular file of this home, or too large.
        RefusedError: It is neither.
    """
    if path not in PROTECTED_FILES:
        return read_gated(home, path)
    return read_optional(home.path(path), MAX_PROTECTED_BYTES, within=home.root) or b""


def first_seen(book: Book, present: Mapping[str, bytes]) -> tuple[str, ...]:
    """Give the files that the log does not know yet, sorted."""
    return tuple(sorted(set(present) - set(book.protected) - set(book.gated)))


def append_only(home: Home) -> tuple[str, ...]:
    """Return the files that are only ever appended to, the audit log apart, relative to the home."""
    files = (
        home.outcomes,
        home.consolidation_log,
        home.runs,
        home.exposures,
        home.reinforcements,
        home.analyst_log,
        *map(home.records, json.loads(shipped_config("records.json"))),
    )
    extracts = sorted(os.listdir(home.transcripts_dir)) if os.path.isdir(home.transcripts_dir) else ()
    kept = (os.path.join(home.transcripts_dir, name) for name in extracts if name.endswith(".md"))
    return tuple(home.relative(path) for path in (*files, *kept))
