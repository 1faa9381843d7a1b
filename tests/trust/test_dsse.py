"""DSSE envelopes: the standard's own vector, and everything that is none."""

from nightledger.trust.dsse import (
    pae,
)


def test_the_encoding_is_that_of_the_standard() -> None:
    # secure-systems-lab/dsse, protocol.md, "Test Vectors"
    kind = "http://example.com/HelloWorld"
    assert pae(kind, b"hello world") == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
