from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.text.scanners.unicode import scan_characters, see_through


@from_corpus("text-scanners-unicode", tuples=True)
def test_what_hides_is_told_by_what_it_can_do_where_it_stands(
    text: str, found: tuple[tuple[str, str], ...]
) -> None:
    """Whether it cuts a word, stands alone or in a row, is drawn, or may be needed by what stands beside it."""
    assert tuple((finding.rule, finding.severity) for finding in scan_characters(text)) == found


@from_corpus("text-scanners-unicode")
def test_a_model_reads_what_is_styled_or_looks_alike_as_plain_letters(text: str, seen: str) -> None:
    assert see_through(text).text.lower() == seen


def test_what_is_seen_and_found_has_its_place_in_the_text() -> None:
    (finding,) = scan_characters("see p\u0430ypal now")
    assert (finding.start, finding.end) == (4, 10)
    seen = see_through("\U0001d421\U0001d422 p\u0430y\u200bpal " + chr(0xE0000 + ord("x")))
    assert seen.text == "hi paypal x"
    assert (seen.origin(0), seen.origin(seen.text.index("pal"))) == (0, 7)


@given(text=st.text(alphabet="ab \u200b\u0430\U000e0041\ufe0f", max_size=30))
def test_every_seen_character_comes_from_a_place_in_order(text: str) -> None:
    seen = see_through(text)
    places = [seen.origin(index) for index in range(len(seen.text))]
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)
