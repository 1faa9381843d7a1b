"""Read the audit log, checked in one pass against signatures and pin.

Invariant: the entries that are given out are those that count: under a signature or
acknowledged by this machine, and in no tail that was closed. Damage never raises here; it is
reported, and :func:`require_intact` turns the first alarm into an error.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from nightledger.codec.canonical import canonical
from nightledger.codec.strict_json import parse_json
from nightledger.domain.decision import Event
from nightledger.domain.errors import ConfigurationError, IntegrityError, NightledgerError, UnreadableError
from nightledger.domain.words import dump_moment, read_moment
from nightledger.files.atomic import Lock, create_file, replace_file
from nightledger.files.durable import list_names, make_dir, read_optional
from nightledger.files.home import Home
from nightledger.trust.checkpoint import Checkpoint
from nightledger.trust.heads import read_signed_head
from nightledger.trust.keys import KeyRing
from nightledger.trust.merkle import DIGEST_BYTES, CompactRange, TreeRangeError
from nightledger.trust.report import MOVE_AWAY, Claims, Report, StoredHead, acknowledged_size, find_damage
from nightledger.trust.scan import Scan, collector_at_rest, event_of_record, is_void, scan_log, void_ranges

Count = Annotated[int, Meta(ge=0)]
FILE = "pin.json"
HEAD_FILE = "head.json"
HEAD_VERSION = 3
_MAX_HEAD_BYTES = 65_536
NO_PIN = (
    "set NIGHTLEDGER_KEYS to the directory that 'init' used; 'nightledger restore FILE --home DIR' brings it back from a backup; "
    "without one 'nightledger restore --take-over' has you sign for the log that stands there; where every key is lost, too: "
    "'nightledger key reset --all-keys-lost'"
)
MAX_HEADS = 16
"""One head pins all before it; a few more show since when."""
_MAX_BYTES = 1 << 20
_LOCK_TIMEOUT_S = 10.0


class Head(Struct, frozen=True, kw_only=True):
    """A head of the log that was seen.

    Attributes:
        size: Number of leaves.
        root: RFC 6962 root over them, 32 bytes.
        at: When it was seen; aware; kept in whole seconds of UTC.
    """

    size: Count
    root: bytes
    at: datetime


class Pin(Struct, frozen=True, kw_only=True):
    """What a log must agree with, whatever its home says.

    Attributes:
        home: Id of the home, 32 hex digits.
        origin: Name of the log in its checkpoints.
        genesis: Leaf hash of the first line, 32 bytes.
        vkeys: Verifier keys, all of which must have signed each checkpoint.
        trust_files: Hex SHA-256 of each trust file at ``init``, by name.
        heads: Heads seen, by size, the newest last.
        acknowledged: Number of leaves up to which the log is ours beyond its checkpoint;
            0 where nothing is known. Kept in ``head.json``.
        acknowledged_root: Root over them; empty where nothing is known.
        former: Verifier keys that signed it until all keys were lost, each with how long it was then, the oldest first.
        v: Version of the record, 1.
    """

    home: str
    origin: str
    genesis: bytes
    vkeys: tuple[str, ...]
    trust_files: Mapping[str, str]
    heads: tuple[Head, ...] = ()
    acknowledged: int = 0
    acknowledged_root: bytes = b""
    former: tuple[tuple[Count, str], ...] = ()
    v: Count = 1

    def signed_by(self, size: int) -> tuple[str, ...]:
        """Return the verifier keys that must have signed a checkpoint of so many leaves."""
        upto = next((upto for upto, _ in self.former if size <= upto), None)
        return tuple(vkey for one, vkey in self.former if one == upto) if upto else self.vkeys


class KeptHead(Struct, frozen=True, kw_only=True):
    """How far the log is ours, and what is needed to grow it without reading it again.

    Attributes:
        range: Size and peaks of the tree.
        offset: Size of the log in bytes, up to there.
    """

    range: CompactRange
    offset: int


def read_head(directory: Path) -> KeptHead | None:
    """Read the head; None where there is none yet, or it was lost: then checkpoints alone count.

    Args:
        directory: Of the home's keys.

    Raises:
        IntegrityError: When it is damaged, or no regular file.
    """
    path = f"{directory}/{HEAD_FILE}"
    raw = read_beside_keys(path, _MAX_HEAD_BYTES)
    if raw is None:
        return None
    try:
        record = parse_json(raw, path)
        peaks = tuple(map(bytes.fromhex, record["peaks"]))
        head = KeptHead(range=CompactRange(size=record["size"], peaks=peaks), offset=record["offset"])
        if type(head.offset) is int and head.offset >= 0 and dump_head(head) == raw:
            return head
    except (NightledgerError, AttributeError, KeyError, TypeError, ValueError):
        pass
    raise IntegrityError(
        f"{path} is damaged", hint="move it away; the log then counts up to its last checkpoint"
    )


def keep_head(directory: Path, head: KeptHead) -> None:
    """Put a head in the place of the one before; on disk when this returns."""
    replace_file(f"{directory}/{HEAD_FILE}", dump_head(head))


def read_beside_keys(path: str, max_bytes: int) -> bytes | None:
    """Return the bytes of a file that says what the log must be; None where there is none.

    Raises:
        IntegrityError: It is no regular file, too large, or may not be read: the log cannot be checked.
    """
    try:
        return read_optional(path, max_bytes)
    except UnreadableError as error:
        raise IntegrityError(str(error), hint=error.hint) from error


def dump_head(head: KeptHead) -> bytes:
    """Give a head's bytes: canonical JSON with the SHA-256 of its other members."""
    record = {
        "v": HEAD_VERSION,
        "size": head.range.size,
        "offset": head.offset,
        "peaks": [peak.hex() for peak in head.range.peaks],
    }
    return canonical({**record, "check": hashlib.sha256(canonical(record)).hexdigest()}) + b"\n"


