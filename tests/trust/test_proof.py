"""c2sp.org/tlog-proof@v1 and the requests of c2sp.org/tlog-witness: their examples, and every way to be wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import corpus
from tests.trust.witnesses import cosigner, head_of, lines_of, note_of, policy_of, tree_of

from nightledger.domain.errors import IntegrityError
from nightledger.trust.proof import (
    LogProof,
    dump_continuation,
    dump_proof,
    parse_continuation,
    parse_proof,
    verify_proof,
)

# From the examples of c2sp.org/tlog-proof and c2sp.org/tlog-witness (main branch, July 2026): form only,
# the signatures of the first are elided there.
PROOF_EXAMPLE = corpus("trust-proof-proof_example.txt")
REQUEST_EXAMPLE = corpus("trust-proof-request_example.txt")
SIZES = st.integers(1, 70)


def proof_of(index: int, size: int, *, quorum: int = 0, extra: bytes = b"") -> LogProof:
    tree = tree_of(size + 2)
    signers = [cosigner(number) for number in range(1, quorum + 1)]
    return LogProof(
        index=index,
        hashes=tree.inclusion_proof(index, size),
        checkpoint=note_of(head_of(tree, size), *signers),
        extra=extra,
    )


def test_the_example_of_the_specification_is_read_and_written_back() -> None:
    proof = parse_proof(PROOF_EXAMPLE.encode())
    assert (proof.index, len(proof.hashes)) == (73894, 5)
    assert proof.extra.startswith(b"age-v1.2.1-darwin")
    assert proof.checkpoint.startswith(b"example.com/fancylog\n109482\n")
    assert dump_proof(proof) == PROOF_EXAMPLE.encode()


def test_the_request_of_the_specification_is_read_and_written_back() -> None:
    request = parse_continuation(REQUEST_EXAMPLE.encode())
    assert (request.old_size, len(request.hashes)) == (20852014, 4)
    assert dump_continuation(request) == REQUEST_EXAMPLE.encode()


@given(size=SIZES, place=st.integers(0), extra=st.binary(max_size=40))
def test_a_proof_survives_its_file_and_holds(size: int, place: int, extra: bytes) -> None:
    index = place % size
    proof = parse_proof(dump_proof(proof_of(index, size, quorum=2, extra=extra)))
    assert proof == proof_of(index, size, quorum=2, extra=extra)
    proven = verify_proof(proof, lines_of(size)[index], policy_of(3, 2))
    assert (proven.checkpoint.size, set(proven.times)) == (size, {"w1", "w2"})


@given(size=SIZES, place=st.integers(0), at=st.integers(0), bit=st.integers(0, 7))
def test_a_proof_with_any_bit_flipped_proves_nothing_else(size: int, place: int, at: int, bit: int) -> None:
    index = place % size
    raw = dump_proof(proof_of(index, size, quorum=1))
    at %= len(raw)
    flipped = raw[:at] + bytes([raw[at] ^ 1 << bit]) + raw[at + 1 :]
    with pytest.raises(IntegrityError):
        verify_proof(parse_proof(flipped), lines_of(size)[index], policy_of(1, 1))
