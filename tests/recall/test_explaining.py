import sqlite3
from contextlib import closing

from tests.gate.homes import Desk
from tests.recall.asking import put
from tests.recall.test_indexing import settle

from nightledger.domain.search.values import Query
from nightledger.files.search_index import index_path
from nightledger.recall.searching import Explained, explain


def explained(desk: Desk, text: str) -> Explained:
    return explain(desk.gate, desk.ledger(), Query(text=text), desk.moment)


def test_it_tells_what_searching_did(desk: Desk) -> None:
    put(desk, "memory/2026-02-10.md", "- The lilac was cut.\n")
    told = explained(desk, 'lilac "back garden" in February')
    assert [group.word for group in told.groups] == ["lilac", "back", "garden"]
    assert told.frequencies["lilac"] == 1
    assert (told.said, str(told.since), str(told.until)) == ("in February", "2026-02-01", "2026-02-28")
    assert (told.candidates, told.files) == (1, 2)
    assert told.found.hits[0].chunk.path == "memory/2026-02-10.md"
    assert explained(desk, "lilac").indexed <= told.indexed


def test_a_damaged_index_is_made_anew(desk: Desk) -> None:
    put(desk, "memory/2026-02-10.md", "- The lilac was cut.\n")
    explained(desk, "lilac")
    settle(desk)
    explained(desk, "lilac")
    with closing(sqlite3.connect(index_path(desk.home))) as index:
        index.execute("UPDATE chunks SET text = 'x'")
        index.commit()
    told = explained(desk, "lilac")
    assert told.found.hits
    assert "it was made anew" in told.found.notes[0]
