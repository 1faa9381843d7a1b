from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

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
