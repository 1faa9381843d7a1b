import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.forked import status_of
from tests.stores import in_memory

from nightledger.domain.search import Kind
from nightledger.files import search_index, search_reader
from nightledger.recall.sources import cut_prose
from nightledger.text.tokens import index_text, match_any, query_terms

STATE = search_index.FileState(1, 2, "ab", settled=True)
GARDEN = "# Garden\n\n- plant roses\n- water them\n"
BOAT = "# Boat\n\n- mend the rudder\n- plant nothing\n"


def file(path: str, text: str) -> search_index.NewFile:
    cut = cut_prose(text, None)
    return search_index.NewFile(path=path, kind=Kind.DAILY, state=STATE, text=cut.text, chunks=cut.chunks)


def make(path: Path, *files: search_index.NewFile) -> str:
    with search_index.building(str(path), index_text) as writer:
        for one in files:
            writer.put(one)
    return str(path)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return make(tmp_path / "search" / "index.db", file("a.md", GARDEN), file("b.md", BOAT))


def opened(path: str) -> search_index.SearchStore:
    store = search_index.open_store(path)
    assert store is not None
    return store


def found(store: search_index.SearchStore, query: str, **wanted: Any) -> list[str]:
    hits = store.find([[match_any([term])] for term in query_terms(query)], 10, search_index.Filter(**wanted))
    chunks = store.chunks(hits)
    return [f"{chunks[hit].path}:{chunks[hit].first_line}" for hit in hits]


def dump(store: search_index.SearchStore) -> object:
    """Give all that an index answers with: every word's chunks with their scores, and every chunk."""
    words = store.ask("SELECT name FROM sqlite_master WHERE name = 'every'") or store.connection.execute(
        "CREATE VIRTUAL TABLE temp.every USING fts5vocab(main, words, row)"
    )
    assert words is not None
    stems = [row[0] for row in store.ask("SELECT term FROM temp.every ORDER BY term")]
    chunks = store.chunks(row[0] for row in store.ask("SELECT id FROM chunks"))
    places = sorted(
        (one.path, one.n, one.first_line, one.last_line, one.text, one.prefix) for one in chunks.values()
    )
    scores = {
        stem: [
            (chunks[number].path, chunks[number].n, round(rank, 9))
            for number, rank in sorted(
                store.ask("SELECT rowid, rank FROM words WHERE words MATCH ?", (f'"{stem}"',)),
                key=lambda row: (row[1], chunks[row[0]].path, chunks[row[0]].n),
            )
        ]
        for stem in stems
    }
    return places, scores


TEXT = st.lists(
    st.sampled_from(
        ["# Garden", "## 2026-03-01", "- plant roses", "- water 東京", "- dig", "", f"- {'far ' * 90}"]
    ),
    max_size=12,
).map("\n".join)


@given(steps=st.lists(st.tuples(st.sampled_from("abc"), st.one_of(st.none(), TEXT)), min_size=1, max_size=8))
def test_an_index_brought_up_to_date_answers_as_one_made_at_once(steps: list[tuple[str, str | None]]) -> None:
    stepped = in_memory()
    standing: dict[str, str] = {}
    for name, text in steps:
        if text is None:
            stepped.remove(name)
            standing.pop(name, None)
        else:
            stepped.put(file(name, text))
            standing[name] = text
    at_once = in_memory()
    for name, text in standing.items():
        at_once.put(file(name, text))
    assert dump(stepped.store) == dump(at_once.store)
    stepped.store.connection.execute("INSERT INTO words(words) VALUES ('integrity-check')")


def test_only_what_changed_of_a_file_is_indexed_anew() -> None:
    writer = in_memory()
    text = "".join(f"## {n}\n\n- {n} said\n\n" for n in range(50))
    assert writer.put(file("a.md", text)) == 50
    assert writer.put(file("a.md", text.replace("7 said", "7 asked", 1))) == 1
    assert writer.put(file("a.md", f"- before all\n\n{text}")) == 2
    assert [one.first_line for one in writer.store.chunks_of("a.md")][:3] == [1, 3, 7]


def test_a_write_that_fails_changes_nothing(path: str) -> None:
    with pytest.raises(ZeroDivisionError), search_index.writing(path, index_text) as writer:  # noqa: PT012 - it fails halfway
        writer.put(file("c.md", "- new\n"))
        _ = 1 // 0
    with closing(opened(path)) as store:
        assert set(store.files()) == {"a.md", "b.md"}


