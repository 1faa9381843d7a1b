"""Read the audit log, checked in one pass against signatures and pin.

Invariant: the entries that are given out are those that count: under a signature or
acknowledged by this machine, and in no tail that was closed. Damage never raises here; it is
reported, and :func:`require_intact` turns the first alarm into an error.
"""

import os
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from nightledger.domain.decision import Event
from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.files.durable import list_names
from nightledger.files.home import Home
from nightledger.trust.event import Scan, collector_at_rest, event_of_record, is_void, scan_log, void_ranges
from nightledger.trust.heads import read_signed_head
from nightledger.trust.merkle import TreeRangeError
from nightledger.trust.note import Checkpoint
from nightledger.trust.pin import Pin
from nightledger.trust.report import MOVE_AWAY, Claims, Report, StoredHead, acknowledged_size, find_damage

NO_KEYS = "signatures: this machine has not pinned the log's keys"


class VerifiedLog:
    """The audit log after one pass: its tree and what is wrong; its entries are decoded when asked for.

    Attributes:
        report: What is wrong, if anything.
        tree: Over every whole line.
    """

    __slots__ = ("_events", "_scan", "_size", "_void", "report", "tree")

    def __init__(self, scan: Scan, claims: Claims, report: Report) -> None:
        """Take what the pass found; see :func:`check_log`."""
        self.report = report
        self.tree = scan.tree
        self._scan = scan
        self._size = acknowledged_size(scan, claims)
        self._void = void_ranges(scan.closures, self._size)
        self._events: tuple[Event, ...] | None = None

    @property
    def size(self) -> int:
        """Number of leaves; lines that are not counted are leaves, too."""
        return self.tree.size

    @property
    def events(self) -> tuple[Event, ...]:
        """The entries that count, in order; kept, so that the second look is free.

        Raises:
            LineError: As :meth:`entries`.
        """
        if self._events is None:
            with collector_at_rest():
                self._events = tuple(map(event_of_record, self._scan.records(self._size, self._void)))
        return self._events

    def entries(self) -> Iterator[tuple[str, dict[str, Any], datetime]]:
        """Give name, members and time of the entries that count, in order; each look decodes them anew.

        It costs half of what :attr:`events` costs, and no memory.

        Raises:
            LineError: An acknowledged line is no entry: somebody who has the keys' directory
                put it there.
        """
        for record in self._scan.records(self._size, self._void):
            yield record["event"], record, datetime.fromisoformat(record["at"])

    @property
    def newest(self) -> Event | None:
        """The last entry that counts.

        Raises:
            LineError: As :meth:`entries`.
        """
        for index in reversed(range(self._size)):
            if not is_void(self._void, index) and index not in self._scan.bad:
                return event_of_record(self._scan.record(index))
        return None

    def line(self, index: int) -> bytes:
        r"""Give a line as it stands, without ``\n``, whether it counts or not: its leaf.

        Raises:
            TreeRangeError: When the log is shorter.
        """
        if not 0 <= index < self.size:
            raise TreeRangeError(f"the log has {self.size} lines, not a line {index + 1}")
        return self._scan.lines[index]

    def lines(self) -> tuple[bytes, ...]:
        r"""Give every line as it stands, without ``\n``."""
        return tuple(self._scan.lines)

    def root_at(self, size: int) -> bytes:
        """Give the root over the first ``size`` leaves.

        Raises:
            TreeRangeError: When the log is shorter.
        """
        return self.tree.root(size)


def check_log(home: Home, pin: Pin | None) -> VerifiedLog:
    """Read the log once and check all against what was signed or seen.

    Lines under the head that this machine acknowledged are judged when their entries are
    asked for, as :func:`verify` says; all others now. The checkpoint's signatures are checked. Of the checkpoints kept, roots are checked
    always and signatures where the root disagrees: one that agrees is proved by the newest.

    Args:
        home: Whose log.
        pin: What this machine pinned; None checks form and roots only.
    """
    scan, claims, report = _check(home, pin)
    return VerifiedLog(scan, claims, report)


