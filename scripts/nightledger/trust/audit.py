"""The audit log: append entries, sign its head, start it; read it, checked in one pass against signatures and pin.

Life of an entry: its line is written with one write(2) and is on disk; then the grown head is on disk
in the keys' directory (``pin.py``); only then ``append`` returns. At the end of the run ``sign_head``
signs a checkpoint. Invariant: what was never acknowledged
(a killed run's line, a torn line, a line that somebody else appended) stays in the file
as a leaf, is named by one ``log.tail_closed`` entry, and is never counted. The log itself is
locked, so that callers may hold the home's lock. Invariant of reading: the entries that are given out are those that
count: under a signature or acknowledged by this machine, and in no tail that was closed. Damage never raises there; it is
reported, and :func:`require_intact` turns the first alarm into an error.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from nightledger.domain.decision import EventName
from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.files.atomic import replace_file
from nightledger.files.durable import is_there, make_dir
from nightledger.files.home import Home
from nightledger.files.line_log import Appender
from nightledger.trust import event as logged
from nightledger.trust import pin as pins
from nightledger.trust.heads import (
    SignedHead,
    hold,
    hold_open,
    kept_paths,
    read_signed_head,
    read_stated_head,
)
from nightledger.trust.keys import KeyRing, LogKey, UnloadedKey
from nightledger.trust.merkle import CompactRange, TreeRangeError, leaf_hash
from nightledger.trust.note import Checkpoint, dump_checkpoint, dump_note, sign_note
from nightledger.trust.report import MOVE_AWAY, Claims, Report, StoredHead, acknowledged_size, find_damage


def append(home: Home, key: LogKey | UnloadedKey, events: Sequence[logged.NewEvent]) -> None:
    """Append events; they are on disk and acknowledged when this returns.

    It costs the same whatever the size of the log, which is not read.

    Args:
        home: Whose log.
        key: Its key, loaded or not; names the log and where the acknowledged head is kept.
        events: What happened, in order; of nothing nothing is written.

    Raises:
        LockedError: When another run writes to the log for longer than 10 s.
        IntegrityError: When the log is shorter than, or differs from, what was acknowledged
            or signed; nothing is written.
        EventError: When an event holds what the log does not take; nothing is written.
        NotDurableError: When the disk fails; the events are not acknowledged.
    """
    if events:
        with hold(home) as log:
            _write(home, key, log, events, events[0].at)


def sign_head(home: Home, key: LogKey, ring: KeyRing, *, now: datetime, keep: bool = False) -> Checkpoint:
    """Sign a checkpoint over the whole log, once at the end of a run that appended.

    When nothing was appended since the last one, that one stays as it is.

    Args:
        home: Whose log.
        key: Signs it.
        ring: Where the head is remembered.
        now: The time that the ML-DSA-44 line states; aware.
        keep: Also keep it as ``audit/checkpoints/<size>``: for what a decision or a
            witness refers to, and at a day's end.

    Raises:
        IntegrityError: When a longer log or another head of this size was seen; nothing is signed.
    """
    with hold(home) as log:
        head, closure = _find_tail(home, key, log)
        if closure:
            _write(home, key, log, (), now)
            head, _ = _find_tail(home, key, log)
        signed = _present(home, key, head.range) or _sign(home, key, ring, head.range, now)
        if keep:
            make_dir(home.checkpoints_dir)
            path = os.path.join(home.checkpoints_dir, str(signed.checkpoint.size))
            if not is_there(path):
                replace_file(path, signed.raw)
    return signed.checkpoint


def start_log(
    home: Home,
    key: LogKey,
    ring: KeyRing,
    genesis: logged.NewEvent,
    trust_files: Mapping[str, str],
    now: datetime,
) -> pins.Pin:
    """Write the first entry, pin it outside the home, and sign the first checkpoint.

    Safe to run again after it was cut short; when all is there, nothing is written. A first
    line that was never acknowledged, whole or torn, is the only thing that is ever taken
    away: nobody was told of it, and the pin would name a line that does not count.

    Args:
        home: A home with its identity and an ``audit`` directory.
        key: Its log key.
        ring: Where the pin goes.
        genesis: The first entry.
        trust_files: Hex SHA-256 of each trust file, by name.
        now: When the checkpoint is signed; aware.

    Raises:
        IntegrityError: When there is a log that these keys did not begin.
    """
    if pins.find_pin(ring, home.identity.id) is None:
        if pins.read_head(key.directory) is None:
            _begin(home, key, genesis)
        _pin_log(home, key, ring, trust_files)
    if not is_there(home.checkpoint):
        sign_head(home, key, ring, now=now, keep=True)
    return pins.read_pin(ring, home.identity.id)


def _begin(home: Home, key: LogKey, genesis: logged.NewEvent) -> None:
    with hold_open(Appender(home.audit_log)) as log:
        if pins.read_head(key.directory):  # another run was first
            return
        found = log.read_from(0)
        _require_fresh(home, found)
        if found:
            replace_file(home.audit_log, b"")
    with hold(home) as log:
        if pins.read_head(key.directory) is None:
            _write(home, key, log, [genesis], genesis.at)


def _pin_log(home: Home, key: LogKey, ring: KeyRing, trust_files: Mapping[str, str]) -> None:
    with hold(home) as log:
        first = log.read_from(0).split(b"\n", 1)[0]
    pin = pins.Pin(
        home=home.identity.id,
        origin=key.origin,
        genesis=leaf_hash(first),
        vkeys=key.vkeys,
        trust_files=trust_files,
    )
    pins.create_pin(ring, pin)


def _write(
    home: Home,
    key: LogKey | UnloadedKey,
    log: Appender,
    events: Sequence[logged.NewEvent],
    at: datetime,
) -> None:
    head, closure = _find_tail(home, key, log)
    if closure:
        closing = logged.NewEvent(
            event=EventName.TAIL_CLOSED, actor=logged.Actor.UNKNOWN, at=at, fields=closure
        )
        events = (closing, *events)
    first = head.range.size
    lines = [event.line(seq) for seq, event in enumerate(events, first)]
    if odd := [
        event.event for seq, event in enumerate(events) if not logged.is_entry(lines[seq], first + seq)
    ]:
        raise logged.EventError(f"{odd[0]} has not the members that an event of this name has")
    offset, size_bytes, _ = log.append(b"\n".join(lines) + b"\n")
    if offset != head.offset:
        raise IntegrityError(
            f"another program wrote to {log.path} at the same time; these entries are not acknowledged",
            hint="find out what writes there, then run it again",
        )
    grown = head.range.extend(map(leaf_hash, lines))  # a head ahead of its log would be a false alarm
    pins.keep_head(key.directory, pins.KeptHead(range=grown, offset=size_bytes))


def _find_tail(
    home: Home, key: LogKey | UnloadedKey, log: Appender
) -> tuple[pins.KeptHead, Mapping[str, int]]:
    """Read what stands behind the last acknowledged head, usually nothing.

    Returns:
        The head over everything that is there, a line without its end included; and what to record about lines that nobody
        acknowledged, empty where there are none.
    """
    kept = pins.read_head(key.directory) or pins.KeptHead(range=CompactRange(), offset=0)
    raw = _read_behind(log, kept.offset)
    if not raw:
        _check_signed(home, key, kept, ())
        return kept, {}
    lines = raw.split(b"\n")
    unfinished = lines.pop()
    if unfinished:  # the next append closes it: then it is a line like any other
        lines.append(unfinished)
    acknowledged = _check_signed(home, key, kept, lines)
    head = pins.KeptHead(
        range=kept.range.extend(map(leaf_hash, lines)),
        offset=kept.offset + len(raw) + (1 if unfinished else 0),
    )
    unknown = lines[acknowledged - kept.range.size :]
    if not unknown:
        return head, {}
    damaged = sum(not logged.is_entry(line, index) for index, line in enumerate(unknown, acknowledged))
    return head, {"first": acknowledged, "count": len(unknown), "damaged": damaged}


def _check_signed(home: Home, key: LogKey | UnloadedKey, kept: pins.KeptHead, lines: Sequence[bytes]) -> int:
    """Give how many leaves are acknowledged or signed for, after checking that they are there."""
    size = kept.range.size
    stated = read_stated_head(home.checkpoint, key.origin, known=size)
    if stated is None:
        return size
    if stated.size > size:  # the keys' directory was restored from a backup: the signature must tell
        stated = read_signed_head(home.checkpoint, key.origin, key.vkeys).checkpoint
    found = kept.range.extend(map(leaf_hash, lines[: stated.size - size]))
    if (found.size, found.root()) != (stated.size, stated.root):
        raise IntegrityError(f"{home.audit_log} is not the log that {home.checkpoint} was signed for")
    return stated.size


def _present(home: Home, key: LogKey, tree: CompactRange) -> SignedHead | None:
    """Give the present checkpoint when it is of this very tree."""
    if not is_there(home.checkpoint):
        return None
    signed = read_signed_head(home.checkpoint, key.origin, key.vkeys, signatures=False)
    same = (signed.checkpoint.size, signed.checkpoint.root) == (tree.size, tree.root())
    return signed if same else None


def _sign(home: Home, key: LogKey, ring: KeyRing, tree: CompactRange, now: datetime) -> SignedHead:
    checkpoint = Checkpoint(origin=key.origin, size=tree.size, root=tree.root())
    pin = pins.read_pin(ring, home.identity.id)
    for seen in pin.heads:
        # C2SP tlog-checkpoint: a log must not sign what is inconsistent with what it signed before.
        if seen.size > tree.size or (seen.size == tree.size and seen.root != checkpoint.root):
            raise IntegrityError(
                f"a head of {seen.size} entries was seen on {seen.at:%Y-%m-%d}, which this log of "
                f"{tree.size} does not continue; nothing was signed"
            )
    raw = dump_note(sign_note(dump_checkpoint(checkpoint), key.signers(now)))
    make_dir(home.work_dir, ignored_by_git=True)
    replace_file(home.checkpoint, raw)
    pins.remember_head(ring, home.identity.id, pins.Head(size=checkpoint.size, root=checkpoint.root, at=now))
    return SignedHead(checkpoint=checkpoint, raw=raw)


def _read_behind(log: Appender, offset: int) -> bytes:
    found = log.read_from(max(0, offset - 1))
    # The byte before is a line end, and nothing at all where the log is shorter.
    if offset and not found.startswith(b"\n"):
        raise IntegrityError(
            f"{log.path} was cut or changed: its first {offset} bytes are not what was acknowledged"
        )
    return found[1:] if offset else found


def _require_fresh(home: Home, found: bytes) -> None:
    if is_there(home.checkpoint) or found.count(b"\n") > 1:
        raise IntegrityError(
            f"{home.audit_log} was not begun with these keys",
            hint="set NIGHTLEDGER_KEYS to the directory of this home's keys, or restore them from a backup",
        )


NO_KEYS = "signatures: this machine has not pinned the log's keys"


class VerifiedLog:
    """The audit log after one pass: its tree and what is wrong; its entries are decoded when asked for.

    Attributes:
        report: What is wrong, if anything.
        tree: Over every whole line.
    """

    __slots__ = ("_events", "_scan", "_size", "_void", "report", "tree")

    def __init__(self, scan: logged.Scan, claims: Claims, report: Report) -> None:
        """Take what the pass found; see :func:`check_log`."""
        self.report = report
        self.tree = scan.tree
        self._scan = scan
        self._size = acknowledged_size(scan, claims)
        self._void = logged.void_ranges(scan.closures, self._size)
        self._events: tuple[logged.Event, ...] | None = None

    @property
    def size(self) -> int:
        """Number of leaves; lines that are not counted are leaves, too."""
        return self.tree.size

    @property
    def events(self) -> tuple[logged.Event, ...]:
        """The entries that count, in order; kept, so that the second look is free.

        Raises:
            LineError: As :meth:`entries`.
        """
        if self._events is None:
            with logged.collector_at_rest():
                self._events = tuple(map(logged.event_of_record, self._scan.records(self._size, self._void)))
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
    def newest(self) -> logged.Event | None:
        """The last entry that counts.

        Raises:
            LineError: As :meth:`entries`.
        """
        for index in reversed(range(self._size)):
            if not logged.is_void(self._void, index) and index not in self._scan.bad:
                return logged.event_of_record(self._scan.record(index))
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


def check_log(home: Home, pin: pins.Pin | None) -> VerifiedLog:
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


def verify(home: Home, pin: pins.Pin | None, *, thorough: bool = False) -> Report:
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


def _check(home: Home, pin: pins.Pin | None, *, thorough: bool = False) -> tuple[logged.Scan, Claims, Report]:
    # Order matters: a run that appends meanwhile makes the log longer than its heads, never shorter.
    checkpoint = _stored(home, home.checkpoint, pin, signatures=True)
    paths = kept_paths(home)
    scan = _scan(home, pin, thorough=thorough)
    kept = tuple(_stored_kept(home, path, pin, scan, thorough=thorough) for path in paths)
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
        closed=len(logged.void_ranges(scan.closures, acknowledged_size(scan, claims))),
    )
    return scan, claims, report


def _scan(home: Home, pin: pins.Pin | None, *, thorough: bool) -> logged.Scan:
    known = 0 if pin is None or thorough else pin.acknowledged
    scan = logged.scan_log(home.audit_log, known=known)
    if pin and known and (scan.tree.size < known or scan.tree.root(known) != pin.acknowledged_root):
        return logged.scan_log(home.audit_log)
    return scan


def require_intact(log: VerifiedLog) -> None:
    """Refuse to go on with a log that is not what was signed.

    Raises:
        IntegrityError: Naming the first alarm.
    """
    if not log.report.ok:
        first = log.report.alarms[0]
        raise IntegrityError(f"{first.damage.value.upper()} {first.path}: {first.message}")


def read_genesis(home: Home) -> Mapping[str, Any]:
    """Read the entry with which the log began, as it stands, unchecked; none where there is none. Never for the gate."""
    scan = logged.scan_log(home.audit_log)
    records = scan.records(scan.tree.size, ())
    return next((record for record in records if record["event"] == EventName.GENESIS), {})


def _stored(home: Home, path: str, pin: pins.Pin | None, *, signatures: bool) -> StoredHead:
    origin = pin.origin if pin else home.identity.origin
    try:
        head = read_signed_head(path, origin, pin.signed_by if pin else (), signatures=signatures)
    except NightledgerError as error:
        return StoredHead(path=path, head=None, problem=str(error))
    return StoredHead(path=path, head=head.checkpoint, unchecked=head.unchecked)


def _stored_kept(
    home: Home, path: str, pin: pins.Pin | None, scan: logged.Scan, *, thorough: bool
) -> StoredHead:
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


def kept_heads(home: Home, pin: pins.Pin | None) -> tuple[Checkpoint, ...]:
    """Return the checkpoints kept, by size, whose form and signatures hold."""
    kept = (_stored(home, path, pin, signatures=True) for path in kept_paths(home))
    return tuple(one.head for one in kept if one.head)
