r"""Checkpoints: the head of a log as the text of a signed note (c2sp.org/tlog-checkpoint@v1.0.0).

``<origin>\n<size>\n<base64 root>\n``. Invariant: no extension lines, which ML-DSA lines
would not sign; so one head has one text.
"""

from msgspec import Struct

from nightledger.trust.merkle import DIGEST_BYTES
from nightledger.trust.note import NoteError
from nightledger.trust.wire import decode_base64, encode_base64

MAX_SIZE = 2**63 - 1
"""Largest tree size that every implementation can hold."""
_LINES = 3


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The head of a log: how many leaves, and the root over them.

    Attributes:
        origin: Name of the log: ``nightledger/<home id>``.
        size: Number of leaves.
        root: RFC 6962 root of the first ``size`` leaves, 32 bytes.
    """

    origin: str
    size: int
    root: bytes


def log_origin(home_id: str, *, simulated: bool) -> str:
    """Give the name of a home's log; a simulated home's says so on every checkpoint.

    Args:
        home_id: 32 hex digits.
        simulated: Whether its clock can be set.
    """
    return f"nightledger{'-simulated' if simulated else ''}/{home_id}"


def parse_checkpoint(text: str) -> Checkpoint:
    """Read the text of a checkpoint's note.

    Raises:
        NoteError: When it is not exactly the three lines.
    """
    lines = text.split("\n")
    if len(lines) != _LINES + 1 or lines.pop() != "":
        raise NoteError("a checkpoint has three lines: origin, size, root")
    origin, size, encoded = lines
    root = decode_base64(encoded)
    if not origin:
        raise NoteError("the checkpoint names no log")
    if not (size.isascii() and size.isdigit() and str(int(size[:20])) == size and int(size) <= MAX_SIZE):
        raise NoteError(f"{size[:40]!r} is not a tree size")
    if root is None or len(root) != DIGEST_BYTES:
        raise NoteError(f"{encoded[:80]!r} is not a root: 32 bytes in base64")
    return Checkpoint(origin=origin, size=int(size), root=root)


def dump_checkpoint(checkpoint: Checkpoint) -> str:
    """Give the text that is signed; the inverse of :func:`parse_checkpoint`.

    Raises:
        NoteError: When it could not be read back: an origin with a line end, a wrong root.
    """
    text = f"{checkpoint.origin}\n{checkpoint.size}\n{encode_base64(checkpoint.root)}\n"
    parse_checkpoint(text)
    return text
