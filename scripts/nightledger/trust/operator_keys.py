"""Let one operator's key take over from another on this machine.

Invariant: at every moment there is a file named ``operator`` or ``operator.pub``, no private
key is ever overwritten or removed, and a run that was cut short is finished by the next.
"""

import os
from collections.abc import Collection
from itertools import count
from pathlib import Path

from nightledger.files.atomic import replace_file
from nightledger.files.durable import sync_directory
from nightledger.trust import keys
from nightledger.trust.keys import KeyRing
from nightledger.trust.sshsig import PublicKey

NEXT = "operator.next"
"""The key that is to take over; it counts only once the log names it."""


def create_next(ring: KeyRing, home_id: str, *, passphrase: bytes | None, comment: str) -> PublicKey:
    """Make the key that is to take over; one that a run left is used again.

    Args:
        ring: Where.
        home_id: For which home.
        passphrase: Encrypts the file; None leaves it open.
        comment: Stands in the public line.
    """
    path = ring.path(home_id, NEXT)
    if os.path.lexists(path):
        return keys.public_key_of(path)
    ring.path(home_id, f"{NEXT}.pub").unlink(missing_ok=True)  # of one that took over when the machine died
    return keys.create_key_at(path, passphrase=passphrase, comment=comment)


def next_key(ring: KeyRing, home_id: str) -> PublicKey | None:
    """Give the key that waits to take over, if one does.

    Raises:
        KeyFileError: When its file is unsafe or damaged.
    """
    path = ring.path(home_id, NEXT)
    return keys.public_key_of(path) if os.path.lexists(path) else None


def take_over(ring: KeyRing, home_id: str, key: PublicKey, stamp: str) -> tuple[str, ...]:
    """Make a key the operator's: the one that waits, or one that hardware or an agent holds.

    Args:
        ring: Where.
        home_id: Of which home.
        key: The key; where it waits in ``operator.next``, its private file comes along.
        stamp: Ends the names of the files that it replaces.

    Returns:
        Where the old key's files are now.
    """
    operator = keys.operator_key_path(ring, home_id)
    waiting = ring.path(home_id, NEXT)
    own = os.path.lexists(waiting) and keys.public_key_of(waiting) == key
    kept = [_keep(operator, stamp)]
    if own:
        os.replace(waiting, operator)
    elif os.path.lexists(operator) and keys.public_key_of(operator) != key:
        os.unlink(operator)  # kept under its other name
    public = operator.with_name(f"{operator.name}.pub")
    kept.append(_keep(public, stamp))
    if own:
        ring.path(home_id, f"{NEXT}.pub").unlink(missing_ok=True)
    replace_file(str(public), f"{key.line}\n".encode())  # puts every name above on disk, too
    public.chmod(0o644)
    return tuple(path for path in kept if path)


def mend(ring: KeyRing, home_id: str, able: Collection[bytes], stamp: str) -> None:
    """Finish a take-over that was cut short; nothing happens where there is none.

    Args:
        ring: Where.
        home_id: Of which home.
        able: Blobs of the keys that may sign now.
        stamp: Ends the names of files that are replaced.
    """
    waiting = next_key(ring, home_id)
    if waiting is not None and waiting.blob in able:
        take_over(ring, home_id, waiting, stamp)
        return
    operator = keys.operator_key_path(ring, home_id)
    public = operator.with_name(f"{operator.name}.pub")
    if os.path.lexists(operator) and os.path.lexists(public):
        key = keys.public_key_of(operator)
        if key != keys.public_key_of(public):
            take_over(ring, home_id, key, stamp)


def find_kept(ring: KeyRing, home_id: str, able: Collection[bytes]) -> Path | None:
    """Give the public file of a key that was replaced here and may sign, where the operator's own may not.

    That is how the end of a reset leaves a machine: the key of the reset counts for nothing, and
    the good one lies beside it under its other name.

    Args:
        ring: Where.
        home_id: Of which home.
        able: Blobs of the keys that may sign now.
    """
    public = ring.path(home_id, f"{keys.OPERATOR}.pub")
    if os.path.lexists(public) and keys.public_key_of(public).blob in able:
        return None
    kept = sorted(public.parent.glob(f"{keys.OPERATOR}.before-*.pub"), reverse=True)
    return next((path for path in kept if keys.public_key_of(path).blob in able), None)


def take_back(ring: KeyRing, home_id: str, kept: Path, stamp: str) -> PublicKey:
    """Make a key that was kept the operator's again; what stands in its place is kept in turn.

    Args:
        ring: Where.
        home_id: Of which home.
        kept: Its public file, as :func:`find_kept` gives it.
        stamp: Ends the names of the files that it replaces.
    """
    operator, key = keys.operator_key_path(ring, home_id), keys.public_key_of(kept)
    public, private = operator.with_name(f"{operator.name}.pub"), kept.with_suffix("")
    is_here = os.path.lexists(private) and keys.public_key_of(private) == key
    _keep(operator, stamp)
    _keep(public, stamp)
    if is_here:
        back = operator.with_name(f"{operator.name}.back")
        back.unlink(missing_ok=True)
        os.link(private, back, follow_symlinks=False)
        os.replace(back, operator)
    else:
        operator.unlink(missing_ok=True)  # kept under its other name; the good one is elsewhere
    replace_file(str(public), f"{key.line}\n".encode())  # puts every name above on disk, too
    public.chmod(0o644)
    return key


def _keep(path: Path, stamp: str) -> str:
    """Give a file a second name that stays; empty where there is no file."""
    if not os.path.lexists(path):
        return ""
    names = (f"{path.stem}.before-{stamp}{f'-{n}' if n else ''}{path.suffix}" for n in count())
    kept = next(
        kept
        for kept in map(path.with_name, names)
        if not os.path.lexists(kept) or os.path.samefile(path, kept)
    )
    if not os.path.lexists(kept):
        os.link(path, kept, follow_symlinks=False)
        sync_directory(str(path.parent))
    return str(kept)
