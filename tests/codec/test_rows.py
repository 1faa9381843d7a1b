import pytest

from nightledger.codec.rows import DoingRow, Exposure, read_rows

GOOD = b'{"at":"2026-03-01T06:00:00Z","shown":["e-1"],"surface":"recall"}\n'


def test_what_is_not_needed_is_not_read() -> None:
    assert list(read_rows(Exposure, [GOOD])) == [
        ([Exposure(at="2026-03-01T06:00:00Z", shown=("e-1",))], 0),
    ]


@pytest.mark.parametrize(
    "bad", [b"{torn\n", b'{"at":1,"shown":[]}\n', b'{"at":"2026"}\n', b'{"at":"\xff","shown":[]}\n']
)
def test_a_bad_line_is_counted_and_its_neighbours_are_read(bad: bytes) -> None:
    ((rows, count),) = read_rows(Exposure, [GOOD + bad + b"\n  \n" + GOOD])
    assert (len(rows), count) == (2, 1)


SPREAD = GOOD.replace(b",", b",\n", 1)


@pytest.mark.parametrize("bad", [GOOD[:-1] + b" " + GOOD, SPREAD, GOOD[:-1] + GOOD + SPREAD])
def test_two_rows_on_one_line_are_none_and_neither_is_one_on_two(bad: bytes) -> None:
    chunk = GOOD + bad + GOOD
    ((rows, count),) = read_rows(Exposure, [chunk])
    assert (len(rows), count) == (2, bad.count(b"\n"))
    done = b'{"timestamp":"2026-03-01T06:00:00Z","task_type":"t","context_tags":["a"]}\n'
    ((doings, _),) = read_rows(DoingRow, [done + done[:-1] + done + done])
    assert len(doings) == 2
