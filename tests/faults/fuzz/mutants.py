"""Inputs near those that a parser takes: seeds with a few edits, and bytes of any kind."""

from collections.abc import Sequence

from hypothesis import strategies as st

Edit = tuple[str, float, float, bytes]
_ODD = (
    b"\0", b"\n", b"\r\n", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800", b'"', b"{", b"}", b"[", b"]", b":", b",",
    b"=", b"+", b"-", b"0", b"1e999", b"9007199254740993", b"9" * 400, b"null", b"true", b"NaN", b"#", b"# a\n", b"- ",
    b"```\n", b"---\n", b"===\n", b"<!--", b"-->", b"|", b"\t", b" ", b"\xe2\x80\x8b", b"\xe2\x80\xae", b"\xf3\xa0\x81\x81",
)  # fmt: skip
_DIGITS, _LOWER, _UPPER = b"0123456789", b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LIKE = bytes.maketrans(
    _DIGITS + _LOWER + _UPPER, b"".join(kind[1:] + kind[:1] for kind in (_DIGITS, _LOWER, _UPPER))
)
"""One digit for another, one letter for another of its case: what is left is often of the same form."""
_EDITS = st.tuples(
    st.sampled_from(("like", "like", "like", "cut", "put", "overwrite", "double", "swap")),
    st.floats(0, 1),
    st.floats(0, 0.2),
    st.sampled_from(_ODD) | st.binary(min_size=1, max_size=6),
)


def mutants(seeds: Sequence[bytes], max_bytes: int) -> st.SearchStrategy[bytes]:
    """Give inputs for a parser whose accepted inputs are like ``seeds``."""
    kept = [seed for seed in seeds if len(seed) <= max_bytes] or [b""]
    near = st.builds(_edited, st.sampled_from(kept), st.lists(_EDITS, max_size=4))
    return (near | near | near | st.binary(max_size=64)).map(lambda raw: raw[:max_bytes])


def _edited(raw: bytes, edits: list[Edit]) -> bytes:
    for kind, at, share, new in edits:
        start = round(at * len(raw))
        end = min(len(raw), start + max(1, round(share * len(raw))))
        raw = {
            "like": raw[:start] + raw[start : start + 1].translate(_LIKE) + raw[start + 1 :],
            "cut": raw[:start] + raw[end:],
            "put": raw[:start] + new + raw[start:],
            "overwrite": raw[:start] + new + raw[start + len(new) :],
            "double": raw[:end] + raw[start:end] + raw[end:],
            "swap": raw[end:] + raw[start:end] + raw[:start],
        }[kind]
    return raw
