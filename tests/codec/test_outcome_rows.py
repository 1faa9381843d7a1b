import json
import random  # noqa: TID251 - seeded
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.codec.outcomes import NOW, SHA256, full_record, given_record

from nightledger.codec import outcome_rows
from nightledger.codec.canonical import canonical
from nightledger.codec.outcome_line import encode_outcomes
from nightledger.codec.outcome_rows import dump_outcome, read_outcome_rows
from nightledger.domain.outcome import OutcomeEvidence, Result, Signal
from nightledger.domain.proposal import Origin


def line_of(**changes: Any) -> bytes:
    (line,) = encode_outcomes([("", full_record(**changes))], now=NOW)
    return line.line


def many(count: int, seed: int = 1) -> list[bytes]:
    rng = random.Random(seed)  # noqa: S311 - test material
    records = [
        given_record(
            context_tags=rng.sample(["cron", "zone", "dns", "straße", "时区"], 3),
            session=f"Session {n // 5} ü",
            duration_s=rng.choice([None, 1, 2.5]),
            note=rng.choice([None, "x"]),
        )
        for n in range(count)
    ]
    return [line.line for line in encode_outcomes([("", record) for record in records], now=NOW)]


def test_a_stored_line_becomes_a_value_and_the_same_line_again() -> None:
    read = read_outcome_rows(line_of())
    (outcome,) = read.rows
    assert read.problems == ()
    assert outcome.context_tags == ("cron", "time_zone")
    assert outcome.outcome is Result.SUCCESS
    assert outcome.origin is Origin.AGENT
    assert outcome.signal is Signal.EXIT_CODE
    assert outcome.evidence == (
        OutcomeEvidence(path="memory/daily/2026-02-28.md", lines=(12, 14), sha256=SHA256),
    )
    assert outcome.received_at == NOW
    assert dump_outcome(outcome) == line_of()


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
    assert [dump_outcome(row) for row in read.rows] == [line]


def test_ten_thousand_lines_are_read_in_order_and_chunk_by_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = many(3000)
    monkeypatch.setattr(outcome_rows, "CHUNK_BYTES", 10_000)
    read = read_outcome_rows(b"".join(lines))
    assert [dump_outcome(row) for row in read.rows] == lines
    assert (read.lines, read.problems, read.torn) == (3000, (), False)


def test_bad_lines_are_named_by_number_and_the_others_read() -> None:
    lines = many(6)
    lines[1] = b'{"half": \n'
    lines[2] = lines[2].replace(b'"v":1', b'"v":2')
    lines[3] = b"\n"
    lines[4] = b"\0" * 50 + b"\n"
    read = read_outcome_rows(b"".join(lines), first_line=101)
    assert [number for number, _ in read.problems] == [102, 103, 105]
    assert read.problems[0][1].startswith("not JSON")
    assert read.problems[1][1].startswith("v: 2 is not 1")
    assert read.problems[2][1].startswith("a NUL byte at position 1")
    assert len(read.rows) == 2
    assert read.lines == 6


@pytest.mark.parametrize(
    "edit",
    [
        lambda line: b" " + line,
        lambda line: line.replace(b'":', b'": ', 1),
        lambda line: line.replace(b"debug", b"\\u0064ebug"),
        lambda line: (
            json.dumps(dict(reversed(json.loads(line).items())), separators=(",", ":")).encode() + b"\n"
        ),
        lambda line: line.replace(b"\n", b"\r\n"),
    ],
)
def test_a_line_that_is_not_its_own_canonical_form_is_named_as_edited(edit: Any) -> None:
    read = read_outcome_rows(edit(line_of()))
    assert read.rows == ()
    assert "is not in its stored form" in read.problems[0][1]


def test_duplicate_keys_are_refused() -> None:
    read = read_outcome_rows(line_of().replace(b'"v":1', b'"v":1,"v":1'))
    assert read.problems == ((1, "the key 'v' stands twice in one object"),)


def test_half_a_surrogate_pair_is_refused_and_no_crash() -> None:
    line = line_of().replace(b"The third", b"\\ud800 third")
    read = read_outcome_rows(line)
    assert read.rows == ()
    assert "surrogate" in read.problems[0][1]


def test_a_line_that_is_not_utf_8_is_refused_and_the_rest_read() -> None:
    good = line_of()
    read = read_outcome_rows(good.replace(b"third", b"th\xffrd") + good)
    assert len(read.rows) == 1
    assert read.problems[0][1].startswith("not UTF-8")


def test_deep_nesting_is_refused_and_the_rest_read() -> None:
    read = read_outcome_rows(b"[" * 50_000 + b"]" * 50_000 + b"\n" + line_of())
    assert len(read.rows) == 1
    assert "nested too deeply" in read.problems[0][1]


def test_a_torn_last_line_is_said_and_read_when_it_is_whole() -> None:
    read = read_outcome_rows(line_of().removesuffix(b"\n"))
    assert read.torn
    assert len(read.rows) == 1
    read = read_outcome_rows(line_of()[:-20])
    assert read.torn
    assert read.rows == ()
    assert [number for number, _ in read.problems] == [1]


def test_a_byte_order_mark_is_skipped_at_the_start_of_the_file_only() -> None:
    assert len(read_outcome_rows(b"\xef\xbb\xbf" + line_of()).rows) == 1
    assert read_outcome_rows(b"\xef\xbb\xbf" + line_of(), first_line=2).rows == ()


def test_nothing_is_no_line() -> None:
    read = read_outcome_rows(b"")
    assert (read.rows, read.problems, read.lines, read.torn) == ((), (), 0, False)


def test_duplicates_stay_rows() -> None:
    assert len(read_outcome_rows(line_of() * 3 + line_of(note="other")).rows) == 4


@pytest.mark.parametrize(
    "groups",
    [
        [["zone", "cron"]],
        [["cron", "cron"]],
        [["cron"], ["zone", "cron"], ["a"]],
        [["b", "c"], ["a", "b", "b"]],
        [["b", "c"], ["a", "d"], ["a"]],
    ],
)
def test_unsorted_and_repeated_tags_are_found_wherever_they_stand(groups: list[list[str]]) -> None:
    record = json.loads(line_of())
    lines = [canonical({**record, "context_tags": tags}, floats=True) for tags in groups]
    read = read_outcome_rows(b"\n".join(lines))
    wrong = [number for number, tags in enumerate(groups, 1) if tags != sorted(set(tags))]
    assert [number for number, _ in read.problems] == wrong
    assert len(read.rows) == len(groups) - len(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        "o-" + "a" * 25,
        "o-" + "a" * 27,
        "p-" + "a" * 26,
        "o_" + "a" * 26,
        "o-" + "A" * 26,
        "o-" + "1" * 26,
        "o-" + "a" * 25 + "é",
        "o-" + "-" * 26,
        "",
    ],
)
def test_an_id_of_another_form_is_refused(wrong: str) -> None:
    good = line_of()
    own = json.loads(good)["id"]
    read = read_outcome_rows(good + good.replace(own.encode(), wrong.encode()) + good)
    assert len(read.rows) == 2
    assert [number for number, _ in read.problems] == [2]
    assert "is not an id" in read.problems[0][1]


def test_without_the_fast_path_the_rows_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = b"".join(many(50))
    fast = read_outcome_rows(raw)
    monkeypatch.setattr(outcome_rows, "_read_fast", lambda *_: None)
    assert read_outcome_rows(raw) == fast
