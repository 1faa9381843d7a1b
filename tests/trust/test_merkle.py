"""RFC 6962 section 2.1 against its published values, and against a naive reading of its definitions."""

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.blackbox.forge import root_of
from tests.blackbox.notes import consistency, inclusion
from tests.rows import corpus

from nightledger.trust import merkle

if TYPE_CHECKING:
    from collections.abc import Callable

# Leaves and roots of the Certificate Transparency reference tree, as published in
# google/certificate-transparency (merkletree tests) and transparency-dev/merkle (testonly/constants.go).
REFERENCE_LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
REFERENCE_ROOTS = json.loads(corpus("merkle-roots.json"))
SIZES = st.integers(min_value=1, max_value=70)


def hashes(count: int) -> list[bytes]:
    return [merkle.leaf_hash(b"event %d" % number) for number in range(count)]


def tree_of(count: int) -> merkle.Tree:
    tree = merkle.Tree()
    tree.extend(hashes(count))
    return tree


@pytest.mark.parametrize("size", range(9))
def test_roots_are_those_of_the_reference_tree(size: int) -> None:
    leaves = [merkle.leaf_hash(leaf) for leaf in REFERENCE_LEAVES]
    tree = merkle.Tree()
    tree.extend(leaves)
    assert tree.root(size).hex() == REFERENCE_ROOTS[size]
    assert merkle.CompactRange().extend(leaves[:size]).root().hex() == REFERENCE_ROOTS[size]


@given(size=st.integers(min_value=0, max_value=300), cut=st.integers(min_value=0, max_value=300))
def test_root_and_range_agree_with_the_definition_however_the_tree_was_grown(size: int, cut: int) -> None:
    cut = min(cut, size)
    leaves = hashes(size)
    tree = merkle.Tree()
    tree.extend(leaves[:cut])
    tree.extend(leaves[cut:])
    assert tree.root() == root_of(leaves)
    assert tree.root(cut) == root_of(leaves[:cut])
    assert tree.range(cut).extend(leaves[cut:]) == tree.range(size)


@given(size=SIZES, place=st.integers(min_value=0))
def test_inclusion_proofs_are_those_of_the_definition_and_verify(size: int, place: int) -> None:
    index, leaves, tree = place % size, hashes(size), tree_of(size + 3)
    proof = tree.inclusion_proof(index, size)
    assert list(proof) == inclusion(leaves, index)
    merkle.verify_inclusion(leaves[index], index, size, proof, tree.root(size))


@given(size=SIZES, earlier=st.integers(min_value=0))
def test_consistency_proofs_are_those_of_the_definition_and_verify(size: int, earlier: int) -> None:
    old, tree = earlier % size + 1, tree_of(size + 3)
    proof = tree.consistency_proof(old, size)
    assert list(proof) == consistency(hashes(size), old)
    merkle.verify_consistency(old, size, proof, tree.root(old), tree.root(size))


def flip(digest: bytes) -> bytes:
    return bytes([digest[0] ^ 1]) + digest[1:]


def bent(proof: list[bytes], at: int, other: bytes) -> list[list[bytes]]:
    """Give a proof with a hash more, less or changed."""
    wrong = [[*proof, other], [other, *proof]]
    if proof:
        at %= len(proof)
        wrong += [proof[:-1], proof[1:], [*proof[:at], flip(proof[at]), *proof[at + 1 :]]]
    return wrong


@given(size=SIZES, place=st.integers(min_value=0), at=st.integers(min_value=0))
def test_a_proof_with_any_hash_changed_dropped_or_added_fails(size: int, place: int, at: int) -> None:
    index, tree, root = place % size, tree_of(size), tree_of(size).root()
    leaf, proof = hashes(size)[index], list(tree.inclusion_proof(index, size))
    for path in bent(proof, at, leaf):
        with pytest.raises(merkle.ProofError):
            merkle.verify_inclusion(leaf, index, size, path, root)
    for first, last in ((flip(leaf), root), (leaf, flip(root))):
        with pytest.raises(merkle.ProofError):
            merkle.verify_inclusion(first, index, size, proof, last)
    old, proof = index + 1, list(tree.consistency_proof(index + 1, size))
    for path in bent(proof, at, root):
        with pytest.raises(merkle.ProofError):
            merkle.verify_consistency(old, size, path, tree.root(old), root)
    for first, last in ((flip(tree.root(old)), root), (tree.root(old), flip(root))):
        with pytest.raises(merkle.ProofError):
            merkle.verify_consistency(old, size, proof, first, last)


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_hashes_that_are_not_32_bytes_are_refused(length: int) -> None:
    good, bad = merkle.leaf_hash(b""), b"\x00" * length
    calls: list[Callable[[], object]] = [
        lambda: merkle.verify_inclusion(bad, 0, 1, [], bad),
        lambda: merkle.verify_inclusion(good, 0, 2, [bad], good),
        lambda: merkle.verify_consistency(1, 1, [], bad, bad),
        lambda: merkle.verify_consistency(1, 2, [bad], good, good),
        lambda: merkle.CompactRange(size=1, peaks=(bad,)),
    ]
    for call in calls:
        with pytest.raises(merkle.ProofError, match="bytes, not 32"):
            call()


@pytest.mark.parametrize(("size", "peaks"), [(2, 2), (3, 1), (0, 1), (-1, 1)])
def test_a_compact_range_refuses_peaks_of_another_size(size: int, peaks: int) -> None:
    with pytest.raises(merkle.ProofError, match="peaks cannot make a tree"):
        merkle.CompactRange(size=size, peaks=tuple(hashes(peaks)))


@pytest.mark.parametrize("index", [-1, 3, 4])
def test_what_is_not_in_the_tree_has_no_proof(index: int) -> None:
    tree = tree_of(3)
    with pytest.raises(merkle.TreeRangeError):
        tree.inclusion_proof(index, 3)
    with pytest.raises(merkle.ProofError, match="cannot be in a tree of 3 leaves"):
        merkle.verify_inclusion(merkle.leaf_hash(b""), index, 3, [], tree.root())
