"""DSSE envelopes: the standard's own vector, and everything that is none."""

from hypothesis import given
from hypothesis import strategies as st

from nightledger.trust.dsse import (
    pae,
)


def test_the_encoding_is_that_of_the_standard() -> None:
    # secure-systems-lab/dsse, protocol.md, "Test Vectors"
    kind = "http://example.com/HelloWorld"
    assert pae(kind, b"hello world") == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


@given(first=st.tuples(st.text(), st.binary()), second=st.tuples(st.text(), st.binary()))
def test_no_two_pairs_have_one_encoding(first: tuple[str, bytes], second: tuple[str, bytes]) -> None:
    try:
        same = pae(*first) == pae(*second)
    except UnicodeEncodeError:  # half a character has no UTF-8 form
        return
    assert same == (first == second)