def create_pin(ring: KeyRing, pin: Pin) -> None:
    """Write the pin of a new home; durable when this returns.

    Raises:
        ConfigurationError: When there is one already: a pin is never replaced.
    """
    path = ring.path(pin.home, FILE)
    make_dir(str(path.parent))
    try:
        create_file(str(path), _dump(pin))
    except FileExistsError as error:
        raise ConfigurationError(f"{path} exists; a pin is never replaced") from error


def read_pin(ring: KeyRing, home_id: str) -> Pin:
    """Read the pin, and how far the log is ours.

    Raises:
        IntegrityError: When it is damaged, or there is none: this machine has never seen the home.
    """
    pin = find_pin(ring, home_id)
    if pin is None:
        raise IntegrityError(
            f"{ring.path(home_id, FILE)} is missing: nothing here says what this home's log must begin with",
            hint=NO_PIN,
        )
    return pin


def find_pin(ring: KeyRing, home_id: str) -> Pin | None:
    """Read the pin, and how far the log is ours; None where this machine has never seen the home.

    Raises:
        IntegrityError: When it is damaged.
    """
    path = ring.path(home_id, FILE)
    raw = read_beside_keys(str(path), _MAX_BYTES)
    if raw is None:
        return None
    try:
        pin = _parse(parse_json(raw, str(path)))
    except (NightledgerError, ValidationError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise IntegrityError(f"{path} is damaged", hint="restore it from a backup of the keys") from error
    kept = read_head(path.parent)
    if kept is None:
        return pin
    return replace(pin, acknowledged=kept.range.size, acknowledged_root=kept.range.root())


def remember_head(ring: KeyRing, home_id: str, head: Head) -> None:
    """Add a head that was seen, unless one of that size was seen before; durable when this returns."""
    path = ring.path(home_id, FILE)
    with Lock(str(path.with_name("pin.lock")), timeout_s=_LOCK_TIMEOUT_S):
        pin = read_pin(ring, home_id)
        if any(seen.size == head.size for seen in pin.heads):
            return
        heads = sorted((*pin.heads, head), key=lambda seen: seen.size)[-MAX_HEADS:]
        replace_file(str(path), _dump(replace(pin, heads=tuple(heads))))


def _dump(pin: Pin) -> bytes:
    record = {
        "v": pin.v,
        "home": pin.home,
        "origin": pin.origin,
        "genesis": pin.genesis.hex(),
        "vkeys": list(pin.vkeys),
        "trust_files": dict(pin.trust_files),
        "heads": [
            {"size": head.size, "root": head.root.hex(), "at": dump_moment(head.at.replace(microsecond=0))}
            for head in pin.heads
        ],
        **({"former": list(map(list, pin.former))} if pin.former else {}),
    }
    return canonical(record) + b"\n"


def _parse(record: Any) -> Pin:
    heads = [
        {**head, "root": _digest(head["root"]), "at": read_moment(head["at"])} for head in record["heads"]
    ]
    told = {"v": record["v"], "genesis": _digest(record["genesis"]), "heads": heads}
    elsewhere = {"acknowledged": 0, "acknowledged_root": b""}  # in the file of the head
    return convert({**record, **told, **elsewhere}, Pin, builtin_types=(bytes, datetime))


def _digest(text: str) -> bytes:
    digest = bytes.fromhex(text)
    if len(digest) != DIGEST_BYTES:
        raise ValueError("not a SHA-256")
    return digest


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
