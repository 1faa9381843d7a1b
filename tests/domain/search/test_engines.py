import pytest

from nightledger.domain.search.engines import AUTO_CHUNKS, LEAST_CHUNKS, Engine, wants_tantivy


@pytest.mark.parametrize(
    ("engine", "chunks", "wanted"),
    [
        (Engine.AUTO, AUTO_CHUNKS, False),
        (Engine.AUTO, AUTO_CHUNKS + 1, True),
        (Engine.TANTIVY, LEAST_CHUNKS, False),
        (Engine.TANTIVY, LEAST_CHUNKS + 1, True),
        (Engine.FTS5, 10_000_000, False),
    ],
)
def test_tantivy_is_for_large_homes_that_let_it(engine: Engine, chunks: int, *, wanted: bool) -> None:
    assert wants_tantivy(engine, chunks) is wanted


def test_no_setting_begins_below_fifty_thousand() -> None:
    assert min(AUTO_CHUNKS, LEAST_CHUNKS) >= 50_000
