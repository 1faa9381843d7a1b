from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.doubt import Doubt, DoubtLabel
from nightledger.domain.proposal import Op
from nightledger.text.checkup.rank import rank_doubts, rank_of


def doubt(line: int, confidence: float, characters: int, label: DoubtLabel = DoubtLabel.STALE) -> Doubt:
    return Doubt(
        lines=(line, line), section=(), label=label, reason="r", signs=("s",), confidence=confidence, op=Op.REMOVE, characters=characters
    )  # fmt: skip


def order(*doubts: Doubt, over: int) -> list[int]:
    return [one.lines[0] for one in rank_doubts(doubts, over_characters=over)]


def test_the_surest_comes_first_and_of_equals_the_earlier_line() -> None:
    assert order(doubt(1, 0.7, 9), doubt(2, 0.95, 5), doubt(3, 0.7, 99), over=0) == [2, 1, 3]


def test_over_the_cap_of_equally_sure_doubts_the_one_that_frees_most_comes_first() -> None:
    assert order(doubt(1, 0.96, 10), doubt(2, 0.91, 400), doubt(3, 0.85, 900), over=1000) == [2, 1, 3]


def test_secrets_come_before_orders_and_orders_before_the_surest() -> None:
    found = [doubt(1, 0.99, 500), doubt(2, 0.8, 5, DoubtLabel.INJECTION), doubt(3, 0.7, 5, DoubtLabel.SECRET)]
    assert order(*found, over=0) == order(*found, over=600) == [3, 2, 1]


@given(confidence=st.floats(0, 1), characters=st.integers(-50, 10_000), over=st.integers(-10, 5_000))
def test_a_rank_keeps_to_its_band(confidence: float, characters: int, over: int) -> None:
    rank = rank_of(DoubtLabel.CLOSED, confidence, characters, over)
    assert 0 <= rank <= 1
    assert abs(rank - confidence) <= 0.1001
