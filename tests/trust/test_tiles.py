import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.errors import NightledgerError
from nightledger.trust.merkle import CompactRange, Tree, leaf_hash
from nightledger.trust.tiles import _path, entry_bundles, hash_tiles


def tree_of(count: int) -> Tree:
    tree = Tree()
    tree.extend([leaf_hash(b"%d" % number) for number in range(count)])
    return tree


# The examples of c2sp.org/tlog-tiles, "Merkle Tree".
def test_tile_numbers_are_split_into_groups_of_three_digits() -> None:
    assert _path("0", 1_234_067, 256) == "tile/0/x001/x234/067"
    assert _path("1", 5, 256) == "tile/1/005"
    assert _path("entries", 1_000, 7) == "tile/entries/x001/000.p/7"


def test_a_tree_of_70000_has_the_tiles_that_the_specification_names() -> None:
    paths = [path for path, _ in hash_tiles(tree_of(70_000), 70_000)]
    full = [path for path in paths if ".p/" not in path]
    assert len([path for path in full if path.startswith("tile/0/")]) == 273
    assert len([path for path in full if path.startswith("tile/1/")]) == 1
    assert [path for path in paths if ".p/" in path] == [
        "tile/0/273.p/112",
        "tile/1/001.p/17",
        "tile/2/000.p/1",
    ]


def test_a_tree_of_256_has_a_full_tile_and_a_partial_one_above() -> None:
    assert [path for path, _ in hash_tiles(tree_of(256), 256)] == ["tile/0/000", "tile/1/000.p/1"]


def test_an_empty_tree_has_no_tiles() -> None:
    assert list(hash_tiles(tree_of(3), 0)) == []
    assert list(entry_bundles([])) == []


@given(st.integers(1, 600), st.integers(0, 20))
def test_level_0_tiles_are_enough_for_the_root(size: int, more: int) -> None:
    tree = tree_of(size + more)
    hashes = b"".join(content for path, content in hash_tiles(tree, size) if path.startswith("tile/0/"))
    leaves = [hashes[at : at + 32] for at in range(0, len(hashes), 32)]
    assert CompactRange().extend(leaves).root() == tree.root(size)


def test_bundles_carry_every_leaf_with_its_length() -> None:
    leaves = [b"%d" % number for number in range(258)]
    (first, whole), (second, partial) = entry_bundles(leaves)
    assert (first, second) == ("tile/entries/000", "tile/entries/001.p/2")
    assert whole.startswith(b"\0\x010\0\x011")
    assert partial == b"\0\x03256\0\x03257"


def test_a_leaf_that_no_bundle_can_carry_is_named() -> None:
    list(entry_bundles([b"x" * 65_535]))
    with pytest.raises(NightledgerError, match="line 2 has 65536 bytes"):
        list(entry_bundles([b"", b"x" * 65_536]))
