import os
from datetime import date, timedelta
from pathlib import Path

from bench.bench_index import FIRST, invent_logs, invent_queries, new_file

from nightledger.domain.search import Query
from nightledger.files.search_index import building, open_store, writing
from nightledger.recall.searching import search_store
from nightledger.text.tokens import index_text

DAY = FIRST + timedelta(days=9)


def test_the_index_is_less_than_twice_its_text_and_one_day_changes_little(tmp_path: Path) -> None:
    files, words = invent_logs(1_000, 1)
    path = str(tmp_path / "s" / "i.db")
    with building(path, index_text) as writer:
        assert sum(writer.put(file) for file in files) == sum(len(file.chunks) for file in files)
    assert os.path.getsize(path) < 2 * sum(len(file.text.encode()) for file in files)
    middle = files[9]
    with writing(path, index_text) as writer:
        assert writer.put(new_file(middle.path, f"{middle.text}\n## Later\n\n- Zebra.\n", DAY)) == 1
    store = open_store(path)
    assert store is not None
    query = Query(text="zebra", limit=1)
    assert search_store(store, query, date(2026, 1, 1)).hits[0].chunk.path == middle.path
    answers = [search_store(store, Query(text=q), FIRST).hits for q in invent_queries(words, 10, 2)]
    assert sum(map(bool, answers)) >= 9
    store.close()
