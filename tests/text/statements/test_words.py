from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.statements.words import words_of


def test_words_are_lower_case_and_keep_apostrophes_and_hyphens() -> None:
    assert words_of("Don\u2019t re-use the X_1 port 8080!") == {"don't", "re-use", "the", "x", "port"}


def test_text_without_spaces_gives_pairs_of_neighbours() -> None:
    assert words_of("重启机器 after 夜") == {"重启", "启机", "机器", "after"}
    assert words_of("다시 시작") == {"다시", "시작"}


@given(st.text())
def test_any_text_has_words_without_spaces(text: str) -> None:
    assert all(word and not any(c.isspace() for c in word) for word in words_of(text))
