# ruff: noqa: RUF001 - words of other scripts are what is tested


import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.stores import connected

from nightledger.files.search_reader import TOKENIZER
from nightledger.text.search.tokens import (
    MAX_QUERY_CHARACTERS,
    index_text,
    is_unspaced,
    match_any,
    match_phrase,
    query_terms,
    words_in,
)

HOSTILE = st.text(
    st.sampled_from(list("\"'*():^+-{}[]NEARANDORNOT \x00\ud800abcé東京都の天気ひらがな서울ไทย.;%_\\/")),
    max_size=60,
)


def finds(text: str, match: str) -> bool:
    connection = connected()
    connection.execute(f"CREATE VIRTUAL TABLE words USING fts5(body, tokenize='{TOKENIZER}')")
    connection.execute("INSERT INTO words VALUES (?)", (index_text(text),))
    return bool(connection.execute("SELECT 1 FROM words WHERE words MATCH ?", (match,)).fetchall())


def answers(text: str, query: str) -> bool:
    return finds(text, match_any(query_terms(query)))


@given(query=st.one_of(HOSTILE, st.text(max_size=80)))
def test_no_query_is_an_error_or_an_operator(query: str) -> None:
    terms = query_terms(query)
    for expression in (match_any(terms), match_phrase(terms)):
        if expression:
            finds("a garden", expression)
    assert all(term and not set(term) & set(" \"'*():^+-{}") for term in terms)


@given(
    text=st.text(st.sampled_from("東京都天気のひらがな서울사람ไทย"), min_size=1, max_size=12),
    at=st.integers(0, 11),
    n=st.integers(1, 3),
)
def test_any_part_of_a_text_without_spaces_is_found(text: str, at: int, n: int) -> None:
    part = text[at % len(text) :][:n]
    assert finds(text, match_any(query_terms(part)))


@each_row(
    ("text", "query"),
    [
        ("明日は東京の天気が良い", "天気"),
        ("今天的会议改到下午", "会议"),
        ("서울에서 만난 사람", "서울"),
        ("CPUを東京で計測", "cpu"),
        ("Der Käse ist alt", "kase"),
        ("don't prune it", "dont prune"),
        ("nightly_backup.sh failed", "backup"),
        ("she was planting roses", "plants rose"),
    ],
)
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


def test_a_query_of_any_length_is_read_up_to_its_limit() -> None:
    words = " ".join(f"w{n}" for n in range(20_000))
    assert "w100" in query_terms(words)
    assert "w19999" not in query_terms(words)
    assert len(" ".join(query_terms(words))) <= MAX_QUERY_CHARACTERS


@each_row(
    ("text", "query"),
    [
        ("deployed 🚀 today", "🚀"),
        ("a ❤️ for it", "❤"),
        ("Die Straße", "straße"),
        ("in Łódź and Århus", "lodz"),
        ("Søren at Đà Nẵng", "da nang"),
        ("İstanbul ısındı", "istanbul"),
        ("Ο διακομιστής έπεσε", "ΔΙΑΚΟΜΙΣΤΗΣ"),
        ("Ёлка упала", "елка"),
        ("تعطل الخادم أمس", "تَعَطَّلَ"),
        ("שָׁלוֹם לכם", "שלום"),
        ("l'école est fermée", "école"),
        ("O'Brien came", "O’Brien"),
        ("the lil\u200bac grew", "lilac"),
    ],
)
def test_what_is_typed_without_marks_is_found_and_so_is_what_is_typed_with_them(
    text: str, query: str
) -> None:
    assert finds(text, match_any(query_terms(query)))


@pytest.mark.parametrize("icon", ["\ue0b0", "\uf418", "\U000f0045", "\U0010fffd"])
def test_a_word_that_touches_an_icon_of_a_prompt_is_found_without_it(icon: str) -> None:
    text = f"~/greenhouse{icon}main{icon}"
    assert finds(text, match_any(query_terms("greenhouse main")))
    assert finds(text, match_any(query_terms(f"main{icon}greenhouse")))


@given(text=st.text(max_size=80))
def test_a_query_is_spelt_as_the_text_is(text: str) -> None:
    said = set(words_in(text))
    assert {term for term in query_terms(text, stop_words=()) if not is_unspaced(term)} <= said
