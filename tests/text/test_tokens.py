import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus
from tests.stores import connected

from nightledger.files.search_reader import TOKENIZER
from nightledger.text.tokens import index_text, match_any, match_phrase, query_terms


def finds(text: str, match: str) -> bool:
    connection = connected()
    connection.execute(f"CREATE VIRTUAL TABLE words USING fts5(body, tokenize='{TOKENIZER}')")
    connection.execute("INSERT INTO words VALUES (?)", (index_text(text),))
    return bool(connection.execute("SELECT 1 FROM words WHERE words MATCH ?", (match,)).fetchall())


def answers(text: str, query: str) -> bool:
    return finds(text, match_any(query_terms(query)))


@given(
    text=st.text(st.sampled_from("東京都天気のひらがな서울사람ไทย"), min_size=1, max_size=12),
    at=st.integers(0, 11),
    n=st.integers(1, 3),
)
def test_any_part_of_a_text_without_spaces_is_found(text: str, at: int, n: int) -> None:
    part = text[at % len(text) :][:n]
    assert finds(text, match_any(query_terms(part)))


@from_corpus("text-search-tokens")
def test_it_is_found(text: str, query: str) -> None:
    assert answers(text, query)


@pytest.mark.parametrize(
    ("text", "query"), [("東の京", "東京"), ("明日は東京", "京東"), ("サーバー", "バサ"), ("roses", "ros e")]
)
def test_it_is_not_found(text: str, query: str) -> None:
    assert not answers(text, query)


def test_stop_words_go_unless_there_is_nothing_else() -> None:
    assert query_terms("what did we say about the Backup of the backup") == ("say", "backup")
    assert query_terms("To be, or not to be") == ("to", "be", "or", "not")
    assert query_terms("?! ...") == ()
    assert match_any(()) == match_phrase(()) == ""


def test_quotes_and_operators_are_plain_text() -> None:
    terms = query_terms('"cron job" NOT (backup* OR NEAR(a, b)) body:x ^z')
    assert terms == ("cron", "job", "backup", "near", "b", "body", "x", "z")
    assert match_phrase(("cron", "job")) == '"cron job"'
    assert match_any(("東", "東京", "a")) == '"東"* OR "東京" OR "a"'


@from_corpus("text-search-tokens")
def test_what_is_typed_without_marks_is_found_and_so_is_what_is_typed_with_them(
    text: str, query: str
) -> None:
    assert finds(text, match_any(query_terms(query)))
