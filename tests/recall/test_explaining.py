from tests.gate.homes import Desk
from tests.recall.asking import put

from nightledger.domain.search import Query
from nightledger.recall.searching import Explained, explain


def explained(desk: Desk, text: str) -> Explained:
    return explain(desk.gate, desk.ledger(), Query(text=text), desk.moment)


def test_it_tells_what_searching_did(desk: Desk) -> None:
    put(desk, "memory/2026-02-10.md", "- The lilac was cut.\n")
    told = explained(desk, 'lilac "back garden" in February')
    assert told.frequencies == {"lilac": 1, "back": 0, "garden": 0}
    assert (told.found.weighed, told.files) == (1, 2)
    assert told.found.hits[0].chunk.path == "memory/2026-02-10.md"
    assert explained(desk, "lilac").indexed <= told.indexed
