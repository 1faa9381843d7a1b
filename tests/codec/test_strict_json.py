import pytest
from tests.rows import each_row

from nightledger.codec.canonical import MAX_DEPTH, parse_json, read_jsonl
from nightledger.domain.errors import RecordError


@each_row(
    ("raw", "problem"),
    [
        (b"", "not JSON: Expecting value (character 1)"),
        (b'{"a": 1', "not JSON: Expecting ',' delimiter (character 8)"),
        (b'{\n"a": }', "not JSON: Expecting value (line 2, character 6)"),
        (b'{"a":1}{"b":2}', "not JSON: Extra data (character 8)"),
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' stands twice in one object"),
        (b'[{"x": {"k": 1, "k": 1}}]', "the key 'k' stands twice in one object"),
        (b"[NaN]", "NaN is not a JSON number"),
        (b"[-Infinity]", "-Infinity is not a JSON number"),
        (b"1e999", "'1e999' is too large for a number"),
        (b"1" * 401, "a number of 401 digits"),
        (b"-" + b"1" * 5000, "a number of 5001 digits"),
        (b'"a\x00b"', "a NUL byte at position 3: the write was cut by a power loss, or it is no text"),
        (b"\x00" * 4096, "a NUL byte at position 1: the write was cut by a power loss, or it is no text"),
        (b'"caf\xe9"', "not UTF-8: byte 5 is 0xe9"),
        (b'"tab\tinside"', "not JSON: Invalid control character at (character 5)"),
        (
            "[1]".encode("utf-16"),
            "a NUL byte at position 4: the write was cut by a power loss, or it is no text",
        ),
        (b"{'a': 1}", "not JSON: Expecting property name enclosed in double quotes (character 2)"),
    ],
)
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
