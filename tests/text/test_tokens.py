from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus
from tests.stores import connected

from nightledger.files.search_reader import TOKENIZER
from nightledger.text.tokens import Likeness, index_text, match_any, match_phrase, query_terms

BACKUP = "- Backups: cron has no PATH; call the archiver by its full path."
ZONE = "- Set the zone in every crontab; the machines run on UTC."
RESTART = "- Restart the relay after an upgrade."
INVOICE = "- The invoice exporter needs a semicolon."
OWNER = "- Rechnungen gehen zuerst an Frau Berger."
COMMIT = "- Prefer short commit messages."
TEXTS = (BACKUP, ZONE, RESTART, INVOICE, OWNER, COMMIT)


def answers(text: str, query: str) -> bool:
    connection = connected()
    connection.execute(f"CREATE VIRTUAL TABLE words USING fts5(body, tokenize='{TOKENIZER}')")
    connection.execute("INSERT INTO words VALUES (?)", (index_text(text),))
    match = match_any(query_terms(query))
    return bool(connection.execute("SELECT 1 FROM words WHERE words MATCH ?", (match,)).fetchall())


@given(
    text=st.text(st.sampled_from("東京都天気のひらがな서울사람ไทย"), min_size=1, max_size=12),
    at=st.integers(0, 11),
    n=st.integers(1, 3),
)
def test_any_part_of_a_text_without_spaces_is_found(text: str, at: int, n: int) -> None:
    assert answers(text, text[at % len(text) :][:n])


@from_corpus("text-search-tokens")
def test_what_is_typed_with_marks_or_without_is_found_and_nothing_else(
    text: str, query: str, *, found: bool
) -> None:
    assert answers(text, query) is found


@from_corpus("text-search-tokens")
def test_stop_words_go_unless_there_is_nothing_else_and_operators_are_plain_text(
    query: str, terms: list[str]
) -> None:
    assert [*query_terms(query)] == terms


def test_terms_are_quoted() -> None:
    assert match_phrase(("cron", "job")) == '"cron job"'
    assert match_any(("東", "東京", "a")) == '"東"* OR "東京" OR "a"'
    assert match_any(()) == match_phrase(()) == ""


@from_corpus("text-search-likeness")
def test_what_is_meant_is_most_alike(question: str, meant: str) -> None:
    assert max(TEXTS, key=Likeness(question, TEXTS).of) == meant


def test_all_of_the_words_is_1_and_none_is_0() -> None:
    likeness = Likeness("upgrade of the relay", TEXTS)
    assert (likeness.of(RESTART), likeness.of(ZONE)) == (1.0, 0.0)
    assert {Likeness(nothing, TEXTS).of(text) for text in TEXTS for nothing in ("", "zebra")} == {0.0}
    assert Likeness(f"so I wonder whether to {RESTART} or to wait", TEXTS).of(RESTART) == 1.0
    assert 0.0 < Likeness("restart the boat", TEXTS).of(RESTART) < 1.0


@given(question=st.text(max_size=60), texts=st.lists(st.text(max_size=60), max_size=5))
def test_it_lies_between_0_and_1_whatever_is_asked_and_in_whatever_order(
    question: str, texts: list[str]
) -> None:
    likeness, turned = Likeness(question, texts), Likeness(question, texts[::-1])
    for text in texts:
        assert 0.0 <= likeness.of(text) <= 1.0
        assert likeness.of(text) == turned.of(text)
