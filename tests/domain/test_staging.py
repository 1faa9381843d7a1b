"""What is chosen for a page and what it costs, what a stretch of the past holds, and how important an entry is."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.rows import from_corpus

from nightledger.codec.settings import parse_staging_rules
from nightledger.domain import staging
from nightledger.domain.exposure import tokens_of
from nightledger.domain.staging import Candidate, Chosen, Source, choose, rank
from nightledger.files.home import shipped_config

EVERY = {source: staging.SourceRules(weight=100, most=5) for source in Source}


def candidate(text: str, source: Source = Source.DOCUMENT, score: float = 0.5, **where: Any) -> Candidate:
    return Candidate(**{"place": "a.md:1", "why": "why", **where}, source=source, text=text, score=score)


def cost(one: Candidate) -> int:
    return tokens_of(one.text)


def chosen_of(*found: Candidate, tokens: int = 1000) -> Chosen:
    return choose(rank(found, EVERY), EVERY, tokens, cost)


def test_a_line_that_does_not_fit_gives_way_to_a_shorter_one() -> None:
    many = [candidate(f"what the first and last {n}", score=0.9) for n in range(5)]
    late = candidate("short", Source.LONG_RANGE, 0.1)
    chosen = chosen_of(*many, late, tokens=4 * cost(many[0]) + cost(late))
    assert (chosen.lines, chosen.left_out.over_budget) == ((*many[:4], late), 1)


def test_the_same_wording_comes_once_where_it_ranks_highest() -> None:
    high, low = candidate("Call restic by its path!", Source.EVENT, 0.9), candidate("call RESTIC by its path")
    chosen = chosen_of(low, high)
    assert (chosen.lines, chosen.left_out.repeated) == ((high,), 1)


@from_corpus("domain-staging")
def test_lines_that_overlap_what_is_on_the_page_are_left_out(place: str, repeated: int) -> None:
    best = candidate("what is on the page", score=0.9, place="a.md:5-7", path="a.md")
    other = candidate("what comes too", Source.LONG_RANGE, place=place, path=place.partition(":")[0])
    chosen = chosen_of(other, best)
    assert chosen.lines == ((best,) if repeated else (best, other))
    assert (chosen.left_out.repeated, chosen.left_out.over_budget) == (repeated, 0)


def test_two_events_of_one_title_and_two_failures_of_calendars_are_two_lines() -> None:
    places = (("work", "at 9"), ("work", "at 11"), ("home", "at 9"))
    events = [candidate("Round", Source.EVENT, 1.0, place=place, why=why) for place, why in places]
    chosen = chosen_of(*events, events[-1], candidate("round!", Source.OPEN_ITEM))
    assert (set(chosen.lines), chosen.left_out.repeated) == (set(events), 2)


candidates = st.builds(
    candidate,
    st.text(max_size=60),
    st.sampled_from(Source),
    st.floats(0, 1),
    place=st.sampled_from(["a.md:1", "b.md:2"]),
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
    rules = parse_staging_rules(shipped_config("staging-rules.json"), None, where="x")
    rules = replace(rules, budget_tokens={"generic": 300, "hermes": 200})
    assert (rules.budget_of("hermes"), rules.budget_of("else")) == (200, 300)


def test_a_stretch_holds_its_last_day_and_not_its_first() -> None:
    held = [staging.WindowRules(from_days=7, until_days=14, most=1).holds(days) for days in (6, 7, 13, 14)]
    assert held == [False, True, True, False]
    assert staging.WindowRules(from_days=90, until_days=None, most=1).holds(9_000)


@from_corpus("domain-staging")
def test_what_was_signed_comes_first_then_what_outcomes_prove_then_what_was_stated(
    known: dict[str, Any], importance: float
) -> None:
    assert staging.importance_of(**known) == importance
