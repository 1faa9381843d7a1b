"""How candidates are weighed."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.search import DAY_WEIGHT, MEANING_WEIGHT, TIME_WEIGHT, Candidate, Why, rank

EARLY, LATE = date(2026, 3, 1), date(2026, 4, 1)


def candidate(number: int, words: float, together: str = "", day: date | None = None) -> Candidate:
    return Candidate(
        id=number, words=words, together=together or str(number), place=("", "", number, 0), day=day
    )


def test_the_best_has_the_score_1_and_a_day_that_tells_more_lifts_its_chunks() -> None:
    best, beside, alone = rank(
        [candidate(1, 2.0, "Monday"), candidate(2, 4.0, "Tuesday"), candidate(3, 2.0, "Tuesday")]
    )
    assert (best.id, beside.id, alone.id) == (2, 3, 1)
    assert best.score == 1.0
    assert beside.parts == {
        Why.TERM: 0.5,
        Why.NEIGHBOUR: pytest.approx(DAY_WEIGHT),
        Why.TIME: 0.0,
        Why.MEANING: 0.0,
    }


def test_what_lies_in_the_told_time_comes_first() -> None:
    candidates = [candidate(1, 1.0, day=EARLY), candidate(2, 1.0, day=LATE), candidate(3, 1.0)]
    ranked = rank(candidates, within=lambda day: day == LATE)
    assert [one.id for one in ranked] == [2, 1, 3]
    assert [one.parts[Why.TIME] for one in ranked] == [TIME_WEIGHT, 0.0, 0.0]


def test_meaning_is_added_by_score_between_the_nearest_and_the_farthest() -> None:
    candidates = [candidate(1, 1.0), candidate(2, 0.9), candidate(3, 0.1)]
    fused = rank(candidates, cosines={1: 0.2, 2: 0.6, 3: 0.4})
    assert {one.id: one.parts[Why.MEANING] for one in fused} == pytest.approx(
        {1: 0.0, 2: MEANING_WEIGHT, 3: MEANING_WEIGHT / 2}
    )
    assert [one.id for one in fused] == [2, 1, 3]


@given(st.permutations([1, 2, 3, 4]))
def test_the_order_does_not_depend_on_the_order_of_candidates(numbers: list[int]) -> None:
    whole = {1: candidate(1, 0.0), 2: candidate(2, 3.0), 3: candidate(3, 1.0), 4: candidate(4, 3.0)}
    assert [one.id for one in rank([whole[number] for number in numbers])] == [2, 4, 3, 1]
