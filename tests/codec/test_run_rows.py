import json
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace
from tests.rows import each_row

from nightledger.codec.records import dump_line
from nightledger.codec.rows import read_runs
from nightledger.codec.strict_json import BOM
from nightledger.domain.runs import Run, RunOutcome

RUN = Run(
    v=2,
    id="r-qygk77v7yviucnh5dahsec22w6",
    job="consolidate",
    period="2026-02-28",
    attempt=1,
    started_at=datetime(2026, 3, 1, 3, 5, tzinfo=UTC),
    finished_at=datetime(2026, 3, 1, 3, 5, 4, 120000, tzinfo=UTC),
    outcome=RunOutcome.DONE,
    counts={"proposed": 2, "held": 0},
    boot="6f1c6a1e-0b34-4c0e-9c5e-0d9b1c3e5a77",
    boot_s=93_784,
    reason='a \u2013 ü \U0001f31d \x7f\u2028 "\\/\b\t\x1f',
)
LINE = dump_line(RUN)
FAILED = replace(RUN, outcome=RunOutcome.FAILED, attempt=2, reason="", counts={})


def read(raw: bytes) -> tuple[list[Run], list[tuple[int, str]]]:
    runs, problems = read_runs(raw, where="runs.jsonl")
    return list(runs), list(problems)


@pytest.fixture
def without_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make whatever asks the schema fail."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the schema was asked")

    monkeypatch.setattr("nightledger.codec.rows.load_record", refuse)


@pytest.mark.usefixtures("without_schema")
@pytest.mark.parametrize("raw", [LINE + dump_line(FAILED), BOM + LINE + dump_line(FAILED)])
def test_what_was_written_is_read_without_the_schema(raw: bytes) -> None:
    assert read(raw) == ([RUN, FAILED], [])
    assert read(b"") == ([], [])


def test_a_line_in_another_form_is_judged_by_the_schema() -> None:
    spaced = json.dumps(json.loads(LINE), indent=None).encode()
    assert spaced + b"\n" != LINE
    assert read(spaced + b"\n" + LINE) == ([RUN, RUN], [])


def line(**changes: Any) -> bytes:
    record = {**json.loads(LINE), **changes}
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


@each_row(
    "bad",
    [
        line(v=1),
        line(v=3),
        line(boot=None),
        line(boot="x" * 65),
        line(boot_s=-1),
        line(boot_s=1.0),
        line(v=True),
        line(attempt=1.0),
        line(attempt=2**31),
        line(id="r-qygk77v7yviucnh5dahsec22w6\n"),
        line(job="Link"),
        line(job="link\n"),
        line(period=""),
        line(period="x" * 65),
        line(reason="x" * 2001),
        line(reason=None),
        line(outcome="skipped"),
        line(counts={"Proposed": 1}),
        line(counts={"proposed": -1}),
        line(counts={"proposed": 2**53}),
        line(started_at="2026-03-01T04:05:00+01:00"),
        line(started_at="2026-03-01T03:05:00+00:00"),
        line(started_at="2026-03-01T03:05:00"),
        line(finished_at="2026-03-01T03:05:00.120Z"),
        line(finished_at=1772334300),
        line(extra=1),
        LINE.replace(b'"v":2', b'"v":2,"w":1'),
        LINE.replace(b',"v":2', b""),
        LINE.replace(b"\xc3\xbc", b"\xff"),
        b"[" * 100_000 + b"\n",
        b"x" * ((1 << 20) + 1) + b"\n",
        b"[]\n",
    ],
)
def test_what_the_schema_refuses_is_no_run_and_holds_up_no_other(bad: bytes) -> None:
    runs, problems = read(bad + LINE)
    assert runs == [RUN]
    assert [number for number, _ in problems] == [1]
