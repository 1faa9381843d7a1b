from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.changes.context import context_needed, occurrences

LINES = st.lists(st.sampled_from(["a\n", "b\n", "\n"]), max_size=9)


@pytest.mark.parametrize(
    ("lines", "start", "stop", "needed"),
    [
        ("ab", 0, 1, (0, 0)),
        ("aba", 0, 1, (0, 1)),
        ("aba", 2, 3, (1, 0)),
        ("aaa", 1, 2, (1, 1)),
        ("xabyab", 1, 2, (1, 0)),
        ("", 0, 0, (0, 0)),
        ("ab", 1, 1, (1, 0)),
        ("ab", 0, 0, (0, 1)),
        ("xaay", 2, 2, (2, 0)),
    ],
)
def test_context_is_the_least_that_tells_the_place(
    lines: str, start: int, stop: int, needed: tuple[int, int]
) -> None:
    assert context_needed([f"{line}\n" for line in lines], start, stop) == needed


def test_lines_that_repeat_beyond_measure_have_no_place() -> None:
    assert context_needed(["a\n"] * 2000, 1000, 1001) is None
    assert context_needed(["a\n"] * 700, 350, 351) == (350, 349)


@given(LINES, st.data())
def test_what_is_needed_is_found_once_and_less_is_not(lines: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(lines)))
    stop = data.draw(st.integers(start, len(lines)))
    needed = context_needed(lines, start, stop)
    assert needed is not None

    def found(before: int, after: int) -> int:
        return len(occurrences("".join(lines), "".join(lines[start - before : stop + after])))

    assert found(*needed) == 1
    fewer = [
        (before, after)
        for before, after in product(range(start + 1), range(len(lines) - stop + 1))
        if before + after < sum(needed)
    ]
    assert all(found(*counts) > 1 for counts in fewer)


def test_only_whole_lines_are_found() -> None:
    assert occurrences("ab\nb\n", "b\n") == [3]
    assert occurrences("a\nab", "a") == []
    assert occurrences("b\nab\na", "a") == [5]
    assert occurrences("aa\naa\naa\n", "aa\naa\n") == [0, 3]


def test_nothing_stands_once_in_an_empty_document_only() -> None:
    assert occurrences("", "") == [0]
    assert occurrences("\ufeff", "") == [1]
    assert len(occurrences("a\n", "")) == 2


def test_the_first_line_begins_on_either_side_of_a_byte_order_mark() -> None:
    assert occurrences("\ufeffa\n", "a\n") == [1]
    assert occurrences("\ufeffa\n", "\ufeffa\n") == [0]
