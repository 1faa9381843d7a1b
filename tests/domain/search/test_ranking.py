"""How candidates are weighed."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.search import Why
from nightledger.domain.search.ranking import (
    DAY_WEIGHT,
    MEANING_WEIGHT,
    TIME_WEIGHT,
    Candidate,
    Group,
    Ranked,
    fuse,
    rank,
    telling_words,
)

PROXY = Group(word="proxy", others=(("nginx", 0.5), ("gateway", 0.5)))
CERT = Group(word="certificate")


def candidate(
    number: int,
    counts: dict[str, float],
    *,
    together: str = "",
    length: int = 100,
    day: date | None = None,
) -> Candidate:
    return Candidate(id=number, together=together or str(number), counts=counts, length=length, day=day)


def order(candidates: list[Candidate], *groups: Group, frequency: dict[str, int] | None = None) -> list[int]:
    counts = frequency or {word: 5 for group in groups for word in group.weights}
    return [one.id for one in rank(candidates, groups, frequency=counts, total=100)]


def test_the_best_has_the_score_1_and_parts_say_why() -> None:
    best, other = rank(
        [candidate(1, {"proxy": 1.0}), candidate(2, {"proxy": 1.0, "certificate": 1.0})],
        [PROXY, CERT],
        frequency={"proxy": 5, "certificate": 5},
        total=100,
    )
    assert (best.id, best.score) == (2, 1.0)
    assert 0 < other.score < 1
    assert best.words == {"proxy": "proxy", "certificate": "certificate"}
    assert best.besides[Why.NEIGHBOUR] == pytest.approx(DAY_WEIGHT)
    assert sum(best.parts.values()) == pytest.approx(1.0)


def test_a_day_that_tells_of_all_lifts_its_chunks() -> None:
    alone = candidate(1, {"proxy": 1.0}, together="Monday")
    beside = candidate(2, {"proxy": 1.0}, together="Tuesday")
    other = candidate(3, {"certificate": 1.0}, together="Tuesday")
    assert order([alone, beside, other], PROXY, CERT)[-1] == 1


def test_what_lies_in_the_told_time_comes_first() -> None:
    early, late = date(2026, 3, 1), date(2026, 4, 1)
    ranked = rank(
        [
            candidate(1, {"proxy": 1.0}, day=early),
            candidate(2, {"proxy": 1.0}, day=late),
            candidate(3, {"proxy": 1.0}),
        ],
        [PROXY],
        frequency={"proxy": 3},
        total=9,
        within=lambda day: day == late,
    )
    assert [one.id for one in ranked] == [2, 1, 3]
    assert ranked[0].besides[Why.TIME] == TIME_WEIGHT
    assert all(Why.TIME not in one.besides for one in ranked[1:])


@given(st.permutations([1, 2, 3, 4, 5]))
def test_the_order_does_not_depend_on_the_order_of_candidates(numbers: list[int]) -> None:
    whole = {
        1: candidate(1, {"proxy": 2.0}, together="a"),
        2: candidate(2, {"nginx": 1.0}, together="a"),
        3: candidate(3, {"certificate": 0.5}, together="b"),
        4: candidate(4, {"proxy": 1.0, "certificate": 1.0}, together="c"),
        5: candidate(5, {"proxy": 1.0, "certificate": 1.0}, together="c"),
    }
    assert order([whole[number] for number in numbers], PROXY, CERT) == [4, 5, 1, 2, 3]


WORDS = [Ranked(id=1, score=1.0), Ranked(id=2, score=0.9), Ranked(id=3, score=0.1)]


def test_meaning_is_added_by_score_between_the_nearest_and_the_farthest() -> None:
    fused = {one.id: one for one in fuse(WORDS, {1: 0.2, 2: 0.6, 3: 0.4})}
    assert fused[2].besides[Why.MEANING] == pytest.approx(MEANING_WEIGHT)
    assert fused[3].besides[Why.MEANING] == pytest.approx(MEANING_WEIGHT / 2)
    assert fused[1].besides[Why.MEANING] == 0
    assert [one.id for one in fuse(WORDS, {1: 0.2, 2: 0.6, 3: 0.4})] == [2, 1, 3]
    assert fused[2].score == 1.0


COUNTS = {"garden": 9_000, "lilac": 12, "log": 60_000, "marmot": 3}


def test_in_a_large_one_the_rarest_and_in_their_order() -> None:
    assert telling_words(("log", "marmot", "garden", "lilac"), COUNTS) == ("marmot", "garden", "lilac")
