"""Locks of the operating system: gated and protected files that nobody changes, a log that only grows.

Invariant: a locked file is unlocked for the exchange alone, by root, and what has its name afterwards is locked. A crash in between leaves it
unlocked; the next look locks it again and logs that.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import StrEnum

from msgspec import Struct

from nightledger.domain.consent import PROTECTED_FILES
from nightledger.domain.decision import EventName, Moment
from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.domain.states import Book
from nightledger.files.atomic import swap_files
from nightledger.files.home import Home
from nightledger.files.owner import Flag, acting_as_root, may_act_as_root, read_flags, set_flag
from nightledger.gate.opening import Gate, record


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
    """A file that ``lock`` locks.

    Attributes:
        path: Relative to the home.
        flag: How.
        held: Whether it is.
    """

    path: str
    flag: Flag
    held: Held


class LockError(RefusedError):
    """A file is locked by the operating system, and this user cannot exchange it."""

    hint = "as root: nightledger lock --off, and nightledger lock when it is done; root's own 'apply' needs neither"


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
    except (OSError, NightledgerError):
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
        raise RefusedError(
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
        raise RefusedError(
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
        (repaired if _lock_again(gate.home, one) else lost).append(one.path)
    if repaired:
        record(gate, [(EventName.LOCK_REPAIRED, {"paths": repaired})], moment)
    return tuple(repaired), tuple(lost)


def _lock_again(home: Home, one: Lockable) -> bool:
    with suppress(OSError, NightledgerError):
        if may_act_as_root() or _owner_may():
            _set(home, one, on=True)
    return _held(home, one.path, one.flag) is Held.LOCKED


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
