import pytest
from tests.linking import line, lines, outcome

from nightledger.codec.link_rows import (
    RowReader,
    find_problem,
    read_ids,
    read_resolution,
    read_tag_name,
    require_order,
    split_ids,
)


def test_whole_lines_are_rows_with_their_numbers() -> None:
    reader = RowReader(lines=7)
    rows, numbers = reader.read(lines([outcome(1), outcome(2, session="s")]))
    assert [row.id for row in rows] == [outcome(1)["id"], outcome(2)["id"]]
    assert list(numbers) == [8, 9]
    assert (reader.lines, reader.bad) == (9, [])


def test_bad_and_blank_lines_leave_the_numbers_of_the_others_right() -> None:
    reader = RowReader()
    rows, numbers = reader.read(b"\n" + line(outcome(1)) + b"{\n \t\r\n" + line(outcome(2)))
    assert (len(rows), list(numbers)) == (2, [2, 5])
    assert [number for number, _ in reader.bad] == [3]
    assert reader.lines == 5


def test_a_byte_order_mark_is_passed_over_at_the_start_only() -> None:
    reader = RowReader()
    assert len(reader.read(b"\xef\xbb\xbf" + line(outcome(1)))[0]) == 1
    assert reader.read(b"\xef\xbb\xbf" + line(outcome(2)))[0] == []
    assert [number for number, _ in reader.bad] == [2]


def test_deep_nesting_is_a_problem_and_no_crash() -> None:
    reader = RowReader()
    assert reader.read(b'{"id":' + b"[" * 200_000 + b"\n")[0] == []
    assert len(reader.bad) == 1


def test_a_long_line_is_a_problem_even_when_it_is_valid() -> None:
    reader = RowReader()
    assert reader.read(line(outcome(1, note="x" * (1 << 20))))[0] == []
    assert reader.bad == [(1, "is longer than 1048576 bytes")]


def test_a_row_of_the_stored_form_has_no_problem() -> None:
    row = RowReader().read(line(outcome(1)))[0][0]
    assert find_problem(row) == ""
    require_order([row])


@pytest.mark.parametrize("tags", [["b", "a"], ["a", "a"]])
def test_tags_out_of_order_or_twice_are_a_problem(tags: list[str]) -> None:
    row = RowReader().read(line({**outcome(1), "context_tags": tags}))[0][0]
    assert "sorted, each once" in find_problem(row)
    with pytest.raises(ValueError, match="sorted, each once"):
        require_order([row])


@pytest.mark.parametrize(
    "wrong", ["x-" + "a" * 26, "o_" + "a" * 26, "o-" + "a" * 25 + "1", "-o" + "a" * 26, "o-" + "a" * 25 + "-"]
)
def test_an_id_of_another_form_is_a_problem_alone_and_among_others(wrong: str) -> None:
    rows = RowReader().read(lines([outcome(1), {**outcome(2), "id": wrong}]))[0]
    assert "is not o- and 26 characters" in find_problem(rows[1])
    with pytest.raises(ValueError, match="is not o- and 26 characters"):
        read_ids(rows)


def test_an_id_that_is_not_ascii_is_a_problem_among_others_too() -> None:
    rows = RowReader().read(line({**outcome(1), "id": "o-" + "é" * 26}))[0]
    with pytest.raises(ValueError, match="ascii"):
        read_ids(rows)


def test_joined_ids_are_split_again() -> None:
    rows = RowReader().read(lines([outcome(1), outcome(2)]))[0]
    assert split_ids(read_ids(rows)) == [row.id.encode() for row in rows]


@pytest.mark.parametrize("name", ["cron", "übung", "日本", "a+b"])
def test_a_canonical_tag_stands(name: str) -> None:
    assert read_tag_name(name) == name


@pytest.mark.parametrize("name", ["Cron", "time zone", "", "x" * 65, "a\u200bb"])
def test_another_spelling_of_a_tag_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=r"stored form|empty|longer|cannot be seen"):
        read_tag_name(name)


@pytest.mark.parametrize("name", ["two words", "", "x" * 81, "e\u0301tude"])
def test_a_resolution_that_is_no_identifier_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=r"identifier|empty|characters|stored form"):
        read_resolution(name)
