from nightledger.codec.link_cells import tally_records, unpack_tallies
from nightledger.codec.link_layout import NO_SOURCE

FACTS = [5 << 3 | 0, 5 << 3 | 1, 2 << 3 | 2, 5 << 3 | 4, 5 << 3 | 4 | 1, 2 << 3 | 3]
DAYS = [10, 30, 20, 20, 10, 40]


def test_records_are_counted_by_resolution() -> None:
    found = {cells[0]: cells[1:] for cells in tally_records(range(6), FACTS, DAYS)}
    assert found[5] == [2, 0, 2, 1, 1, 30, 0, 1, 3, 4]
    assert found[2] == [0, 2, 0, 0, 0, 40, 2, 5]  # a partial result after a showing is for neither side


def test_stored_tallies_are_read_back_without_what_fills_them_up() -> None:
    stored = [5, 2, 0, 2, 1, 1, 30, NO_SOURCE, NO_SOURCE, NO_SOURCE, 3, 4] * 2
    assert unpack_tallies(stored, 9) == [[5, 2, 0, 2, 1, 1, 30, 3, 4]] * 2
    assert len(unpack_tallies(stored, 1)) == 1
    assert unpack_tallies([], 3) == []
