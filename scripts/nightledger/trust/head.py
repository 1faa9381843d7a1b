"""The head that this machine last acknowledged: how far the audit log is ours.

Kept outside the home, in ``$NIGHTLEDGER_KEYS/<home id>/head.json``, and replaced as a whole before
``append`` returns, so that a crash leaves the head before. Invariant: an event counts only when it stands
at or below this head or below a signed checkpoint. What anybody else appends to the log is never counted,
and what a killed run had not been told is on disk was never acted upon.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from nightledger.codec.canonical import canonical
from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import IntegrityError, NightledgerError, UnreadableError
from nightledger.files.atomic import replace_file
from nightledger.files.reading import read_optional
from nightledger.trust.merkle import CompactRange

FILE = "head.json"
VERSION = 3
_MAX_BYTES = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptHead:
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
    path = f"{directory}/{FILE}"
    raw = read_beside_keys(path, _MAX_BYTES)
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
    replace_file(f"{directory}/{FILE}", dump_head(head))


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
        "v": VERSION,
        "size": head.range.size,
        "offset": head.offset,
        "peaks": [peak.hex() for peak in head.range.peaks],
    }
    return canonical({**record, "check": hashlib.sha256(canonical(record)).hexdigest()}) + b"\n"
