"""The quick index: what it finds, that it is made of the words it says, and what is wrong with it."""

import os
import stat
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pytest
from tests.engines import BOTH, take_away, use
from tests.stores import in_memory

from nightledger.files import quick_index
from nightledger.files.quick_index import (
    QuickIndexError,
    QuickWriter,
    is_installed,
    open_quick,
    quick_dir,
    remove_quick,
)
from nightledger.text.search.tokens import index_text

DAY = date(2026, 2, 28)


@pytest.fixture(params=BOTH, autouse=True)
def which(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    use(request.param, monkeypatch)
    return str(request.param)


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "search" / "tantivy")


def stems(words: Sequence[str]) -> list[list[str]]:
    store = in_memory().store
    try:
        return store.stems(words)
    finally:
        store.close()


def make(place: str, *texts: str, history: str = "one", day: date | None = DAY) -> None:
    writer = QuickWriter(place, stems, None)
    for number, text in enumerate(texts, 1):
        writer.put(number, index_text(text), day.toordinal() if day else None)
    writer.commit(history)


def found(place: str, query: str, history: str = "one", limit: int = 10, **days: date) -> list[int]:
    quick = open_quick(place, history)
    assert quick is not None
    words = [stem for parts in stems(query.split()) for stem in parts]
    return quick.find(words, limit, **days)


def test_it_gives_the_numbers_of_what_says_a_word_or_another_with_its_stem(place: str) -> None:
    make(place, "We planted roses.", "The boat waits.", "Plant a rose by the rose hedge")
    assert sorted(found(place, "planting")) == [1, 3]
    assert found(place, "rose") == [3, 1]
    assert found(place, "rose", limit=1) == [3]
    assert found(place, "anchor") == []
    assert found(place, "boat rose", limit=3)[0] == 2  # the rarer word counts more


def test_words_are_those_of_fts5(place: str) -> None:
    make(place, "naïve_café-2024", "日本語の庭", "Ünïted; O'Brien's")
    assert found(place, "cafe") == found(place, "naive") == found(place, "2024") == [1]
    assert found(place, "日本") == [2]
    assert found(place, "united") == [3]


def test_a_day_bounds_what_is_found(place: str) -> None:
    writer = QuickWriter(place, stems, None)
    for number, day in enumerate((date(2026, 1, 1), date(2026, 2, 1), None), 1):
        writer.put(number, "rose", day.toordinal() if day else None)
    writer.commit("one")
    assert sorted(found(place, "rose")) == [1, 2, 3]
    assert found(place, "rose", since=date(2026, 1, 2)) == [2]
    assert found(place, "rose", until=date(2026, 1, 1)) == [1]
    assert found(place, "rose", since=date(2026, 1, 1), until=date(2026, 2, 1)) == [1, 2]
    assert found(place, "hedge", since=date(2026, 1, 1)) == []


def test_it_stands_for_one_history_and_no_other(place: str) -> None:
    assert open_quick(place, "one") is None
    make(place, "rose")
    assert open_quick(place, "one") is not None
    assert open_quick(place, "two") is None
    assert open_quick(place, "") is None


def test_what_changed_is_written_with_its_history(place: str) -> None:
    make(place, "rose", "boat")
    writer = QuickWriter(place, stems, "one")
    writer.take_out(1)
    writer.put(1, "anchor", None)  # its number is given again
    writer.put(3, "boat hook", None)
    writer.take_out(3)
    writer.commit("two")
    assert open_quick(place, "one") is None
    assert found(place, "rose", "two") == []
    assert found(place, "anchor", "two") == [1]
    assert found(place, "boat", "two") == [2]


def test_where_nothing_changed_nothing_is_written(place: str) -> None:
    make(place, "rose")
    QuickWriter(place, stems, "one").commit("two")
    assert open_quick(place, "one") is not None


def test_what_was_not_committed_was_never_there(place: str) -> None:
    make(place, "rose")
    writer = QuickWriter(place, stems, "one")
    writer.take_out(1)
    del writer
    assert found(place, "rose") == [1]


