from datetime import date

from nightledger.domain.search.values import Chunk, Found, Hit, Kind, Query, Showing, prefix_of


def chunk(number: int = 0) -> Chunk:
    return Chunk(
        id=number,
        path="memory/2026-02-28.md",
        first_line=3,
        last_line=4,
        kind=Kind.DAILY,
        heading="Garden > Lilac",
        day=date(2026, 2, 28),
        text="- cut\n- watered",
    )


def test_date_and_headings_are_indexed_before_a_text() -> None:
    assert chunk().prefix == "2026-02-28 Garden > Lilac"
    assert prefix_of(None, "Garden") == "Garden"
    assert prefix_of(date(2026, 2, 28), "") == "2026-02-28"
    assert prefix_of(None, "") == ""


def test_where_a_chunk_lies_in_an_index_is_no_part_of_what_it_is() -> None:
    assert chunk(1) == chunk(2)


def test_an_operator_asks_unless_somebody_says_otherwise() -> None:
    assert Query(text="lilac").showing is Showing.OPERATOR
    hit = Hit(chunk=chunk(), score=1.0, lines=(3, 3))
    assert Found(hits=(hit,)).withheld == {}
