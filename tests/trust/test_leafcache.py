import os
from pathlib import Path

import pytest
from tests.trust.worlds import World

from nightledger.trust.leafcache import keep_leaves, leaves_path, read_leaves
from nightledger.trust.merkle import CompactRange, leaf_hash

LEAVES = [leaf_hash(b"%d" % number) for number in range(6)]
ROOT = CompactRange().extend(LEAVES[:5]).root()


def test_leaves_come_back_under_their_root_only(bare: World) -> None:
    keep_leaves(bare.home, 0, LEAVES[:2])
    keep_leaves(bare.home, 2, LEAVES[2:])
    assert read_leaves(bare.home, 5, ROOT) == LEAVES[:5]
    assert read_leaves(bare.home, 5, leaf_hash(b"another root")) == []
    assert read_leaves(bare.home, 7, ROOT) == []


def test_a_forged_cache_is_not_believed(bare: World) -> None:
    keep_leaves(bare.home, 0, LEAVES)
    keep_leaves(bare.home, 1, [leaf_hash(b"forged")])
    assert read_leaves(bare.home, 5, ROOT) == []


def test_a_cache_with_a_gap_is_not_grown(bare: World) -> None:
    keep_leaves(bare.home, 3, LEAVES[3:])
    assert Path(leaves_path(bare.home)).read_bytes() == b""
    assert read_leaves(bare.home, 5, ROOT) == []


def test_a_missing_cache_or_another_thing_in_its_place_is_no_error(bare: World, tmp_path: Path) -> None:
    assert read_leaves(bare.home, 5, ROOT) == []
    (tmp_path / "elsewhere").write_bytes(b"")
    Path(bare.home.work_dir).mkdir(exist_ok=True)
    os.symlink(tmp_path / "elsewhere", leaves_path(bare.home))
    keep_leaves(bare.home, 0, LEAVES)
    assert (tmp_path / "elsewhere").read_bytes() == b""
    assert read_leaves(bare.home, 5, ROOT) == []


@pytest.mark.parametrize("size", [0, 5])
def test_an_empty_cache_has_nothing(bare: World, size: int) -> None:
    keep_leaves(bare.home, 0, [])
    assert read_leaves(bare.home, size, ROOT) == []