def test_many_chunks_are_written_in_several_goes(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_index, "_AT_ONCE", 2)
    monkeypatch.setattr(quick_index, "_MOST_KNOWN", 1)
    make(place, *(f"rose w{n}" for n in range(5)))
    assert sorted(found(place, "rose")) == [1, 2, 3, 4, 5]
    assert found(place, "w3") == [4]


def test_nobody_reads_the_words_and_no_stranger_the_files(place: str) -> None:
    make(place, "sesame opens", "rose")
    assert stat.S_IMODE(os.stat(place).st_mode) == 0o700
    for entry in Path(place).iterdir():
        assert b"sesam" not in entry.read_bytes()


def test_made_anew_it_takes_the_place_of_what_was_there(place: str, tmp_path: Path) -> None:
    make(place, "rose")
    make(place, "boat", history="two")
    assert found(place, "rose", "two") == []
    remove_quick(place)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    Path(place).symlink_to(elsewhere)
    make(place, "boat")
    assert not Path(place).is_symlink()
    assert (elsewhere / "kept").exists()
    remove_quick(place)
    Path(place).write_text("a file")
    remove_quick(place)
    remove_quick(place)
    assert not os.path.lexists(place)


def test_damage_is_told_and_no_other_error(place: str) -> None:
    make(place, "rose")
    (Path(place) / "meta.json").write_text("{")
    with pytest.raises(QuickIndexError, match="cannot be used") as told:
        open_quick(place, "one")
    assert "FTS5 finds" in (told.value.hint or "")
    writer = QuickWriter(place, stems, "one")
    writer.take_out(1)
    writer.put(1, "boat", None)  # what failed stays failed, and says so once
    with pytest.raises(QuickIndexError):
        writer.commit("two")


def test_a_query_that_fails_is_told(place: str) -> None:
    make(place, "rose")
    quick = open_quick(place, "one")
    assert quick is not None
    quick._searcher = None  # as good as any other failure
    with pytest.raises(QuickIndexError):
        quick.find(["rose"], 1)


class PanicException(BaseException):
    """As pyo3 has it."""


@pytest.mark.parametrize(
    ("thrown", "told"),
    [
        (PanicException("at the disco"), QuickIndexError),
        (KeyboardInterrupt("stop"), KeyboardInterrupt),
        (QuickIndexError("as it is"), QuickIndexError),
    ],
)
def test_a_panic_is_an_error_and_an_interrupt_is_none(
    place: str, monkeypatch: pytest.MonkeyPatch, thrown: BaseException, told: type[BaseException]
) -> None:
    make(place, "rose")

    def fails() -> None:
        raise thrown

    monkeypatch.setattr(quick_index, "_load", fails)
    with pytest.raises(told, match=str(thrown)):
        open_quick(place, "one")


def test_without_tantivy_there_is_none(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_installed()
    make(place, "rose")
    take_away(monkeypatch)
    assert not is_installed()
    with pytest.raises(QuickIndexError):
        open_quick(place, "one")


def test_it_lies_beside_the_search_index() -> None:
    assert quick_dir("/home/search/index.db") == "/home/search/tantivy"


def test_a_fifo_of_its_name_is_taken_away_like_a_directory(place: str) -> None:
    os.makedirs(os.path.dirname(place))
    os.mkfifo(place)
    remove_quick(place)
    assert not os.path.lexists(place)
    remove_quick(place)


@pytest.mark.parametrize("put", [os.mkfifo, lambda path: os.symlink("meta.json", path)], ids=["fifo", "link"])
def test_what_is_no_file_in_it_makes_it_unusable(place: str, put: Callable[[str], None]) -> None:
    make(place, "We planted roses.")
    put(os.path.join(place, "a.store"))
    with pytest.raises(QuickIndexError, match=r"a\.store is not a regular file"):
        open_quick(place, "one")
    make(place, "We planted roses.")
    assert found(place, "rose") == [1]
