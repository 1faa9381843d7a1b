import pytest

from nightledger.domain.search.engines import LEAST_CHUNKS, Engine, wants_tantivy


@pytest.mark.parametrize(
    ("engine", "chunks", "wanted"),
    [
        (Engine.AUTO, 50_000, False),
        (Engine.AUTO, 50_001, True),
        (Engine.TANTIVY, 50_000, False),
        (Engine.TANTIVY, 50_001, True),
        (Engine.FTS5, 10_000_000, False),
    ],
)
def test_tantivy_is_for_large_homes_that_let_it(engine: Engine, chunks: int, *, wanted: bool) -> None:
    assert LEAST_CHUNKS == 50_000
    assert wants_tantivy(engine, chunks) is wanted
