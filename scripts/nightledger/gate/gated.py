"""Files that the gate writes or watches: gated ones, skills, daily logs, archive, protected ones; and what may never be gated.

Invariant: a path is judged by the real file and its inode, not by its spelling, so that no link and no second name
reaches a protected file; ``domain/kept.py`` says which change may write which file. Files of ours that change by
themselves, trust files and the consent graph, which count as far as they were signed, are not watched.

Locks of the operating system: gated and protected files that nobody changes, a log that only grows.

Invariant: a locked file is unlocked for the exchange alone, by root, and what has its name afterwards is locked. A crash in between leaves it
unlocked; the next look locks it again and logs that.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from enum import StrEnum

from msgspec import Struct

from nightledger.domain import errors
from nightledger.domain.consent import PROTECTED_FILES
from nightledger.domain.decision import EventName, Moment
from nightledger.domain.kept import LINKS, Places, is_archive, is_copy, is_daily_log, skill_name
from nightledger.domain.states import Book
from nightledger.domain.transcript import EXTRACTS
from nightledger.domain.trusting import EMPTY_SHA256, TRUST_FILES
from nightledger.files.atomic import BlobStore, swap_files
from nightledger.files.durable import is_within, read_optional, read_regular
from nightledger.files.home import Home, shipped_config
from nightledger.files.owner import Flag, acting_as_root, may_act_as_root, read_flags, set_flag
from nightledger.gate.opening import Gate, record
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
    except (
        errors.MissingBlobError,
        errors.IntegrityError,
        ValueError,
    ):  # ValueError: what stands there is no hash
        return None


def why_unreadable(home: Home, relative: str) -> str:
    """Return why a gated file cannot be read now, and what helps; empty where it can."""
    try:
        read_gated(home, relative)
    except errors.NightledgerError as error:
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


def require_gated(home: Home, relative: str) -> None:
    """Refuse a path that the gate may not change.

    Raises:
        RefusedError: It is not among the home's gated files, or it is a protected file,
            or a link to another gated one.
    """
    if relative not in home.identity.gated:
        raise errors.RefusedError(
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
            raise errors.RefusedError(
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
    except errors.UnreadableError as error:
        raise errors.RefusedError(str(error), hint=error.hint) from error
    for name in protected_paths(home):
        if is_same_file(real, name):
            raise errors.RefusedError(f"{relative} is really the protected file {home.relative(name)}")
    for directory in (home.audit_dir, home.config_dir, home.system_dir, home.state_dir, home.work_dir):
        if is_within(real, directory):
            raise errors.RefusedError(
                f"{relative} lies in {home.relative(directory)}, which the gate never changes"
            )


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
    """Return whether a real path and a name are one file: by the inode; of a file that is missing, by the path."""
    try:
        return os.path.samefile(real, name)
    except OSError:
        return not os.path.exists(real) and real == os.path.realpath(name)


def places_of(home: Home) -> Places:
    """Return where a home keeps what changes may write."""
    host = preset(home.identity.host)
    return Places(gated=home.identity.gated, daily=(*host.daily, EXTRACTS), skills=host.skills)


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
    """Refuse a path that is neither a log nor a skill nor in the archive, or that leads elsewhere.

    Raises:
        RefusedError: With the reason.
    """
    kept = is_archive(relative) or is_copy(relative) or is_daily_log(relative, places_of(home).daily)
    if not (kept or _is_skill(home, relative)):
        raise errors.RefusedError(
            f"{relative} is neither a daily log nor in the archive nor a skill of this home"
        )
    if not is_daily_log(relative, (EXTRACTS,)):  # of our own records these alone are let go as logs are
        require_gateable(home, relative)
    path = home.path(relative)
    if os.path.realpath(path) != os.path.join(os.path.realpath(home.root), relative):
        raise errors.RefusedError(
            f"{relative} is reached through a link, which the gate does not follow there"
        )
    for other in (*home.gated_paths(), *protected_paths(home)):
        if os.path.lexists(path) and os.path.exists(other) and os.path.samefile(path, other):
            raise errors.RefusedError(f"{relative} is really {home.relative(other)}")


def protected_now(home: Home) -> dict[str, bytes]:
    """Give the bytes of the protected files that are there and can be read."""
    found = {}
    for path in PROTECTED_FILES:
        try:
            content = read_optional(home.path(path), MAX_PROTECTED_BYTES, within=home.root)
        except errors.NightledgerError:
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


class Held(StrEnum):
    """What stands between a file and whoever would change it."""

    LOCKED = "locked"
    """The operating system enforces it."""
    UNLOCKED = "unlocked"
    """It could, and does not."""
    IMPOSSIBLE = "impossible"
    """The file system knows no such locks."""
    MISSING = "missing"
    """There is no such file to look at."""


class Lockable(Struct, frozen=True, kw_only=True):
    """A file that ``guard --lock`` locks.

    Attributes:
        path: Relative to the home.
        flag: How.
        held: Whether it is.
    """

    path: str
    flag: Flag
    held: Held


class LockError(errors.RefusedError):
    """A file is locked by the operating system, and this user cannot exchange it."""

    hint = "as root: nightledger guard --unlock, and nightledger guard --lock when it is done; root's own 'apply' needs neither"


def lockables(home: Home) -> tuple[Lockable, ...]:
    """Give every file of a home that can be locked, with how it stands."""
    whole = (home.consent_graph, home.constitution)
    immutable = [*home.identity.gated, *PROTECTED_FILES, *map(home.relative, whole)]
    wanted = [
        *((path, Flag.IMMUTABLE) for path in immutable),
        (home.relative(home.audit_log), Flag.APPEND_ONLY),
    ]
    return tuple(Lockable(path=path, flag=flag, held=_held(home, path, flag)) for path, flag in wanted)


def _held(home: Home, path: str, flag: Flag) -> Held:
    try:
        flags = read_flags(home.resolve(path))
    except (OSError, errors.NightledgerError):
        return Held.MISSING
    if flags is None:
        return Held.IMPOSSIBLE
    return Held.LOCKED if flag in flags else Held.UNLOCKED


def lock_files(gate: Gate, moment: Moment) -> tuple[Lockable, ...]:
    """Lock every file that can be; the log says so first, so that a crash is finished by the next look.

    Returns:
        How each stands now.

    Raises:
        RefusedError: This user may not, or no file of the home can be locked.
    """
    found = [one for one in lockables(gate.home) if one.held in (Held.LOCKED, Held.UNLOCKED)]
    if not found:
        raise errors.RefusedError(
            f"the file system of {gate.home.root} knows no such locks",
            hint="nothing was changed; 'nightledger doctor' says what holds here",
        )
    _require_root()
    paths = [one.path for one in found]
    record(gate, [(EventName.LOCKED, {"paths": paths})], moment)
    for one in found:
        _set(gate.home, one, on=True)
    return lockables(gate.home)


def unlock_files(gate: Gate, moment: Moment) -> tuple[Lockable, ...]:
    """Take every lock away, then log it.

    Raises:
        RefusedError: This user may not.
    """
    locked = [one for one in lockables(gate.home) if one.held is Held.LOCKED]
    _require_root()
    for one in locked:
        _set(gate.home, one, on=False)
    record(gate, [(EventName.UNLOCKED, {"paths": []})], moment)
    return lockables(gate.home)


def _require_root() -> None:
    if not may_act_as_root() and not _owner_may():
        raise errors.RefusedError(
            "only root can lock and unlock files", hint="run it with sudo, with --home and NIGHTLEDGER_KEYS"
        )


def _owner_may() -> bool:
    """Tell whether an owner may lock files: macOS, where the owner may unlock them, too (chflags(1))."""
    return os.uname().sysname == "Darwin"


def _set(home: Home, one: Lockable, *, on: bool) -> None:
    with acting_as_root():
        set_flag(home.resolve(one.path), one.flag, on=on)


def repair_locks(gate: Gate, book: Book, moment: Moment) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Lock again what the log says is locked and is not: a crash in the middle of an exchange, or a meddler.

    Returns:
        What was locked again, and what this user cannot lock again.
    """
    open_now = [one for one in lockables(gate.home) if one.path in book.locked and one.held is Held.UNLOCKED]
    repaired: list[str] = []
    lost: list[str] = []
    for one in open_now:
        with suppress(OSError, errors.NightledgerError):
            if may_act_as_root() or _owner_may():
                _set(gate.home, one, on=True)
        held = _held(gate.home, one.path, one.flag)
        (repaired if held is Held.LOCKED else lost).append(one.path)
    if repaired:
        record(gate, [(EventName.LOCK_REPAIRED, {"paths": repaired})], moment)
    return tuple(repaired), tuple(lost)


