"""Unpack a backup beside its place, check it there, and put it in its place only when it holds.

Invariant: a directory that is not empty is never touched; no key and no pin that is here
is ever overwritten.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.files.archive import Archive, ArchiveError, read_archive
from nightledger.files.atomic import create_file
from nightledger.files.durable import make_dir, sync_directory
from nightledger.files.home import Home
from nightledger.gate.founding import directories
from nightledger.gate.opening import open_gate
from nightledger.gate.restoring import accepting_loss, log_restore, lost_entries, take_over
from nightledger.surfaces.agent_host import require_person
from nightledger.surfaces.backup import HOME, KEYS, PRIVATE, PUBLIC, contents_of
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import actor_of, this_machine
from nightledger.trust.keys import KeyRing, load_log_key
from nightledger.trust.pin import find_pin


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore did.

    Attributes:
        archive: The backup.
        machine: Which machine writes the home now.
        keys: Names of the keys that were put in place.
        missing: Names of the keys that are not here.
        lost: Entries that this machine had seen and the backup does not hold.
    """

    archive: Archive
    machine: str
    keys: tuple[str, ...]
    missing: tuple[str, ...]
    lost: int


def restore(context: Context, path: str, *, takes_over: bool) -> Restored:
    """Make a home from a backup.

    Args:
        context: Names the home's place, which is missing or empty.
        path: The backup.
        takes_over: This machine writes the home from now on.

    Raises:
        RefusedError: The place is not empty, the backup is older than what was seen here, or an agent takes over.
        ArchiveError: The backup is damaged, or none of ours.
        IntegrityError: The audit log in it does not hold, or is another history than was seen here.
    """
    root, ring = context.home_path, KeyRing(Path(context.keys_dir))
    _require_free(root)
    with _aside(root) as directory:
        archive = read_archive(path, directory)
        home, own = Home(os.path.join(directory, HOME)), KeyRing(Path(directory, KEYS))
        _require_ours(home, own, archive, path)
        if lost_entries(home, find_pin(own, home.identity.id)):
            raise ArchiveError(f"{path} was made of a log that had lost its end", hint="take an older backup")
        lost = lost_entries(home, find_pin(ring, home.identity.id))
        _require_consent(home, lost, takes_over=takes_over)
        if takes_over:
            _require_log_key(home, ring, own)
        _place(home.root, root)
        keys = _place_keys(own, ring, home.identity.id)
    for name in directories(Home(root)):
        make_dir(name)
    if takes_over:
        _take_over(context, ring, lost)
    identity = Home(root).identity
    return Restored(
        archive=archive,
        machine=identity.machine,
        keys=keys,
        missing=_missing(ring, identity.id),
        lost=lost,
    )


def _take_over(context: Context, ring: KeyRing, lost: int) -> None:
    home = Home(context.home_path)
    with accepting_loss(home, ring, lost, context.moment) as seeing:
        take_over(home, seeing, this_machine())
        gate = open_gate(context.home_path, str(seeing.directory), actor=actor_of(context))
        log_restore(gate, lost, context.moment)


def _require_free(root: str) -> None:
    if os.path.lexists(root) and not (os.path.isdir(root) and not os.path.islink(root)):
        raise RefusedError(f"{root} is no directory", hint="name a place that is free: --home DIR")
    if os.path.isdir(root) and os.listdir(root):
        raise RefusedError(f"{root} is not empty", hint="name a place that is free: --home DIR")


@contextmanager
def _aside(root: str) -> Iterator[str]:
    """Give a directory beside the place, on the same file system; gone at the end."""
    directory = f"{root}.{os.getpid()}.restoring"
    make_dir(directory)
    try:
        yield directory
    finally:
        shutil.rmtree(directory)


def _require_ours(home: Home, own: KeyRing, archive: Archive, path: str) -> None:
    try:
        home_id = home.identity.id
    except NightledgerError as error:
        raise ArchiveError(f"{path} holds no home: {error}") from error
    allowed = {f"{KEYS}/{home_id}/{name}" for name in (*PUBLIC, *PRIVATE)}
    allowed |= {source.name for source in contents_of(home, own, with_keys=False).sources}
    for member in archive.members:
        if member.path not in allowed:
            raise ArchiveError(f"{path} holds {member.path!r}, which no backup of ours does")


def _require_consent(home: Home, lost: int, *, takes_over: bool) -> None:
    if takes_over:
        require_person("restore --take-over", simulated=home.identity.simulated)
    if lost and not takes_over:
        raise RefusedError(
            f"this machine has seen {lost} entries of the log of {home.identity.id} that the backup does not hold",
            hint="find a newer backup; or --take-over accepts the loss, and the log will tell of it",
        )


def _require_log_key(home: Home, ring: KeyRing, own: KeyRing) -> None:
    here = ring if os.path.isdir(ring.home_dir(home.identity.id)) else own
    load_log_key(here, home.identity.id, home.identity.origin)


def _place(source: str, root: str) -> None:
    """Put the checked home in its place, at once."""
    parent = os.path.dirname(root)
    os.rename(source, root)  # POSIX rename(2) replaces an empty directory, and no other
    sync_directory(parent)


def _place_keys(own: KeyRing, ring: KeyRing, home_id: str) -> tuple[str, ...]:
    """Put the backup's keys in place, unless there are keys of this home already."""
    source, target = own.home_dir(home_id), ring.home_dir(home_id)
    if os.path.lexists(target) or not os.path.isdir(source):
        return ()
    make_dir(str(target))
    names = sorted(os.listdir(source))
    for name in names:
        mode = 0o644 if name.endswith(".pub") else 0o600
        create_file(str(target / name), (source / name).read_bytes(), mode=mode)
    return tuple(names)


def _missing(ring: KeyRing, home_id: str) -> tuple[str, ...]:
    directory = ring.home_dir(home_id)
    return tuple(name for name in (*PRIVATE, PUBLIC[0]) if not os.path.lexists(directory / name))
