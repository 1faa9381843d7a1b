# ruff: noqa: RUF001 - words of other scripts are what is tested


import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.stores import connected

from nightledger.files.search_reader import TOKENIZER
from nightledger.text.search.stop_words import STOP_WORDS
from nightledger.text.search.tokens import (
    MAX_QUERY_CHARACTERS,
    index_text,
    is_unspaced,
    match_all,
    match_any,
    match_phrase,
    plain,
    query_terms,
    shown_as,
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
    for expression in (match_any(terms), match_all(terms), match_phrase(terms)):
        if expression:
            finds("a garden", expression)
    assert all(term and not set(term) & set(" \"'*():^+-{}") for term in terms)


@given(text=st.one_of(HOSTILE, st.text(max_size=80)))
def test_a_text_answers_itself_when_it_has_words(text: str) -> None:
    terms = query_terms(text, stop_words=())
    if terms and text.isascii():
        assert finds(text, match_any(terms))


@given(
    text=st.text(st.sampled_from("東京都天気のひらがな서울사람ไทย"), min_size=1, max_size=12),
    at=st.integers(0, 11),
    n=st.integers(1, 3),
)
def test_any_part_of_a_text_without_spaces_is_found(text: str, at: int, n: int) -> None:
    part = text[at % len(text) :][:n]
    assert finds(text, match_all(query_terms(part)))


@each_row(
    ("text", "query"),
    [
        ("明日は東京の天気が良い", "天気"),
        ("明日は東京の天気が良い", "東京"),
        ("今天的会议改到下午", "会议"),
        ("今天的会议改到下午", "午"),
        ("서울에서 만난 사람", "서울"),
        ("서울에서 만난 사람", "사람"),
        ("CPUを東京で計測", "cpu"),
        ("ﾃｽﾄ環境", "テスト"),
        ("\uff26\uff55\uff4c\uff4c width", "full"),
        ("Der Käse ist alt", "kase"),
        ("don't prune it", "dont prune"),
        ("don\u2019t prune it", "don't"),
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
    assert match_any(()) == match_all(()) == match_phrase(()) == ""


def test_quotes_and_operators_are_plain_text() -> None:
    terms = query_terms('"cron job" NOT (backup* OR NEAR(a, b)) body:x ^z')
    assert terms == ("cron", "job", "backup", "near", "b", "body", "x", "z")
    assert match_all(("cron", "job")) == '"cron" AND "job"'
    assert match_phrase(("cron", "job")) == '"cron job"'
    assert match_any(("東", "東京", "a")) == '"東"* OR "東京" OR "a"'


def test_a_query_of_any_length_is_read_up_to_its_limit() -> None:
    words = " ".join(f"w{n}" for n in range(20_000))
    assert "w100" in query_terms(words)
    assert "w19999" not in query_terms(words)
    assert len(" ".join(query_terms(words))) <= MAX_QUERY_CHARACTERS


def test_words_come_as_the_index_has_them() -> None:
    assert words_in("Don't ask: 東京 Café_au-lait 3") == (
        "dont",
        "ask",
        "東京",
        "京",
        "café",
        "au",
        "lait",
        "3",
    )
    assert plain("café") == "cafe"
    assert plain("cafe") == "cafe"
    assert is_unspaced("東京")
    assert not is_unspaced("tokyo")


def test_stop_words_are_in_the_spelling_of_the_index() -> None:
    assert all(words_in(word) == (word,) for word in STOP_WORDS)
    assert STOP_WORDS.isdisjoint(
        {"die", "war", "mine", "gift", "rot"}
    )  # German or English, a thing in the other


@each_row(
    ("text", "query"),
    [
        ("deployed 🚀 today", "🚀"),
        ("deployed🚀today", "deployed"),
        ("a ❤️ for it", "❤"),
        ("thumbs 👍🏽 up", "👍"),
        ("the 🇩🇪 flag", "🇩🇪"),
        ("Die Straße", "straße"),
        ("Die Straße", "STRASSE"),
        ("in Łódź and Århus", "lodz"),
        ("in Łódź", "łódź"),
        ("Søren at Đà Nẵng", "soren"),
        ("Søren at Đà Nẵng", "da nang"),
        ("hors d’œuvre", "oeuvre"),
        ("İstanbul ısındı", "istanbul"),
        ("İstanbul ısındı", "isindi"),
        ("Ο διακομιστής έπεσε", "ΔΙΑΚΟΜΙΣΤΗΣ"),
        ("ΤΕΛΟΣ", "τέλος"),
        ("Ёлка упала", "елка"),
        ("Елка упала", "ёлка"),
        ("تعطل الخادم أمس", "تَعَطَّلَ"),
        ("تعطل الخادم أمس", "امس"),
        ("שָׁלוֹם לכם", "שלום"),
        ("l'école est fermée", "école"),
        ("l’école est fermée", "l'ecole"),
        ("nell'ufficio nuovo", "ufficio"),
        ("O'Brien came", "O’Brien"),
        ("the lil\u200bac grew", "lilac"),
        ("soft\u00adware", "software"),
    ],
)
def test_what_is_typed_without_marks_is_found_and_so_is_what_is_typed_with_them(
    text: str, query: str
) -> None:
    assert finds(text, match_all(query_terms(query)))


@pytest.mark.parametrize(
    ("text", "query"), [("deployed 🚀", "🔥"), ("мой дом", "мои"), ("rock'n'roll", "rocknroll"), ("pie", "π")]
)
def test_other_letters_and_other_emoji_are_other_words(text: str, query: str) -> None:
    assert finds(text, match_all(query_terms(query))) is (query == "rocknroll")


@pytest.mark.parametrize("icon", ["\ue0b0", "\uf418", "\U000f0045", "\U0010fffd"])
def test_a_word_that_touches_an_icon_of_a_prompt_is_found_without_it(icon: str) -> None:
    text = f"~/greenhouse{icon}main{icon}"
    assert finds(text, match_all(query_terms("greenhouse main")))
    assert finds(text, match_all(query_terms(f"main{icon}greenhouse")))


def test_an_emoji_is_shown_as_itself() -> None:
    (word,) = query_terms("🚀")
    assert word.isalnum()
    assert shown_as(word) == "🚀"
    assert (shown_as("emoji"), shown_as("emoji99999999"), shown_as("lilac")) == (
        "emoji",
        "emoji99999999",
        "lilac",
    )


@given(text=st.text(max_size=80))
def test_a_query_is_spelt_as_the_text_is(text: str) -> None:
    said = set(words_in(text))
    assert {term for term in query_terms(text, stop_words=()) if not is_unspaced(term)} <= said


def test_what_the_index_has_no_word_for_is_no_word_of_a_query() -> None:
    assert query_terms("\u0e01\u0e34\u0e48\u0e07") == ("\u0e01\u0e34", "\u0e48\u0e07")
    assert query_terms("\u2ecb") == ()
    assert query_terms("pump \u2ecb") == ("pump",)