def test_a_journal_of_the_old_index_is_not_played_back_into_the_new_one(path: str) -> None:
    Path(f"{path}-journal").write_bytes(b"hot")
    make(Path(path), file("c.md", "- plant moss\n"))
    assert not os.path.lexists(f"{path}-journal")
    with closing(opened(path)) as store:
        assert set(store.files()) == {"c.md"}


def kill_while_it_writes(path: str) -> None:
    """Leave what a run leaves that is killed while a part of its transaction is in the file."""

    def run() -> None:
        with search_index.writing(path, index_text) as writer:
            writer.store.connection.execute("PRAGMA cache_size=5")
            for n in range(200):
                writer.put(file(f"{n}.md", f"- moss {n}\n" * 60))
            os._exit(9)

    assert status_of(run) == 9


def test_what_a_killed_run_had_begun_is_taken_back(path: str) -> None:
    search_index.take_back(path)
    kill_while_it_writes(path)
    assert os.path.lexists(f"{path}-journal")
    search_index.take_back(path)
    assert not os.path.lexists(f"{path}-journal")
    with closing(opened(path)) as store:
        assert set(store.files()) == {"a.md", "b.md"}
        assert store.ask("PRAGMA integrity_check") == [("ok",)]


def changed(path: str, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


DAMAGES: dict[str, Callable[[str], object]] = {
    "header": lambda path: Path(path).write_bytes(b"no database at all" * 100),
    "other": lambda path: changed(path, "PRAGMA application_id=7"),
    "tables": lambda path: changed(path, "DROP TABLE files"),
    "pages": lambda path: changed(path, "UPDATE chunks SET text = 'x'"),
    "chunks": lambda path: changed(path, "DELETE FROM chunks"),
    "bytes": lambda path: Path(path).write_bytes(
        Path(path).read_bytes()[:8192].ljust(os.stat(path).st_size, b"\xff")
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_is_named_and_never_answered_from(path: str, damage: str) -> None:
    DAMAGES[damage](path)
    with pytest.raises(search_reader.DamagedIndexError) as caught:  # noqa: PT012 - opening or asking may notice it
        store = opened(path)
        with closing(store):
            store.files()
            found(store, "plant")
    assert path in str(caught.value)
    assert caught.value.hint == "make it anew: nightledger doctor --rebuild"


@pytest.mark.parametrize(
    ("version", "word"), [(search_reader.VERSION + 1, "newer"), (search_reader.VERSION - 1, "older")]
)
def test_an_index_of_another_version_is_named(path: str, version: int, word: str) -> None:
    changed(path, f"PRAGMA user_version={version}")
    with pytest.raises(search_reader.OtherVersionError, match=f"{word} version") as caught:
        search_index.open_store(path)
    assert caught.value.newer is (word == "newer")


def test_whether_an_index_keeps_a_text_is_told_and_of_a_damaged_one_it_is_taken_to(path: str) -> None:
    assert search_index.any_text(path, lambda text: b"rudder" in text)
    assert not search_index.any_text(path, lambda text: b"tulips" in text)
    Path(path).write_bytes(b"nonsense" * 1000)
    assert search_index.any_text(path, lambda _: False)
    Path(path).unlink()
    assert not search_index.any_text(path, lambda _: True)


@pytest.mark.parametrize("name", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("put", [os.mkfifo, lambda path: os.symlink("nothing", path)], ids=["fifo", "link"])
def test_what_is_no_file_beside_an_index_makes_it_unusable_and_goes_with_it(
    path: str, name: str, put: Callable[[str], None]
) -> None:
    put(path + name)
    with pytest.raises(search_reader.SearchIndexError, match=f"index.db{name} is not a regular file"):
        search_index.open_store(path)
    with pytest.raises(search_reader.SearchIndexError, match="not a regular file"):
        search_reader.open_reader(path)
    with pytest.raises(search_reader.SearchIndexError), search_index.writing(path, index_text):
        pass
    with search_index.building(path, index_text) as writer:
        writer.put(file("MEMORY.md", GARDEN))
    assert not os.path.lexists(path + name)
    search_reader.open_reader(path).close()


def test_a_word_that_every_chunk_holds_still_tells_the_more_the_oftener_it_stands_there() -> None:
    writer = in_memory()
    for name, text in (("a.md", "- lilac"), ("b.md", "- lilac lilac"), ("c.md", "- lilac and more")):
        writer.put(file(name, text))
    writer.commit()
    scores = writer.store.find([[match_any(["lilac"])]], 10)
    assert min(scores.values()) > 0.01
    assert found(writer.store, "lilac")[0] == "b.md:1"
