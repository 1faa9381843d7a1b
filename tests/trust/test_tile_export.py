"""c2sp.org/tlog-tiles on disk: whole, growing, and never rewritten."""

from pathlib import Path

import pytest
from tests.trust.witnesses import head_of, lines_of, note_of, tree_of

from nightledger.domain.errors import NightledgerError
from nightledger.trust.checkpoint import parse_checkpoint
from nightledger.trust.merkle import CompactRange, leaf_hash
from nightledger.trust.note import parse_note
from nightledger.trust.tile_export import ExportError, export_tiles


def export(directory: Path, size: int, word: bytes = b"line", *, head: int | None = None) -> tuple[int, int]:
    tree = tree_of(size, word)
    made = export_tiles(str(directory), tree, lines_of(size, word), note_of(head_of(tree, head)))
    assert made.size == (size if head is None else head)
    return made.written, made.present


def entries(directory: Path) -> list[bytes]:
    """Read every exported line back, the widest bundle of each number."""
    found: list[bytes] = []
    folder = directory / "tile" / "entries"
    bundles = sorted(path for path in folder.glob("[0-9]*") if path.is_file())
    partial = sorted(folder.glob("*.p/*"), key=lambda path: (path.parent.name, int(path.name)))
    raw = b"".join(path.read_bytes() for path in [*bundles, *partial[-1:]])
    while raw:
        length = int.from_bytes(raw[:2], "big")
        found.append(raw[2 : 2 + length])
        raw = raw[2 + length :]
    return found


def test_an_export_holds_every_line_and_leads_to_the_signed_root(tmp_path: Path) -> None:
    assert export(tmp_path / "out", 300) == (5, 0)
    lines = entries(tmp_path / "out")
    assert lines == lines_of(300)
    head = parse_checkpoint(parse_note((tmp_path / "out" / "checkpoint").read_bytes()).text)
    assert CompactRange().extend(map(leaf_hash, lines)).root() == head.root


def test_a_longer_log_is_added_to_what_was_exported(tmp_path: Path) -> None:
    export(tmp_path, 300)
    assert export(tmp_path, 300) == (0, 5)
    written, present = export(tmp_path, 600)
    assert (written, present) == (5, 2)
    assert entries(tmp_path) == lines_of(600)


def test_only_what_is_signed_for_is_exported(tmp_path: Path) -> None:
    export(tmp_path, 9, head=5)
    assert entries(tmp_path) == lines_of(5)


def test_an_export_of_another_history_is_refused_before_a_byte_is_written(tmp_path: Path) -> None:
    export(tmp_path, 300)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ExportError, match="another history of 300 entries"):
        export(tmp_path, 400, b"other")
    with pytest.raises(ExportError, match="a head of 300 entries, and this log's has 20"):
        export(tmp_path, 20)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_an_export_of_another_log_is_refused(tmp_path: Path) -> None:
    tree = tree_of(3)
    (tmp_path / "checkpoint").write_bytes(note_of(head_of(tree, origin="nightledger/other")))
    with pytest.raises(ExportError, match="of another log: 'nightledger/other'"):
        export(tmp_path, 3)


def test_a_tile_that_was_changed_stops_the_export(tmp_path: Path) -> None:
    export(tmp_path, 300)
    tile = tmp_path / "tile" / "0" / "000"
    tile.write_bytes(bytes(8192))
    with pytest.raises(ExportError, match="was exported before with other bytes"):
        export(tmp_path, 400)


def test_a_line_that_no_bundle_can_carry_is_named(tmp_path: Path) -> None:
    tree = tree_of(1)
    with pytest.raises(NightledgerError, match="line 1 has 65536 bytes"):
        export_tiles(str(tmp_path), tree, [b"x" * 65_536], note_of(head_of(tree)))
