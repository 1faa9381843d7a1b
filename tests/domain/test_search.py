"""How candidates are weighed, and which of their lines answer best."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.domain import search
from nightledger.domain.search import DAY_WEIGHT, MEANING_WEIGHT, TIME_WEIGHT, Candidate, Why, rank

EARLY, LATE = date(2026, 3, 1), date(2026, 4, 1)


def candidate(number: int, words: float, together: str = "", day: date | None = None) -> Candidate:
    place = ("", "", number, 0)
    return Candidate(id=number, words=words, together=together or str(number), place=place, day=day)


def test_the_best_has_the_score_1_and_a_day_that_tells_more_lifts_its_chunks() -> None:
    days = ((1, 2.0, "Monday"), (2, 4.0, "Tuesday"), (3, 2.0, "Tuesday"))
    best, beside, alone = rank([candidate(*one) for one in days])
    assert (best.id, beside.id, alone.id, best.score) == (2, 3, 1, 1.0)
    nothing = {Why.TIME: 0.0, Why.MEANING: 0.0}
    assert beside.parts == {Why.TERM: 0.5, Why.NEIGHBOUR: pytest.approx(DAY_WEIGHT), **nothing}


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
    words = (0.0, 3.0, 1.0, 3.0)
    assert [one.id for one in rank([candidate(n, words[n - 1]) for n in numbers])] == [2, 4, 3, 1]


# ---------------------------------------------------------------- lines

TEXT = "# Day\n\n- the lilac\n- the rose and the lilac\n- a tulip"


def best(text: str, **weights: float) -> tuple[int, int]:
    return search.best_lines(
        text, 10, lambda line: frozenset(word for word in weights if word in line), weights
    )


def test_the_next_line_belongs_to_it_when_it_adds_a_word() -> None:
    assert best(TEXT, lilac=0.5, rose=0.5, tulip=0.1) == (13, 14)


def test_where_no_line_says_more_the_first_that_is_neither_blank_nor_a_heading_is_given() -> None:
    found = [best(text, lilac=1.0)[0] for text in ("\n\n- something", "", "# Day")]
    assert (found, best(TEXT, lilac=0.0)) == ([12, 10, 10], (12, 12))


@from_corpus("domain-search")
def test_headings_rules_and_what_introduces_others_say_nothing(line: str, so: bool) -> None:  # noqa: FBT001 - a row
    assert search.says(line) is so


def test_blanks_before_words_are_passed_over_once() -> None:
    assert search.says(" " * 100_000 + "x")  # each tried as a beginning, they took minutes


@from_corpus("domain-search", tuples=True)
def test_what_only_introduces_comes_with_what_follows_within_three_lines(
    text: str, lines: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert search.with_what_follows(text, 10, lines) == expected
