"""What this machine keeps about a home's log, outside the home: the pin, and the head that was last acknowledged.

``$NIGHTLEDGER_KEYS/<home id>/pin.json``, made by ``init``. Invariant: home id, genesis,
verifier keys and trust files never change in it; heads seen are only added, and the
first one of a size stays. ``head.json`` beside it is replaced as a whole before an append returns, so that
a crash leaves the head before. Invariant: an event counts only when it stands at or below this head or below a
signed checkpoint. What anybody else appends to the log is never counted, and what a killed run had not been
told is on disk was never acted upon.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from nightledger.codec.canonical import MAX_INTEGER, canonical, parse_json
from nightledger.domain.errors import ConfigurationError, IntegrityError, NightledgerError, UnreadableError
from nightledger.domain.words import dump_moment, read_moment
from nightledger.files.atomic import Lock, create_file, replace_file
from nightledger.files.durable import make_dir, read_optional
from nightledger.trust.keys import KeyRing
from nightledger.trust.merkle import DIGEST_BYTES, CompactRange

Count = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
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
