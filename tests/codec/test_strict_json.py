import pytest
from tests.rows import each_row, from_corpus

from nightledger.codec.canonical import MAX_DEPTH, parse_json, read_jsonl
from nightledger.domain.errors import RecordError


@from_corpus("codec-strict_json")
def test_each_kind_of_bad_input_is_named(raw: bytes, problem: str) -> None:
    with pytest.raises(RecordError) as caught:
        parse_json(raw, "x")
    assert caught.value.problems == (problem,)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 500, 100_000])
def test_deep_nesting_is_refused_whole_or_torn(opening: bytes, depth: int) -> None:
    closing = b"]" if opening == b"[" else b"}"
    for raw in (opening * depth + b"1" + closing * depth, opening * depth):
        with pytest.raises(RecordError, match=r"nested too deeply|not JSON"):
            parse_json(raw, "x")


@each_row(
    ("raw", "values", "bad"),
    [
        (b"", [], []),
        (b"\xef\xbb\xbf1\n2", [(1, 1), (2, 2)], []),
        (b'1\n{"a"', [(1, 1)], [2]),
        ('"a\u2028b\u0085c"\n'.encode(), [(1, "a\u2028b\u0085c")], []),
        (b'1\n"' + b"x" * 100 + b'"\n2\n', [(1, 1), (3, 2)], [2]),
    ],
)
def test_only_a_line_feed_ends_a_line_and_no_bad_line_hides_another(
    raw: bytes, values: list[tuple[int, object]], bad: list[int]
) -> None:
    read, problems = read_jsonl(raw, max_line_bytes=50)
    assert (read, [number for number, _ in problems]) == (values, bad)