def verify(home: Home, pin: Pin | None, *, thorough: bool = False) -> Report:
    """Give the report alone, at the price of hashing where all is well.

    Lines under the head that this machine acknowledged are hashed and not parsed: where
    the root is that head's, they are byte for byte the lines that ``append`` wrote or
    closed. Where it is not, every line is judged.

    Args:
        home: Whose log.
        pin: What this machine pinned; None judges every line.
        thorough: Judge every line all the same, and check the signatures of every
            checkpoint kept.
    """
    return _check(home, pin, thorough=thorough)[2]


def _check(home: Home, pin: Pin | None, *, thorough: bool = False) -> tuple[Scan, Claims, Report]:
    # Order matters: a run that appends meanwhile makes the log longer than its heads, never shorter.
    checkpoint = _stored(home, home.checkpoint, pin, signatures=True)
    kept_paths = _kept_paths(home)
    scan = _scan(home, pin, thorough=thorough)
    kept = tuple(_stored_kept(home, path, pin, scan, thorough=thorough) for path in kept_paths)
    if checkpoint.problem and not scan.tree.size and not kept and not (pin and pin.acknowledged):
        checkpoint = StoredHead(path=home.checkpoint, head=None)  # nothing was ever logged
    claims = Claims(
        log_path=home.audit_log,
        checkpoint=checkpoint,
        kept=kept,
        pin=pin,
    )
    report = Report(
        size=scan.tree.size,
        root=scan.tree.root(),
        signed_size=claims.signed_size,
        findings=find_damage(scan, claims),
        unchecked=checkpoint.unchecked if pin else (NO_KEYS,),
        closed=len(void_ranges(scan.closures, acknowledged_size(scan, claims))),
    )
    return scan, claims, report


def _scan(home: Home, pin: Pin | None, *, thorough: bool) -> Scan:
    known = 0 if pin is None or thorough else pin.acknowledged
    scan = scan_log(home.audit_log, known=known)
    if pin and known and (scan.tree.size < known or scan.tree.root(known) != pin.acknowledged_root):
        return scan_log(home.audit_log)
    return scan


def require_intact(log: VerifiedLog) -> None:
    """Refuse to go on with a log that is not what was signed.

    Raises:
        IntegrityError: Naming the first alarm.
    """
    if not log.report.ok:
        first = log.report.alarms[0]
        raise IntegrityError(f"{first.damage.value.upper()} {first.path}: {first.message}")


def read_events(home: Home) -> tuple[Event, ...]:
    """Read the entries of the log as they stand, unchecked; for counting and display, never for the gate."""
    scan = scan_log(home.audit_log)
    return tuple(map(event_of_record, scan.records(scan.tree.size, ())))


def _stored(home: Home, path: str, pin: Pin | None, *, signatures: bool) -> StoredHead:
    origin = pin.origin if pin else home.identity.origin
    try:
        head = read_signed_head(path, origin, pin.signed_by if pin else (), signatures=signatures)
    except NightledgerError as error:
        return StoredHead(path=path, head=None, problem=str(error))
    return StoredHead(path=path, head=head.checkpoint, unchecked=head.unchecked)


def _stored_kept(home: Home, path: str, pin: Pin | None, scan: Scan, *, thorough: bool) -> StoredHead:
    stored = _stored(home, path, pin, signatures=thorough)
    head = stored.head
    if head is None:
        return replace(stored, problem=f"{stored.problem}; {MOVE_AWAY}")
    if str(head.size) != os.path.basename(path):
        problem = f"{path} is a head of {head.size} entries; {MOVE_AWAY}"
        return StoredHead(path=path, head=None, problem=problem)
    if head.size <= scan.tree.size and scan.tree.root(head.size) == head.root:
        return stored
    return stored if thorough else _stored(home, path, pin, signatures=True)


def kept_heads(home: Home, pin: Pin | None) -> tuple[Checkpoint, ...]:
    """Return the checkpoints kept, by size, whose form and signatures hold."""
    kept = (_stored(home, path, pin, signatures=True) for path in _kept_paths(home))
    return tuple(one.head for one in kept if one.head)


def _kept_paths(home: Home) -> tuple[str, ...]:
    if not os.path.isdir(home.checkpoints_dir):
        return ()
    names = [name for name in list_names(home.checkpoints_dir) if name.isdecimal()]
    return tuple(os.path.join(home.checkpoints_dir, name) for name in sorted(names, key=int))
