"""Take over a home that came out of a backup: this machine writes it, and the log says so.

Invariant: what this machine pinned about the log's beginning and keys stays; only heads
beyond what the backup holds are set aside, never deleted, and the log tells how many
entries were lost. A log that is another history is never taken over.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from nightledger.codec.home_record import dump_home
from nightledger.domain.errors import IntegrityError
from nightledger.domain.event import EventName
from nightledger.domain.identity import Identity
from nightledger.domain.moment import Moment
from nightledger.files.atomic import link_or_copy, replace_file
from nightledger.files.durable import make_dir, sync_directory
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, fold_log, read_ledger, record, require_same, sign_head
from nightledger.trust import head, pin
from nightledger.trust.keys import KeyRing, load_log_key
from nightledger.trust.reading import VerifiedLog, check_log
from nightledger.trust.report import Damage


def lost_entries(home: Home, known: pin.Pin | None) -> int:
    """Count the entries that this machine saw and that the home's log does not have.

    Args:
        home: As it came out of the backup.
        known: What this machine pinned; None where it never saw the home.

    Raises:
        IntegrityError: The log is damaged, or another history than the one that was seen, or the home says other
            things of itself than its log begins with.
    """
    log = check_log(home, known)
    shorter = (Damage.ROLLBACK, Damage.TRUNCATED)
    alarm = next((found for found in log.report.alarms if found.damage not in shorter), None)
    if alarm is not None:
        raise IntegrityError(f"{alarm.damage.value.upper()}: {alarm.message}")
    seen = max([known.acknowledged, *(head.size for head in known.heads)]) if known else 0
    lost = max(0, seen - log.size)
    if log.report.alarms and not lost:
        raise IntegrityError(f"{log.report.alarms[0].damage.value.upper()}: {log.report.alarms[0].message}")
    require_same(home, fold_log(log)[0].genesis)
    return lost


def take_over(home: Home, ring: KeyRing, machine: str) -> None:
    """Make this machine the one that writes a home.

    Args:
        home: As it came out of the backup, in its place.
        ring: Where the log's keys are.
        machine: Name of this machine.

    Raises:
        KeyFileError: The log's keys are not here; nothing was changed.
    """
    load_log_key(ring, home.identity.id, home.identity.origin)
    replace_file(home.identity_file, dump_home(_moved(home.identity, machine)))


@contextmanager
def accepting_loss(home: Home, ring: KeyRing, lost: int, moment: Moment) -> Iterator[KeyRing]:
    """Give a ring in which the lost entries were never seen, and at the end make its pin and head the machine's.

    Until then the machine's own say that entries are missing. So no crash in between leaves a home that seems
    whole and a log that says nothing of its loss: ``verify`` tells of a rollback, and the restore is done again.

    Args:
        home: As it came out of the backup, in its place.
        ring: Where its pin and the log's keys are.
        lost: Entries that this machine saw and the log does not have (:func:`lost_entries`).
        moment: The clocks.
    """
    if not lost:
        yield ring
        return
    for left in ring.directory.glob(
        ".*.restoring"
    ):  # of a run that was cut short; its names of keys are second ones
        shutil.rmtree(left)
    staging = ring.directory / f".{os.getpid()}.restoring"
    try:
        beside = KeyRing(staging)
        own, new = ring.home_dir(home.identity.id), beside.home_dir(home.identity.id)
        make_dir(str(new))
        for name in os.listdir(own):
            if name not in (pin.FILE, head.FILE):
                link_or_copy(str(own / name), str(new / name))
        known = pin.read_pin(ring, home.identity.id)
        log = check_log(home, replace(known, heads=(), acknowledged=0, acknowledged_root=b""))
        pin.create_pin(beside, replace(known, heads=_kept(known, log)))
        yield beside
        _swap(own, new, moment)
    finally:
        shutil.rmtree(staging)


def _swap(own: Path, new: Path, moment: Moment) -> None:
    """Keep pin and head under another name and put the new ones in their place, that of the loss last."""
    for name in (pin.FILE, head.FILE):
        kept = own / f"{name}.before-{moment.at:%Y%m%dT%H%M%SZ}"
        if os.path.lexists(own / name) and not os.path.lexists(kept):
            link_or_copy(str(own / name), str(kept))
    sync_directory(str(own))
    for name in (pin.FILE, head.FILE):
        os.replace(new / name, own / name)
        sync_directory(str(own))


def log_restore(gate: Gate, lost: int, moment: Moment) -> None:
    """Write into the log that the home came out of a backup, and sign the head, kept for ever."""
    ledger = read_ledger(gate)
    record(gate, [(EventName.RESTORED, {"size": ledger.log.size, "lost": lost})], moment)
    sign_head(gate, moment, keep=True)


def _moved(identity: Identity, machine: str) -> Identity:
    return Identity(
        id=identity.id,
        origin=identity.origin,
        created_at=identity.created_at,
        machine=machine,
        zone=identity.zone,
        host=identity.host,
        simulated=identity.simulated,
        gated=identity.gated,
    )


def _kept(known: pin.Pin, log: VerifiedLog) -> tuple[pin.Head, ...]:
    return tuple(seen for seen in known.heads if seen.size <= log.size)
