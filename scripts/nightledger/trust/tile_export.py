"""Write a log out as static files that anybody can serve and check (c2sp.org/tlog-tiles).

Invariant: what was exported before is never changed: a full tile or bundle that would
differ stops the export, because two exports of one log can only differ by growth.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from nightledger.domain.errors import IntegrityError
from nightledger.files.atomic import create_file, replace_file
from nightledger.files.durable import make_dir
from nightledger.files.reading import read_optional
from nightledger.trust.anchor import contradicts
from nightledger.trust.checkpoint import Checkpoint, parse_checkpoint
from nightledger.trust.event import MAX_LEAF_BYTES
from nightledger.trust.merkle import Tree
from nightledger.trust.note import MAX_NOTE_BYTES, parse_note
from nightledger.trust.tiles import WIDTH, entry_bundles, hash_tiles

CHECKPOINT = "checkpoint"
_MAX_TILE_BYTES = WIDTH * (MAX_LEAF_BYTES + 2)


class ExportError(IntegrityError):
    """What was exported before is not of this log."""

    hint = "export into an empty directory, and compare the two with 'nightledger consistency'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What an export wrote.

    Attributes:
        size: Leaves that are exported.
        written: Files that were not there before.
        present: Files that were there, with the same bytes.
    """

    size: int
    written: int
    present: int


def export_tiles(directory: str, tree: Tree, lines: Sequence[bytes], checkpoint: bytes) -> Export:
    """Write tiles, bundles of entries and, last, the checkpoint that covers them.

    Args:
        directory: Where; made where it is missing. An earlier export of this log is added to.
        tree: Of the log.
        lines: Every line, without its end.
        checkpoint: A signed head of this log, as bytes.

    Raises:
        ExportError: What lies there is of another log, or of another history of it.
        NightledgerError: A line is longer than a bundle can carry; a torn one may be.
    """
    head = parse_checkpoint(parse_note(checkpoint).text)
    path = os.path.join(directory, CHECKPOINT)
    _require_earlier(path, head, tree)
    counts = [0, 0]
    for name, content in (*entry_bundles(lines[: head.size]), *hash_tiles(tree, head.size)):
        counts[_write(os.path.join(directory, *name.split("/")), content)] += 1
    make_dir(directory)
    replace_file(path, checkpoint)
    return Export(size=head.size, written=counts[True], present=counts[False])


def _require_earlier(path: str, head: Checkpoint, tree: Tree) -> None:
    raw = read_optional(path, MAX_NOTE_BYTES)
    if raw is None:
        return
    old = parse_checkpoint(parse_note(raw).text)
    if old.origin != head.origin:
        raise ExportError(f"{path} is of another log: {old.origin[:80]!r}")
    if old.size > head.size:
        raise ExportError(f"{path} is a head of {old.size} entries, and this log's has {head.size}")
    if contradicts(old, tree):
        raise ExportError(f"{path} is a head of another history of {old.size} entries")


def _write(path: str, content: bytes) -> bool:
    found = read_optional(path, _MAX_TILE_BYTES)
    if found == content:
        return False
    if found is not None:
        raise ExportError(f"{path} was exported before with other bytes")
    make_dir(os.path.dirname(path))
    create_file(path, content)
    return True
