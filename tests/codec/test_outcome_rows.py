import json
import random  # noqa: TID251 - seeded
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.codec.outcomes import NOW, SHA256, dump_outcome, full_record, given_record
from tests.rows import each_row

from nightledger.codec import rows
from nightledger.codec.canonical import canonical
from nightledger.codec.outcome_line import encode_outcomes
from nightledger.codec.rows import read_outcome_rows
from nightledger.domain.outcome import OutcomeEvidence, Result, Signal
from nightledger.domain.proposal import Origin


def line_of(**changes: Any) -> bytes:
    (line,) = encode_outcomes([("", full_record(**changes))], now=NOW)
    return line.line


GOOD = line_of()
ID = json.loads(GOOD)["id"].encode()


def many(count: int, seed: int = 1) -> list[bytes]:
    rng = random.Random(seed)  # noqa: S311 - test material
    records = [
        given_record(
            context_tags=rng.sample(["cron", "zone", "dns", *rng.choice([(), ("straße", "时区")])], 3),
            session=rng.choice([f"Session {n // 5} ü", f"s-{n // 5}"]),
            duration_s=rng.choice([None, 1, 2.5]),
            shown=rng.choice([None, ["a + b", "e-1"]]),
            note=rng.choice([None, "x"]),
        )
        for n in range(count)
    ]
    return [line.line for line in encode_outcomes([("", record) for record in records], now=NOW)]


def test_a_stored_line_becomes_a_value_and_the_same_line_again() -> None:
    read = read_outcome_rows(GOOD)
    (outcome,) = read.rows
    assert read.problems == ()
    assert outcome.context_tags == ("cron", "time_zone")
    assert (outcome.outcome, outcome.origin) == (Result.SUCCESS, Origin.AGENT)
    assert outcome.signal is Signal.EXIT_CODE
    assert outcome.evidence == (
        OutcomeEvidence(path="memory/daily/2026-02-28.md", lines=(12, 14), sha256=SHA256),
    )
    assert outcome.received_at == NOW
    assert dump_outcome(outcome) == GOOD


@given(
    changes=st.fixed_dictionaries(
        {},
        optional={
            "note": st.text(max_size=50),
            "session": st.text(max_size=9),
            "duration_s": st.floats(0, 1e6),
        },
    )
)
def test_whatever_the_logger_stores_is_read_back(changes: dict[str, Any]) -> None:
    try:
        line = line_of(**changes)
    except Exception:  # noqa: BLE001 - the logger's own tests say what it refuses
        return
    read = read_outcome_rows(line)
    assert read.problems == ()
    assert [*map(dump_outcome, read.rows)] == [line]


def test_lines_are_read_in_order_and_alike_whether_they_are_plain_or_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = many(300)
    read = read_outcome_rows(b"".join(lines))
    assert [*map(dump_outcome, read.rows)] == lines
    assert (read.lines, read.problems) == (300, ())
    monkeypatch.setattr(rows, "_holds", lambda _: False)
    assert read_outcome_rows(b"".join(lines)) == read


def test_bad_lines_are_named_by_number_and_the_others_read() -> None:
    lines = many(6)
    lines[1] = b'{"half": \n'
    lines[2] = lines[2].replace(b'"v":1', b'"v":2')
    lines[3] = b"\n"
    lines[4] = b"\0" * 50 + b"\n"
    read = read_outcome_rows(b"".join(lines), first_line=101)
    assert [number for number, _ in read.problems] == [102, 103, 105]
    assert (len(read.rows), read.lines) == (2, 6)


@each_row(
    ("bad", "told"),
    [
        (b'{"half": \n', "not JSON"),
        (GOOD.replace(b'"v":1', b'"v":2'), "v: 2 is not 1"),
        (b"\0" * 50 + b"\n", "a NUL byte at position 1"),
        (b" " + GOOD, "is not in its stored form"),
        (GOOD.replace(b'":', b'": ', 1), "is not in its stored form"),
        (GOOD.replace(b"debug", b"\\u0064ebug"), "is not in its stored form"),
        (
            json.dumps(dict(reversed(json.loads(GOOD).items())), separators=(",", ":")).encode() + b"\n",
            "is not in its stored form",
        ),
        (GOOD.replace(b"\n", b"\r\n"), "is not in its stored form"),
        (GOOD.replace(b'"v":1', b'"v":1,"v":1'), "the key 'v' stands twice in one object"),
        (GOOD.replace(b"The third", b"\\ud800 third"), "surrogate"),
        (GOOD.replace(b"third", b"th\xffrd"), "not UTF-8"),
        (b"[" * 50_000 + b"]" * 50_000 + b"\n", "nested too deeply"),
        (GOOD[:-20] + b"\n", "not JSON"),
        *(
            (GOOD.replace(ID, wrong.encode()), "is not an id")
            for wrong in (
                "",
                *(f"o-{'a' * n}" for n in (25, 27)),
                "p-" + "a" * 26,
                "o-" + "A" * 26,
                "o-" + "é" * 26,
            )
        ),
        *(
            (canonical({**json.loads(GOOD), "context_tags": tags}, floats=True) + b"\n", "context_tags")
            for tags in (["zone", "cron"], ["cron", "cron"], [])
        ),
    ],
)
def test_a_line_that_the_logger_did_not_write_is_named_and_holds_up_no_other(bad: bytes, told: str) -> None:
    read = read_outcome_rows(GOOD + bad + GOOD)
    assert len(read.rows) == 2
    ((number, said),) = read.problems
    assert number == 2
    assert told in said


def test_a_last_line_without_its_end_is_read_and_nothing_is_no_line() -> None:
    assert len(read_outcome_rows(GOOD.removesuffix(b"\n")).rows) == 1
    read = read_outcome_rows(b"")
    assert (read.rows, read.problems, read.lines) == ((), (), 0)


def test_a_byte_order_mark_is_skipped_at_the_start_of_the_file_only() -> None:
    assert len(read_outcome_rows(b"\xef\xbb\xbf" + GOOD).rows) == 1
    assert read_outcome_rows(b"\xef\xbb\xbf" + GOOD, first_line=2).rows == ()
