"""Write the audit log: append entries, sign its head, start it.

Life of an entry: its line is written with one write(2) and is on disk; then the grown head is on disk
in the keys' directory (``pin.py``); only then ``append`` returns. At the end of the run ``sign_head``
signs a checkpoint. Invariant: what was never acknowledged
(a killed run's line, a torn line, a line that somebody else appended) stays in the file
as a leaf, is named by one ``log.tail_closed`` entry, and is never counted. The log itself is
locked, so that callers may hold the home's lock.
"""

import os
from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from nightledger.domain.decision import EventName
from nightledger.domain.errors import IntegrityError
from nightledger.files.atomic import replace_file
from nightledger.files.durable import is_there, make_dir
from nightledger.files.home import Home
from nightledger.files.line_log import Appender
from nightledger.trust.event import Actor, Event, EventError, NewEvent, is_entry
from nightledger.trust.heads import SignedHead, hold, hold_open, read_signed_head, read_stated_head
from nightledger.trust.keys import KeyRing, LogKey, UnloadedKey
from nightledger.trust.merkle import CompactRange, leaf_hash
from nightledger.trust.note import Checkpoint, dump_checkpoint, dump_note, sign_note
from nightledger.trust.pin import (
    Head,
    KeptHead,
    Pin,
    create_pin,
    find_pin,
    keep_head,
    read_head,
    read_pin,
    remember_head,
)


class _Tail(Struct, frozen=True, kw_only=True):
    """The log as it is found.

    Attributes:
        head: Over everything that is there, a line without its end included.
        closure: What to record about lines that nobody acknowledged; empty where there are none.
    """

    head: KeptHead
    closure: Mapping[str, int] | None = None


def append(home: Home, key: LogKey | UnloadedKey, events: Sequence[NewEvent]) -> tuple[Event, ...]:
    """Append events; they are on disk and acknowledged when this returns.

    It costs the same whatever the size of the log, which is not read.

    Args:
        home: Whose log.
        key: Its key, loaded or not; names the log and where the acknowledged head is kept.
        events: What happened, in order.

    Returns:
        The events with their places.

    Raises:
        LockedError: When another run writes to the log for longer than 10 s.
        IntegrityError: When the log is shorter than, or differs from, what was acknowledged
            or signed; nothing is written.
        EventError: When an event holds what the log does not take; nothing is written.
        NotDurableError: When the disk fails; the events are not acknowledged.
    """
    if not events:
        return ()
    with hold(home) as log:
        return _write(home, key, log, events, events[0].at)


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
        tail = _find_tail(home, key, log)
        if tail.closure:
            _write(home, key, log, (), now)
            tail = _find_tail(home, key, log)
        signed = _present(home, key, tail.head.range) or _sign(home, key, ring, tail.head.range, now)
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
    genesis: NewEvent,
    trust_files: Mapping[str, str],
    now: datetime,
) -> Pin:
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
    if find_pin(ring, home.identity.id) is None:
        if read_head(key.directory) is None:
            _begin(home, key, genesis)
        _pin_log(home, key, ring, trust_files)
    if not is_there(home.checkpoint):
        sign_head(home, key, ring, now=now, keep=True)
    return read_pin(ring, home.identity.id)


def _begin(home: Home, key: LogKey, genesis: NewEvent) -> None:
    with hold_open(Appender(home.audit_log)) as log:
        if read_head(key.directory):  # another run was first
            return
        found = log.read_from(0)
        _require_fresh(home, found)
        if found:
            replace_file(home.audit_log, b"")
    with hold(home) as log:
        if read_head(key.directory) is None:
            _write(home, key, log, [genesis], genesis.at)


def _pin_log(home: Home, key: LogKey, ring: KeyRing, trust_files: Mapping[str, str]) -> None:
    with hold(home) as log:
        first = log.read_from(0).split(b"\n", 1)[0]
    pin = Pin(
        home=home.identity.id,
        origin=key.origin,
        genesis=leaf_hash(first),
        vkeys=key.vkeys,
        trust_files=trust_files,
    )
    create_pin(ring, pin)


def _write(
    home: Home,
    key: LogKey | UnloadedKey,
    log: Appender,
    events: Sequence[NewEvent],
    at: datetime,
) -> tuple[Event, ...]:
    tail = _find_tail(home, key, log)
    if tail.closure:
        closing = NewEvent(event=EventName.TAIL_CLOSED, actor=Actor.UNKNOWN, at=at, fields=tail.closure)
        events = (closing, *events)
    first = tail.head.range.size
    lines = [event.line(seq) for seq, event in enumerate(events, first)]
    if odd := [event.event for seq, event in enumerate(events) if not is_entry(lines[seq], first + seq)]:
        raise EventError(f"{odd[0]} has not the members that an event of this name has")
    offset, size_bytes, _ = log.append(b"\n".join(lines) + b"\n")
    if offset != tail.head.offset:
        raise IntegrityError(
            f"another program wrote to {log.path} at the same time; these entries are not acknowledged",
            hint="find out what writes there, then run it again",
        )
    grown = tail.head.range.extend(map(leaf_hash, lines))  # a head ahead of its log would be a false alarm
    keep_head(key.directory, KeptHead(range=grown, offset=size_bytes))
    placed = tuple(event.placed(seq) for seq, event in enumerate(events, first))
    return placed[1:] if tail.closure else placed


def _find_tail(home: Home, key: LogKey | UnloadedKey, log: Appender) -> _Tail:
    """Read what stands behind the last acknowledged head, usually nothing."""
    kept = read_head(key.directory) or KeptHead(range=CompactRange(), offset=0)
    raw = _read_behind(log, kept.offset)
    if not raw:
        _check_signed(home, key, kept, ())
        return _Tail(head=kept)
    lines = raw.split(b"\n")
    unfinished = lines.pop()
    if unfinished:  # the next append closes it: then it is a line like any other
        lines.append(unfinished)
    acknowledged = _check_signed(home, key, kept, lines)
    head = KeptHead(
        range=kept.range.extend(map(leaf_hash, lines)),
        offset=kept.offset + len(raw) + (1 if unfinished else 0),
    )
    unknown = lines[acknowledged - kept.range.size :]
    if not unknown:
        return _Tail(head=head)
    damaged = sum(not is_entry(line, index) for index, line in enumerate(unknown, acknowledged))
    return _Tail(head=head, closure={"first": acknowledged, "count": len(unknown), "damaged": damaged})


def _check_signed(home: Home, key: LogKey | UnloadedKey, kept: KeptHead, lines: Sequence[bytes]) -> int:
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
    pin = read_pin(ring, home.identity.id)
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
    remember_head(ring, home.identity.id, Head(size=checkpoint.size, root=checkpoint.root, at=now))
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
