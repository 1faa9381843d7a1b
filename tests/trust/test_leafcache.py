import os
import shutil
from pathlib import Path

import pytest
from tests.trust.worlds import World

from nightledger.trust import leafcache
from nightledger.trust.leafcache import keep_leaves, leaves_path, read_leaves
from nightledger.trust.merkle import CompactRange, leaf_hash

LINES = [b"%d" % number * (number + 1) for number in range(6)]
LEAVES = [leaf_hash(line) for line in LINES]
ROOT = CompactRange().extend(LEAVES[:5]).root()


@pytest.fixture
def logged(bare: World) -> World:
    Path(bare.home.audit_dir).mkdir(exist_ok=True)
    bare.write_log(b"".join(line + b"\n" for line in LINES))
    return bare


def test_leaves_come_back_under_their_root_only(logged: World) -> None:
    keep_leaves(logged.home, 6)
    assert read_leaves(logged.home, 5, ROOT) == LEAVES[:5]
    assert read_leaves(logged.home, 5, leaf_hash(b"another root")) == []
    assert read_leaves(logged.home, 7, ROOT) == []


@pytest.mark.parametrize("block", [1, 2, 7, 1 << 16])
@pytest.mark.parametrize("before", range(7))
def test_what_is_missing_is_read_from_the_end_of_the_log(
    logged: World, monkeypatch: pytest.MonkeyPatch, before: int, block: int
) -> None:
    monkeypatch.setattr(leafcache, "_BLOCK_BYTES", block)
    Path(logged.home.work_dir).mkdir(exist_ok=True)
    Path(leaves_path(logged.home)).write_bytes(b"".join(LEAVES[:before]))
    keep_leaves(logged.home, 6)
    assert Path(leaves_path(logged.home)).read_bytes() == b"".join(LEAVES)


def test_what_would_take_too_much_to_read_is_not_kept(logged: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leafcache, "_BLOCK_BYTES", 4)
    monkeypatch.setattr(leafcache, "_MAX_TAIL_BYTES", 4)
    keep_leaves(logged.home, 6)
    assert Path(leaves_path(logged.home)).read_bytes() == b""


def test_no_descriptor_stays_open(logged: World) -> None:
    before = len(os.listdir("/dev/fd"))
    for _ in range(3):
        keep_leaves(logged.home, 6)
    with pytest.raises(FileNotFoundError):
        _keep_without_a_log(logged)
    assert len(os.listdir("/dev/fd")) == before


def _keep_without_a_log(logged: World) -> None:
    os.unlink(logged.home.audit_log)
    keep_leaves(logged.home, 7)


def test_a_forged_cache_is_not_believed(logged: World) -> None:
    keep_leaves(logged.home, 6)
    kept = Path(leaves_path(logged.home))
    kept.write_bytes(LEAVES[0] + leaf_hash(b"forged") + kept.read_bytes()[64:])
    keep_leaves(logged.home, 6)
    assert read_leaves(logged.home, 5, ROOT) == []


def test_a_log_that_is_shorter_than_told_has_nothing_to_keep(logged: World) -> None:
    keep_leaves(logged.home, 7)
    assert read_leaves(logged.home, 5, ROOT) == []


def test_a_missing_cache_or_another_thing_in_its_place_is_no_error(bare: World, tmp_path: Path) -> None:
    assert read_leaves(bare.home, 5, ROOT) == []
    (tmp_path / "elsewhere").write_bytes(b"")
    Path(bare.home.work_dir).mkdir(exist_ok=True)
    os.symlink(tmp_path / "elsewhere", leaves_path(bare.home))
    keep_leaves(bare.home, 6)
    assert (tmp_path / "elsewhere").read_bytes() == b""
    assert read_leaves(bare.home, 5, ROOT) == []


def test_a_folder_that_is_gone_is_not_made_again_for_the_cache(logged: World) -> None:
    shutil.rmtree(logged.home.work_dir, ignore_errors=True)
    keep_leaves(logged.home, 6)
    assert not Path(logged.home.work_dir).exists()
    assert read_leaves(logged.home, 5, ROOT) == []


def test_signing_keeps_the_leaves_of_a_home_whose_folder_was_taken_away(world: World) -> None:
    world.append(1)
    shutil.rmtree(world.home.work_dir)
    world.sign()
    leaves = [leaf_hash(line) for line in world.log_bytes().splitlines()]
    assert read_leaves(world.home, 2, CompactRange().extend(leaves).root()) == leaves


@pytest.mark.parametrize("size", [0, 5])
def test_an_empty_cache_has_nothing(bare: World, size: int) -> None:
    keep_leaves(bare.home, 0)
    assert read_leaves(bare.home, size, ROOT) == []


def test_a_fifo_that_somebody_reads_keeps_no_leaves(logged: World) -> None:
    Path(logged.home.work_dir).mkdir(exist_ok=True)
    os.mkfifo(leaves_path(logged.home))
    reader = os.open(leaves_path(logged.home), os.O_RDONLY | os.O_NONBLOCK)
    try:
        keep_leaves(logged.home, 6)
        assert os.read(reader, 100) == b""
    finally:
        os.close(reader)
    assert read_leaves(logged.home, 5, ROOT) == []
