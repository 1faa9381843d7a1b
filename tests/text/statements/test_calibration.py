"""What a score is worth: read from a table, between its rows, in the order of the scores."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.statements.calibration import calibrated

SCORES = st.floats(0, 1).map(lambda score: round(score, 4))


@given(st.lists(SCORES, min_size=2, unique=True))
def test_of_two_scores_the_higher_stays_the_surer(scores: list[float]) -> None:
    told = [calibrated("rules", score) for score in sorted(scores)]
    assert all(low <= high for low, high in pairwise(told))
    assert all(0 <= one <= 1 for one in told)


def test_what_the_rules_are_surest_of_is_said_to_be_signed_as_seldom_as_it_was() -> None:
    assert calibrated("rules", 0.69) < calibrated("rules", 0.95) < 0.75
    assert 0.4 < calibrated("rules", 0.75) < 0.5, "147 of 248 that somebody judged who had not built it"


@given(SCORES)
def test_a_source_without_a_table_means_what_it_says(score: float) -> None:
    assert calibrated("model", score) == score
