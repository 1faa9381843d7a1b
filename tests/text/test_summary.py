from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.summary import split_sentences, summarise

TEXTS = st.lists(
    st.sampled_from(["Never push on 3 May.", "Sent mail.", "Ann prefers tea!", "水很热。", "ok"]), max_size=8
)


def test_sentences_are_split_at_stops_and_line_ends() -> None:
    assert split_sentences("One. Two!\nThree? Four.five") == ["One.", "Two!", "Three?", "Four.five"]
    assert split_sentences("水很热。茶很香。") == ["水很热。", "茶很香。"]
    assert split_sentences("") == []


def test_what_holds_is_kept_before_what_was_done() -> None:
    text = "Sent a mail to Ann. Never boil the kettle dry because the seal melts. Bought some bread."
    assert summarise(text, 50) == "Never boil the kettle dry because the seal melts."


def test_a_text_that_fits_is_kept_whole() -> None:
    assert summarise("Sent mail. Never push.", 100) == "Sent mail. Never push."


def test_nothing_fits_gives_nothing() -> None:
    assert summarise("Never push on Fridays.", 5) == ""


@given(TEXTS.map(" ".join), st.integers(0, 120))
def test_a_summary_is_sentences_of_its_source_in_order(text: str, limit: int) -> None:
    summary = summarise(text, limit)
    assert len(summary) <= limit
    remaining = iter(split_sentences(text))
    assert all(any(sentence == other for other in remaining) for sentence in split_sentences(summary))
