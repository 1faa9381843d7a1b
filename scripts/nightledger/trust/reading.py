"""Read the audit log, checked in one pass against signatures and pin.

Invariant: the entries that are given out are those that count: under a signature or
acknowledged by this machine, and in no tail that was closed. Damage never raises here; it is
reported, and :func:`require_intact` turns the first alarm into an error.
"""

import os
from dataclasses import dataclass

from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.domain.event import Event
from nightledger.files.home import Home
from nightledger.files.reading import list_names
from nightledger.trust.findings import Claims, StoredHead, acknowledged_size, find_damage
from nightledger.trust.leafcache import read_leaves
from nightledger.trust.merkle import Tree
from nightledger.trust.pin import Pin
from nightledger.trust.report import Report
from nightledger.trust.scan import Scan, is_void, scan_log, void_ranges
from nightledger.trust.signed_head import read_signed_head


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedLog:
    """The audit log after one pass.

    Attributes:
        events: The entries that count, in order.
        tree: Over every whole line.
        report: What is wrong, if anything.
    """

    events: tuple[Event, ...]
    tree: Tree
    report: Report

    @property
    def size(self) -> int:
        """Number of leaves; lines that are not counted are leaves, too."""
        return self.tree.size

    def root_at(self, size: int) -> bytes:
        """Give the root over the first ``size`` leaves.

        Raises:
            TreeRangeError: When the log is shorter.
        """
        return self.tree.root(size)


def check_log(home: Home, pin: Pin | None) -> VerifiedLog:
    """Read the log once, judge every line, and check all against what was signed or seen.

    The checkpoint's signatures are checked. Of the checkpoints kept, roots are checked
    always and signatures where the root disagrees: one that agrees is proved by the newest.

    Args:
        home: Whose log.
        pin: What this machine pinned; None checks form and roots only.
    """
    scan, claims, report = _check(home, pin, keep_events=True)
    return VerifiedLog(events=_counted(scan, claims), tree=scan.tree, report=report)


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
    return _check(home, pin, keep_events=False, thorough=thorough)[2]


def _check(
    home: Home, pin: Pin | None, *, keep_events: bool, thorough: bool = False
) -> tuple[Scan, Claims, Report]:
    # Order matters: a run that appends meanwhile makes the log longer than its heads, never shorter.
    checkpoint = _stored(home, home.checkpoint, pin, signatures=True)
    kept_paths = _kept_paths(home)
    scan = _scan(home, pin, keep_events=keep_events, thorough=thorough)
    kept = tuple(_stored_kept(home, path, pin, scan, thorough=thorough) for path in kept_paths)
    if checkpoint.problem and not scan.tree.size and not kept and not (pin and pin.acknowledged):
        checkpoint = StoredHead(path=home.checkpoint, head=None)  # nothing was ever logged
    claims = Claims(
        log_path=home.audit_log,
        checkpoint=checkpoint,
        kept=kept,
        pin=pin,
        leaves=_leaves(home, checkpoint, scan),
    )
    report = Report(
        size=scan.tree.size,
        root=scan.tree.root(),
        signed_size=claims.signed_size,
        findings=find_damage(scan, claims),
        unchecked=_unchecked(checkpoint, pin),
        closed=len(void_ranges(scan.closures, acknowledged_size(scan, claims))),
    )
    return scan, claims, report


def _scan(home: Home, pin: Pin | None, *, keep_events: bool, thorough: bool) -> Scan:
    known = 0 if pin is None or keep_events or thorough else pin.acknowledged
    scan = scan_log(home.audit_log, keep_events=keep_events, known=known)
    if pin and known and (scan.tree.size < known or scan.tree.root(known) != pin.acknowledged_root):
        return scan_log(home.audit_log, keep_events=keep_events)
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
    return tuple(scan_log(home.audit_log).events)


def _counted(scan: Scan, claims: Claims) -> tuple[Event, ...]:
    size = acknowledged_size(scan, claims)
    void = void_ranges(scan.closures, size)
    return tuple(
        event for event in scan.events if event.seq < size and not (void and is_void(void, event.seq))
    )


def _stored(home: Home, path: str, pin: Pin | None, *, signatures: bool) -> StoredHead:
    origin = pin.origin if pin else home.identity.origin
    try:
        head = read_signed_head(path, origin, pin.vkeys if pin else (), signatures=signatures)
    except NightledgerError as error:
        return StoredHead(path=path, head=None, problem=str(error))
    return StoredHead(path=path, head=head)


def _stored_kept(home: Home, path: str, pin: Pin | None, scan: Scan, *, thorough: bool) -> StoredHead:
    stored = _stored(home, path, pin, signatures=thorough)
    head = stored.head.checkpoint if stored.head else None
    if head is None:
        return stored
    if str(head.size) != os.path.basename(path):
        return StoredHead(path=path, head=None, problem=f"{path} is a head of {head.size} entries")
    if head.size <= scan.tree.size and scan.tree.root(head.size) == head.root:
        return stored
    return stored if thorough else _stored(home, path, pin, signatures=True)


def _kept_paths(home: Home) -> tuple[str, ...]:
    if not os.path.isdir(home.checkpoints_dir):
        return ()
    names = [name for name in list_names(home.checkpoints_dir) if name.isdecimal()]
    return tuple(os.path.join(home.checkpoints_dir, name) for name in sorted(names, key=int))


def _leaves(home: Home, checkpoint: StoredHead, scan: Scan) -> list[bytes]:
    """Read the leaf hashes where they are needed: the log is not what was signed."""
    if checkpoint.head is None:
        return []
    head = checkpoint.head.checkpoint
    if head.size <= scan.tree.size and scan.tree.root(head.size) == head.root:
        return []
    return read_leaves(home, head.size, head.root)


def _unchecked(checkpoint: StoredHead, pin: Pin | None) -> tuple[str, ...]:
    if pin is None:
        return ("signatures: this machine has not pinned the log's keys",)
    return checkpoint.head.unchecked if checkpoint.head else ()
