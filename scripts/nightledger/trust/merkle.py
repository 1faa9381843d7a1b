"""The Merkle tree of RFC 6962 section 2.1: hashes, roots, proofs and their verification.

Invariant: pure functions and values over raw SHA-256 digests. A digest that was read and is
not 32 bytes is an error, so that no length-confused proof can pass. Verification
follows RFC 9162 sections 2.1.3.2 and 2.1.4.2, which state the algorithms that RFC 6962
leaves to the reader.
"""

import hashlib
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from nightledger.domain.errors import IntegrityError, NightledgerError

DIGEST_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()
"""RFC 6962 section 2.1: the hash of an empty list is the hash of an empty string."""


class ProofError(IntegrityError):
    """A Merkle proof does not prove what it claims."""


class TreeRangeError(NightledgerError):
    """A size or index lies outside the tree; the caller asked for what does not exist."""


def leaf_hash(leaf: bytes) -> bytes:
    """Give SHA-256(0x00 || leaf) (RFC 6962 section 2.1)."""
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Give SHA-256(0x01 || left || right) (RFC 6962 section 2.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class CompactRange(Struct, frozen=True, kw_only=True):
    """The least that is needed to append to a tree and know its root.

    Attributes:
        size: Number of leaves.
        peaks: Roots of the perfect subtrees that make up the tree, largest first: one for
            each bit that is set in ``size``.
    """

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        """Refuse peaks that cannot belong to a tree of this size."""
        if self.size < 0 or len(self.peaks) != self.size.bit_count():
            raise ProofError(f"{len(self.peaks)} peaks cannot make a tree of {self.size} leaves")
        _require_digests(self.peaks)

    def extend(self, digests: Iterable[bytes]) -> "CompactRange":
        """Give the range with all of ``digests`` (leaf hashes) appended in order."""
        leaves = tuple(digests)
        if not leaves:
            return self
        size, peaks = self.size, list(self.peaks)
        for leaf in leaves:
            digest, carry = leaf, size
            while carry & 1:  # two perfect subtrees of one size make one of twice the size
                digest = node_hash(peaks.pop(), digest)
                carry >>= 1
            peaks.append(digest)
            size += 1
        return CompactRange(size=size, peaks=tuple(peaks))

    def root(self) -> bytes:
        """Give the root: the peaks joined from the right (RFC 6962 section 2.1)."""
        return _fold_right(self.peaks)


class Tree(Struct):
    """A whole tree in memory: every complete subtree's hash, by level.

    Level 0 holds the leaf hashes, level k the roots of perfect subtrees of 2**k leaves.
    Roots of any earlier size and all proofs cost O(log n). It holds about two digests a
    leaf; the only mutable value of this module, grown by :meth:`extend` alone.
    """

    levels: list[list[bytes]] = field(default_factory=lambda: [[]])

    @property
    def size(self) -> int:
        """Number of leaves."""
        return len(self.levels[0])

    def extend(self, digests: Sequence[bytes]) -> None:
        """Append leaf hashes, 32 bytes each; one hash a leaf, level by level."""
        self.levels[0].extend(digests)
        sha256 = hashlib.sha256
        level = 0
        while len(self.levels[level]) > 1:
            if level + 1 == len(self.levels):
                self.levels.append([])
            below, above = self.levels[level], self.levels[level + 1]
            pairs = iter(below[2 * len(above) :])
            # The loop of node_hash, inlined: half of the time of `verify` is spent here.
            above += [
                sha256(b"\x01" + left + right).digest() for left, right in zip(pairs, pairs, strict=False)
            ]
            level += 1

    def root(self, size: int | None = None) -> bytes:
        """Give the root over the first ``size`` leaves; of all where it is not given.

        Raises:
            TreeRangeError: When the tree never had that size.
        """
        return self.range(self.size if size is None else size).root()

    def range(self, size: int) -> CompactRange:
        """Give the compact range over the first ``size`` leaves.

        Raises:
            TreeRangeError: When the tree never had that size.
        """
        if not 0 <= size <= self.size:
            raise TreeRangeError(f"the tree has {self.size} leaves, not {size}")
        return CompactRange(size=size, peaks=tuple(self._perfect(0, size)))

    def inclusion_proof(self, index: int, size: int) -> tuple[bytes, ...]:
        """Give PATH(index, D[size]) (RFC 6962 section 2.1.1), nearest sibling first.

        Raises:
            TreeRangeError: When there is no such leaf in a tree of that size.
        """
        if not 0 <= index < size <= self.size:
            raise TreeRangeError(f"no leaf {index} in a tree of {size} of {self.size} leaves")
        proof: list[bytes] = []
        start, end = 0, size
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                proof.append(self._subtree(middle, end))
                end = middle
            else:
                proof.append(self._subtree(start, middle))
                start = middle
        return tuple(reversed(proof))

    def consistency_proof(self, old_size: int, size: int) -> tuple[bytes, ...]:
        """Give PROOF(old_size, D[size]) (RFC 6962 section 2.1.2).

        Raises:
            TreeRangeError: When ``old_size`` is 0 (nothing can be proved of an empty tree),
                above ``size``, or ``size`` is above the tree's.
        """
        if not 0 < old_size <= size <= self.size:
            raise TreeRangeError(f"no consistency proof from {old_size} to {size} of {self.size} leaves")
        proof: list[bytes] = []
        start, end, old = 0, size, old_size
        whole = True  # the old tree is, so far, the subtree that the verifier knows the root of
        while old != end:
            middle = start + _split(end - start)
            if old <= middle:
                proof.append(self._subtree(middle, end))
                end = middle
            else:
                proof.append(self._subtree(start, middle))
                start, whole = middle, False
        if not whole:
            proof.append(self._subtree(start, end))
        return tuple(reversed(proof))

    def _perfect(self, start: int, end: int) -> Iterable[bytes]:
        # start is a multiple of every power of two that is taken, so each lies whole in one level.
        while start < end:
            level = (end - start).bit_length() - 1
            yield self.levels[level][start >> level]
            start += 1 << level

    def _subtree(self, start: int, end: int) -> bytes:
        return _fold_right(tuple(self._perfect(start, end)))


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Check that a leaf hash stands at ``index`` in the tree of ``size`` and ``root``.

    The algorithm is RFC 9162 section 2.1.3.2.

    Raises:
        ProofError: When it does not, or an argument is malformed.
    """
    _require_digests((leaf, root, *proof))
    if not 0 <= index < size:
        raise ProofError(f"leaf {index} cannot be in a tree of {size} leaves")
    if _climb(index, size - 1, leaf, proof, "inclusion")[1] != root:
        raise ProofError("the inclusion proof leads to another root")


def verify_consistency(
    old_size: int, size: int, proof: Sequence[bytes], old_root: bytes, root: bytes
) -> None:
    """Check that the tree of ``old_root`` is a prefix of the tree of ``root``.

    The algorithm is RFC 9162 section 2.1.4.2.

    Raises:
        ProofError: When it is not, an argument is malformed, or ``old_size`` is 0: every
            tree extends the empty one, so such a proof proves nothing.
    """
    _require_digests((old_root, root, *proof))
    if not 0 < old_size <= size:
        raise ProofError(f"no consistency can be shown from {old_size} to {size} leaves")
    if old_size == size:
        _require_same(proof, old_root, root)
        return
    # Where the old tree is one perfect subtree its root is not in the proof: the verifier has it.
    path = list(proof) if old_size & (old_size - 1) else [old_root, *proof]
    if not path:
        raise ProofError("the consistency proof is empty")
    place, last = old_size - 1, size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old, new = _climb(place, last, path[0], path[1:], "consistency")
    if old != old_root:
        raise ProofError("the consistency proof does not lead to the old root")
    if new != root:
        raise ProofError("the consistency proof does not lead to the new root")


def _climb(place: int, last: int, start: bytes, path: Sequence[bytes], kind: str) -> tuple[bytes, bytes]:
    """Give the roots to which a path leads: of the tree that ends with this place, and of the one that ends with the last."""
    old = new = start
    for digest in path:
        if last == 0:
            raise ProofError(f"the {kind} proof is too long")
        if place & 1 or place == last:
            old, new = node_hash(digest, old), node_hash(digest, new)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            new = node_hash(new, digest)
        place, last = place >> 1, last >> 1
    if last != 0:
        raise ProofError(f"the {kind} proof is too short")
    return old, new


def _require_same(proof: Sequence[bytes], old_root: bytes, root: bytes) -> None:
    if proof:
        raise ProofError("a consistency proof between equal sizes must be empty")
    if old_root != root:
        raise ProofError("two roots for one size")


def _split(count: int) -> int:
    """Give the largest power of two below ``count`` (RFC 6962 section 2.1); ``count`` > 1."""
    return 1 << ((count - 1).bit_length() - 1)


def _fold_right(peaks: Sequence[bytes]) -> bytes:
    if not peaks:
        return EMPTY_ROOT
    sha256 = hashlib.sha256
    digest = peaks[-1]
    for peak in reversed(peaks[:-1]):
        digest = sha256(b"\x01" + peak + digest).digest()  # node_hash, inlined: an append waits for it
    return digest


def _require_digests(digests: Iterable[bytes]) -> None:
    for length in set(map(len, digests)):
        if length != DIGEST_BYTES:
            raise ProofError(f"a hash has {length} bytes, not {DIGEST_BYTES}")