def why_locked(gate: Gate, path: str) -> str:
    """Say why a gated file cannot be exchanged; empty where it can."""
    if _held(gate.home, path, Flag.IMMUTABLE) is not Held.LOCKED or may_act_as_root() or _owner_may():
        return ""
    return f"{path} is locked by the operating system: root applies it"


def require_exchangeable(gate: Gate, paths: Iterable[str]) -> None:
    """Make sure, before anything is signed or logged, that files can be exchanged.

    Raises:
        LockError: One is locked, and this user cannot exchange it.
    """
    for path in paths:
        if why := why_locked(gate, path):
            raise LockError(why)


def swap_for(gate: Gate, path: str) -> "Callable[[str, str], str] | None":
    """Give what exchanges a locked file in place of :func:`swap_files`; None where it is not locked.

    Raises:
        LockError: It is locked, and this user cannot exchange it.
    """
    if why := why_locked(gate, path):
        raise LockError(why)
    return _swap_unlocked if _held(gate.home, path, Flag.IMMUTABLE) is Held.LOCKED else None


def _swap_unlocked(temp: str, path: str) -> str:
    """Exchange a locked file as root: whatever has its name afterwards is locked."""
    with acting_as_root():
        set_flag(path, Flag.IMMUTABLE, on=False)
    try:
        return swap_files(temp, path)
    finally:
        with acting_as_root():
            set_flag(path, Flag.IMMUTABLE, on=True)
