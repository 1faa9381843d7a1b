import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nightledger.codec.link_arrays import bounds_of, changes, numbers_of, order_of, sums, table_of

NUMBERS = st.one_of(st.integers(0, 3), st.integers(0, 2**32 - 1))
"""Few, so that some are equal; and with all the digits that there are."""


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=40))
def test_the_order_is_by_the_last_column_then_by_the_one_before_it_and_stable(
    rows: list[tuple[int, int]],
) -> None:
    columns = [np.array([row[n] for row in rows], np.uint32) for n in range(2)]
    wanted = sorted(range(len(rows)), key=lambda n: (rows[n][1], rows[n][0]))
    assert order_of(*columns).tolist() == wanted
    assert order_of(columns[0]).tolist() == sorted(range(len(rows)), key=lambda n: rows[n][0])


def test_the_order_of_zeros_is_as_they_stand() -> None:
    assert order_of(np.zeros(3, np.uint32)).tolist() == [0, 1, 2]


def test_runs_are_bounded_added_up_and_told_apart() -> None:
    assert bounds_of(np.array([2, 0, 3])).tolist() == [0, 2, 2, 5]
    assert bounds_of(np.array([], np.int64)).tolist() == [0]
    assert sums(np.array([1, 2, 3, 4]), np.array([0, 3])).tolist() == [6, 4]
    assert sums(np.array([True, True, True]), np.array([0, 2])).tolist() == [2, 1]
    assert changes(np.array([5, 5, 6, 5])).tolist() == [True, False, True, True]
    assert changes(np.array([], np.uint32)).tolist() == []


@given(st.lists(st.integers(0, 2**32 - 1), max_size=20))
def test_a_table_is_the_numbers_as_u32(numbers: list[int]) -> None:
    table = table_of(np.array(numbers, np.int64))
    assert len(table) == 4 * len(numbers)
    assert numbers_of(table).tolist() == numbers
