"""c2sp.org/tlog-proof@v1 and the requests of c2sp.org/tlog-witness: their examples, and every way to be wrong."""

from tests.rows import corpus

from nightledger.trust.policy import (
    dump_continuation,
    dump_proof,
    parse_continuation,
    parse_proof,
)

# From the examples of c2sp.org/tlog-proof and c2sp.org/tlog-witness (main branch, July 2026): form only,
# the signatures of the first are elided there.
PROOF_EXAMPLE = corpus("trust-proof-proof_example.txt")
REQUEST_EXAMPLE = corpus("trust-proof-request_example.txt")


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
