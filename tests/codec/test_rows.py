import pytest
from tests.codec.outcomes import NOW, SHA256, dump_outcome, full_record, given_record, stored_line

from nightledger.codec.rows import DoingRow, Exposure, read_outcome_rows, read_rows
from nightledger.domain.outcome import OutcomeEvidence, Result, Signal
from nightledger.domain.proposal import Origin

SHOWING = b'{"at":"2026-03-01T06:00:00Z","shown":["e-1"],"surface":"recall"}\n'


def test_what_is_not_needed_is_not_read() -> None:
    assert list(read_rows(Exposure, [SHOWING])) == [
        ([Exposure(at="2026-03-01T06:00:00Z", shown=("e-1",))], 0)
    ]


@pytest.mark.parametrize(
    "bad", [b"{torn\n", b'{"at":1,"shown":[]}\n', b'{"at":"2026"}\n', b'{"at":"\xff","shown":[]}\n']
)
def test_a_bad_line_is_counted_and_its_neighbours_are_read(bad: bytes) -> None:
    ((rows, count),) = read_rows(Exposure, [SHOWING + bad + b"\n  \n" + SHOWING])
    assert (len(rows), count) == (2, 1)


SPREAD = SHOWING.replace(b",", b",\n", 1)


@pytest.mark.parametrize("bad", [SHOWING[:-1] + b" " + SHOWING, SPREAD, SHOWING[:-1] + SHOWING + SPREAD])
def test_two_rows_on_one_line_are_none_and_neither_is_one_on_two(bad: bytes) -> None:
    chunk = SHOWING + bad + SHOWING
    ((rows, count),) = read_rows(Exposure, [chunk])
    assert (len(rows), count) == (2, bad.count(b"\n"))
    done = b'{"timestamp":"2026-03-01T06:00:00Z","task_type":"t","context_tags":["a"]}\n'
    ((doings, _),) = read_rows(DoingRow, [done + done[:-1] + done + done])
    assert len(doings) == 2


def test_a_stored_line_becomes_a_value_and_the_same_line_again() -> None:
    good = stored_line(full_record())
    read = read_outcome_rows(good)
    (outcome,) = read.rows
    assert read.problems == ()
    assert outcome.context_tags == ("cron", "time_zone")
    assert (outcome.outcome, outcome.origin) == (Result.SUCCESS, Origin.AGENT)
    assert outcome.signal is Signal.EXIT_CODE
    assert outcome.evidence == (
        OutcomeEvidence(path="memory/daily/2026-02-28.md", lines=(12, 14), sha256=SHA256),
    )
    assert outcome.received_at == NOW
    assert dump_outcome(outcome) == good


def test_bad_lines_are_named_by_number_and_the_others_read() -> None:
    lines = [stored_line(given_record(session=f"s {n}")) for n in range(6)]
    lines[1] = b'{"half": \n'
    lines[2] = lines[2].replace(b'"v":1', b'"v":2')
    lines[3] = b"\n"
    lines[4] = b"\0" * 50 + b"\n"
    read = read_outcome_rows(b"".join(lines), first_line=101)
    assert [number for number, _ in read.problems] == [102, 103, 105]
    assert ([row.session for row in read.rows], read.lines) == (["s 0", "s 5"], 6)
