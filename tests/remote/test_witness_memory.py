from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.homes import make_home

from nightledger.files.home import Home
from nightledger.remote.witness_asking import REFRESH_S, RETRY_S, Remembered, read_memory, write_memory

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ASKED = Remembered(asked_at=int(NOW.timestamp()), size=9)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return make_home(tmp_path)


def due(known: Remembered, *, size: int = 9, refresh: bool = False, **by: float) -> bool:
    return known.is_due(NOW + timedelta(**by), size, refresh=refresh)


def test_a_head_that_did_not_grow_is_cosigned_again_after_six_hours() -> None:
    assert not due(ASKED, hours=5, minutes=59)
    assert due(ASKED, hours=6)


def test_a_head_that_grew_or_a_time_that_is_needed_is_asked_for_at_once() -> None:
    assert due(ASKED, size=10)
    assert due(ASKED, refresh=True)


def test_who_failed_is_asked_again_after_ten_minutes() -> None:
    failed = replace(ASKED, problem="nobody answers")
    assert not due(failed, size=10, refresh=True, seconds=RETRY_S - 1)
    assert due(failed, seconds=RETRY_S)


def test_what_is_remembered_is_read_back(home: Home) -> None:
    memory = {"a.example/w": ASKED, "b": replace(ASKED, problem="nobody answers")}
    write_memory(home, memory)
    assert read_memory(home) == memory
    assert (Path(home.work_dir) / "witness-due").read_text() == f"{ASKED.asked_at + RETRY_S}\n"
    write_memory(home, {"a": ASKED})
    assert (Path(home.work_dir) / "witness-due").read_text() == f"{ASKED.asked_at + REFRESH_S}\n"
    write_memory(home, {})
    assert (Path(home.work_dir) / "witness-due").read_text() == "0\n"


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "nonsense",
        "[]",
        '{"w": []}',
        '{"w": {"asked_at": "1"}}',
        '{"w": {"asked_at": true}}',
        '{"w": {"size": -1}}',
        '{"w": {"odd": 1}}',
        '{"w": null}',
        "[" * 99_999,
    ],
)
def test_what_is_damaged_is_as_if_it_were_not_there(home: Home, raw: str) -> None:
    write_memory(home, {})
    (Path(home.work_dir) / "witnesses.json").write_text(raw)
    assert read_memory(home) == {}
