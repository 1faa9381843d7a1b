# ruff: noqa: RUF001 - words of other scripts are what is tested


import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.stores import connected

from nightledger.files.search_reader import TOKENIZER
from nightledger.text.search.tokens import index_text, match_any, match_phrase, query_terms


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
