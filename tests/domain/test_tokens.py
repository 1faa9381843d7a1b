import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.tokens import LONG_RUN, quarters_of, tokens_of


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("\u5099\u4efd", 2),
        ("\u5099\u4efd now", 3),
        ("\ud55c\uad6d\uc5b4", 3),
        ("\u30ab\u30ca", 2),
        ("\U0001f6a2", 2),
        ("caf\u00e9", 2),
        ("\u0437\u0438\u043c\u0430", 2),
        ("\u05e9\u05dc\u05d5\u05dd", 3),
        ("\u0e44\u0e17\u0e22", 3),
        ("\u2705", 2),
        ("\ud800", 2),
        ("x" * LONG_RUN, 6),
        ("x" * (LONG_RUN + 1), 13),
    ],
)
def test_letters_count_a_quarter_and_what_tokenizers_cut_finer_counts_more(text: str, tokens: int) -> None:
    assert tokens_of(text) == tokens


@given(parts=st.lists(st.text(max_size=60), max_size=5))
def test_what_stands_apart_counts_as_it_does_alone(parts: list[str]) -> None:
    assert quarters_of(" ".join(parts)) == sum(map(quarters_of, parts)) + max(0, len(parts) - 1)


@given(text=st.text(max_size=200))
def test_no_text_counts_less_than_a_quarter_a_byte(text: str) -> None:
    assert len(text.encode("utf-8", "surrogatepass")) <= quarters_of(text) <= 9 * len(text)
