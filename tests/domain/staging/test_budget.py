"""What is chosen, and what it costs."""

from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.domain.exposure import tokens_of
from nightledger.domain.staging import Candidate, Source, SourceRules, StagingRules, choose, rank

EVERY = {source: SourceRules(weight=100, most=5) for source in Source}


def candidate(
    text: str, source: Source = Source.DOCUMENT, score: float = 0.5, place: str = "a.md:1"
) -> Candidate:
    return Candidate(source=source, text=text, place=place, why="why", score=score)


def cost(one: Candidate) -> int:
    return tokens_of(one.text)


def test_a_line_that_does_not_fit_gives_way_to_a_shorter_one() -> None:
    many = [candidate(f"what the first and last {n}", score=0.9) for n in range(5)]
    late = candidate("short", Source.LONG_RANGE, 0.1)
    chosen = choose(rank([*many, late], EVERY), EVERY, 4 * cost(many[0]) + cost(late), cost)
    assert chosen.lines == (*many[:4], late)
    assert chosen.left_out.over_budget == 1


def test_the_same_wording_comes_once_where_it_ranks_highest() -> None:
    high, low = candidate("Call restic by its path!", Source.EVENT, 0.9), candidate("call RESTIC by its path")
    chosen = choose(rank([low, high], EVERY), EVERY, 100, cost)
    assert chosen.lines == (high,)
    assert chosen.left_out.repeated == 1


def at(place: str, source: Source = Source.DOCUMENT, score: float = 0.5) -> Candidate:
    return Candidate(
        source=source,
        text=f"what {place} says",
        place=place,
        why="why",
        score=score,
        path=place.partition(":")[0],
    )


@from_corpus("domain-staging-budget")
def test_lines_that_overlap_what_is_on_the_page_are_left_out(place: str, repeated: int) -> None:
    best, other = at("a.md:5-7", score=0.9), at(place, Source.LONG_RANGE)
    chosen = choose(rank([other, best], EVERY), EVERY, 1000, cost)
    assert chosen.lines == ((best,) if repeated else (best, other))
    assert (chosen.left_out.repeated, chosen.left_out.over_budget) == (repeated, 0)


def test_two_events_of_one_title_and_two_failures_of_calendars_are_two_lines() -> None:
    def event(place: str, why: str) -> Candidate:
        return Candidate(source=Source.EVENT, text="Round", place=place, why=why, score=1.0)

    early, late, elsewhere = event("work", "at 9"), event("work", "at 11"), event("home", "at 9")
    item = candidate("round!", Source.OPEN_ITEM, 0.5)
    chosen = choose(rank([early, late, elsewhere, elsewhere, item], EVERY), EVERY, 100, cost)
    assert set(chosen.lines) == {early, late, elsewhere}
    assert chosen.left_out.repeated == 2


texts = st.text(max_size=60)
candidates = st.builds(
    Candidate,
    source=st.sampled_from(Source),
    text=texts,
    place=st.sampled_from(["a.md:1", "b.md:2"]),
    why=st.just("why"),
    score=st.floats(0, 1),
)


@given(st.lists(candidates, max_size=30), st.integers(0, 200), st.randoms(use_true_random=False))
def test_the_budget_holds_and_the_order_of_candidates_makes_no_difference(
    found: list[Candidate], tokens: int, random: object
) -> None:
    chosen = choose(rank(found, EVERY), EVERY, tokens, lambda one: cost(one) + 1)
    assert sum(cost(one) + 1 for one in chosen.lines) <= tokens
    shuffled = list(found)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert choose(rank(shuffled, EVERY), EVERY, tokens, lambda one: cost(one) + 1) == chosen


def test_a_host_without_a_budget_of_its_own_gets_that_of_a_generic_one() -> None:
    rules = StagingRules(
        lookahead_hours=4, good_for_days=1, line_characters=80, budget_tokens={"generic": 300, "hermes": 200},
        sources=EVERY, documents_each=2, association_percent=70, habit_weeks=8,
        habit_days=2, windows=(), window_percent=50, landmark_percent=90,
    )  # fmt: skip
    assert (rules.budget_of("hermes"), rules.budget_of("else")) == (200, 300)
