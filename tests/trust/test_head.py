"""The head of the log in the keys' directory, where something else was written there."""

import json
from pathlib import Path
from typing import Any

import pytest

from nightledger.domain.errors import IntegrityError, NotDurableError
from nightledger.files import slots
from nightledger.trust import head
from nightledger.trust.head import FILE, HeadFile, KeptHead, read_head
from nightledger.trust.merkle import CompactRange, leaf_hash


def grow(directory: Path, times: int) -> KeptHead:
    """Keep heads one after the other, each over one leaf more; give the last."""
    kept = KeptHead(range=CompactRange(), offset=0)
    for _ in range(times):
        with HeadFile(directory) as file:
            found = file.kept or kept
            kept = KeptHead(range=found.range.append(leaf_hash(b"leaf")), offset=found.offset + 5)
            file.prepare(kept)
            file.keep()
    return kept


@pytest.mark.parametrize(
    "fields",
    [{"size": 0.0}, {"size": False}, {"size": "0"}, {"offset": "0"}, {"offset": -1}, {"offset": None}],
)
def test_a_head_of_the_older_form_has_whole_numbers(tmp_path: Path, fields: dict[str, Any]) -> None:
    good = {"offset": 0, "peaks": [], "size": 0, "v": 1}
    (tmp_path / FILE).write_text(json.dumps(good))
    assert read_head(tmp_path) is not None
    (tmp_path / FILE).write_text(json.dumps({**good, **fields}))
    with pytest.raises(IntegrityError, match="is damaged"):
        read_head(tmp_path)


def test_what_this_process_wrote_last_is_not_parsed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = grow(tmp_path, 3)
    monkeypatch.setattr(head, "_parse", None)  # whoever calls it ends with a TypeError
    with HeadFile(tmp_path) as file:
        assert file.kept == kept
    assert grow(tmp_path, 1).range.size == 4
    monkeypatch.undo()
    assert read_head(tmp_path) == KeptHead(range=grow(_made(tmp_path / "other"), 4).range, offset=20)


def test_a_head_that_somebody_else_wrote_since_is_read(tmp_path: Path) -> None:
    older = grow(tmp_path, 4)
    held = (tmp_path / FILE).read_bytes()
    grow(tmp_path, 1)
    (tmp_path / FILE).write_bytes(held)
    with HeadFile(tmp_path) as file:
        assert file.kept == older
    assert grow(tmp_path, 1).range.size == 5
    (tmp_path / FILE).unlink()
    with HeadFile(tmp_path) as file:
        assert file.kept is None


def test_a_head_that_the_disk_did_not_confirm_is_read_from_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = grow(tmp_path, 2)
    with HeadFile(tmp_path) as file:
        file.prepare(KeptHead(range=older.range.append(leaf_hash(b"leaf")), offset=15))
        monkeypatch.setattr(slots, "sync_bytes", _fail)
        with pytest.raises(NotDurableError):
            file.keep()
        assert file.kept == older
    monkeypatch.undo()
    whole = bytearray((tmp_path / FILE).read_bytes())
    whole[: slots.SLOT_BYTES] = b" " * slots.SLOT_BYTES  # the slot that was written last, as if torn
    (tmp_path / FILE).write_bytes(whole)
    with HeadFile(tmp_path) as file:
        assert file.kept == older


def _made(path: Path) -> Path:
    path.mkdir()
    return path


def _fail(*_: object) -> None:
    raise NotDurableError("no")
