"""Take over a home that came out of a backup: this machine writes it, and the log says so.

Invariant: what this machine pinned about the log's beginning and keys stays; only heads
beyond what the backup holds are set aside, never deleted, and the log tells how many
entries were lost. A log that is another history is never taken over.
"""

import os
from dataclasses import replace

from nightledger.codec.home_record import dump_home
from nightledger.domain.errors import IntegrityError
from nightledger.domain.event import EventName
from nightledger.domain.identity import Identity
from nightledger.domain.moment import Moment
from nightledger.files.atomic import replace_file
from nightledger.files.durable import sync_directory
from nightledger.files.home import Home
from nightledger.gate.integrity.beginning import why_another
from nightledger.gate.opening import Gate, fold_log, read_ledger, record, sign_head
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
    if why := why_another(home.identity, fold_log(log)[0].genesis):
        raise IntegrityError(f"ALTERED {home.relative(home.identity_file)}: {why}")
    return lost


def take_over(home: Home, ring: KeyRing, machine: str, lost: int, moment: Moment) -> None:
    """Make this machine the one that writes a home; logged and signed when this returns.

    Args:
        home: As it came out of the backup, in its place.
        ring: Where its pin and the log's keys are.
        machine: Name of this machine.
        lost: Entries that this machine saw and the log does not have (:func:`lost_entries`).
        moment: The clocks.

    Raises:
        KeyFileError: The log's keys are not here; nothing was changed.
        LockedError: Another run is at work.
    """
    load_log_key(ring, home.identity.id, home.identity.origin)
    if lost:
        _set_aside(home, ring, moment)
    replace_file(home.identity_file, dump_home(_moved(home.identity, machine)))


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


def _set_aside(home: Home, ring: KeyRing, moment: Moment) -> None:
    """Keep pin and acknowledged head under another name, and pin the heads that the log still has."""
    known = pin.read_pin(ring, home.identity.id)
    log = check_log(home, replace(known, heads=(), acknowledged=0, acknowledged_root=b""))
    directory = ring.home_dir(home.identity.id)
    for name in (pin.FILE, head.FILE):
        if os.path.lexists(directory / name):
            os.rename(directory / name, directory / f"{name}.before-{moment.at:%Y%m%dT%H%M%SZ}")
    sync_directory(str(directory))
    pin.create_pin(ring, replace(known, heads=_kept(known, log)))


def _kept(known: pin.Pin, log: VerifiedLog) -> tuple[pin.Head, ...]:
    return tuple(seen for seen in known.heads if seen.size <= log.size)
