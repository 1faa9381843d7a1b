"""Doctor on what finds candidates in a large home."""

from pathlib import Path

import pytest
from tests.engines import take_away, use
from tests.gate.homes import Desk
from tests.recall.asking import ask, put

from nightledger.domain.search import engines
from nightledger.files.quick_index import quick_dir
from nightledger.files.search_index import index_path
from nightledger.surfaces.doctor.checks import Check, State
from nightledger.surfaces.doctor.search import check_search


@pytest.fixture
def home(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    use("by hand", monkeypatch)
    put(desk, "memory/2026-02-28.md", "- lilac\n")
    ask(desk, "lilac")
    return desk


def last(desk: Desk) -> Check:
    return list(check_search(desk.home))[-1]


def test_tantivy_in_step_is_well(home: Desk) -> None:
    assert last(home).message == "tantivy finds candidates among 3 chunks"
    assert last(home).state is State.GOOD


def test_one_that_is_missing_or_of_other_words_or_damaged_is_told(home: Desk) -> None:
    meta = Path(quick_dir(index_path(home.home))) / "meta.json"
    before = meta.read_text()
    meta.write_text("[]")
    assert "of other words" in last(home).message
    meta.write_text("[")
    assert "cannot be used" in last(home).message
    meta.unlink()
    assert (last(home).state, "missing" in last(home).message) == (State.NOTE, True)
    assert "nightledger recall" in last(home).fix
    meta.write_text(before)
    assert last(home).state is State.GOOD


def test_small_homes_are_not_told_of_it(home: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "LEAST_CHUNKS", 50_000)
    assert "tantivy" not in last(home).message


@pytest.mark.parametrize(
    ("settings", "told"), [("", False), ("search_engine: tantivy\n", True), ("search_engine: none\n", False)]
)
def test_that_it_is_not_installed_is_told_to_who_asked_for_it(
    home: Desk, monkeypatch: pytest.MonkeyPatch, settings: str, *, told: bool
) -> None:
    put(home, home.home.relative(home.home.settings), settings)
    take_away(monkeypatch)
    assert ("not installed" in last(home).message) is told
