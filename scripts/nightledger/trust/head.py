"""The head that this machine last acknowledged: how far the audit log is ours.

Kept outside the home, in ``$NIGHTLEDGER_KEYS/<home id>/head.json``, and put on disk before
``append`` returns. Invariant: an event counts only when it stands at or below this head
or below a signed checkpoint. What anybody else appends to the log is never counted, and
what a killed run had not been told is on disk was never acted upon.
"""

from dataclasses import dataclass
from pathlib import Path

from nightledger.codec.canonical import canonical
from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.files.atomic import replace_file
from nightledger.files.reading import read_optional
from nightledger.trust.merkle import CompactRange

FILE = "head.json"
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

    Raises:
        IntegrityError: When it is damaged.
    """
    raw = read_optional(str(directory / FILE), _MAX_BYTES)
    if raw is None:
        return None
    try:
        record = parse_json(raw, str(directory / FILE))
        peaks = tuple(map(bytes.fromhex, record["peaks"]))
        return KeptHead(range=CompactRange(size=record["size"], peaks=peaks), offset=record["offset"])
    except (NightledgerError, KeyError, TypeError, ValueError) as error:
        raise IntegrityError(
            f"{directory / FILE} is damaged",
            hint="move it away; the log then counts up to its last checkpoint",
        ) from error


def keep_head(directory: Path, head: KeptHead) -> None:
    """Write the head; it is on disk when this returns."""
    record = {
        "v": 1,
        "size": head.range.size,
        "offset": head.offset,
        "peaks": [peak.hex() for peak in head.range.peaks],
    }
    replace_file(str(directory / FILE), canonical(record) + b"\n")
