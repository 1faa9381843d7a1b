"""The constitution, and what of it and of memory a frame shows."""

import random  # noqa: TID251 - seeded
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.domain.gate_values import FOUNDING
from tests.rows import from_corpus

from nightledger.codec.settings import parse_settings
from nightledger.domain import frames
from nightledger.domain.frames import Candidate, Chosen, Constitution, Dropped, Frame, Principle, choose
from nightledger.domain.settings import WEIGHTS, FrameRules

PUBLISHED = parse_settings(None, where="").frames
SELF = PUBLISHED["self"]
TASK = PUBLISHED["task"]
TAGS = ("self/constitutional", "self/value")
VALUE = ("self/value",)


def candidate(name: str, tags: tuple[str, ...] = (), **measures: Any) -> Candidate:
    return Candidate(id=name, text="the " * 30, tags=tags, principle=tags == TAGS, **measures)


def shown(chosen: Chosen) -> list[str]:
    return [one.id for one in chosen.shown]


# ---------------------------------------------------------------- what was published


def test_weights_budgets_and_places_are_as_published() -> None:
    found = {name: tuple(getattr(rules, w) for w in WEIGHTS) for name, rules in PUBLISHED.items()}
    assert found == {
        "self": (10, 30, 5, 25, 30),
        "attention": (35, 15, 25, 15, 10),
        "task": (20, 20, 20, 20, 20),
        "simulate": (25, 25, 15, 20, 15),
    }
    assert [rules.tokens for rules in PUBLISHED.values()] == [600, 2000, 800, 2000]
    assert {rules.places for rules in PUBLISHED.values()} == {5}
    assert list(PUBLISHED) == [frame.value for frame in Frame]
    assert all(rules.why_not() == [] for rules in PUBLISHED.values())


@from_corpus("domain-frames")
def test_rules_that_do_not_fit_together_say_so(change: dict[str, int], problem: str) -> None:
    assert replace(SELF, **change).why_not() == [problem]


# ---------------------------------------------------------------- principles: sure of a place, and capped


def test_ten_principles_never_take_more_than_two_of_five_places() -> None:
    dice = random.Random(20260301)  # noqa: S311 - a seeded simulation
    seen: set[str] = set()
    for turn in range(200):
        tens = [candidate(n, TAGS, similarity=dice.random(), confidence=1, recency=1) for n in FOUNDING]
        half = ([dice.random() / 2, dice.random() / 2] for _ in range(6))
        values = [candidate(f"v{n}", VALUE, similarity=a, confidence=b) for n, (a, b) in enumerate(half)]
        chosen = choose(Frame.SELF, SELF, [*tens, *values], turn=turn)
        names = set(shown(chosen))
        assert len(names) == 5
        best = sorted(tens, key=lambda one: -one.similarity)[:2]
        assert names & set(FOUNDING) == {one.id for one in best}
        left = [why for one, why in chosen.dropped if one.principle]
        assert left == [Dropped.OVER_CAP] * 8
        seen |= names
    assert seen >= set(FOUNDING)


# ---------------------------------------------------------------- what a frame drops


def test_self_is_about_what_has_a_tag_of_self_and_counts_the_rest() -> None:
    some = [candidate("a", confidence=1), candidate("b", VALUE), candidate("c", ("cron",))]
    chosen, everything = choose(Frame.SELF, SELF, some), choose(Frame.TASK, TASK, some[:2])
    assert (shown(chosen), chosen.outside) == (["b"], 2)
    assert (shown(everything), everything.outside) == (["a", "b"], 0)


measures = st.fixed_dictionaries({name: st.floats(0, 1) for name in WEIGHTS})
candidates = st.lists(
    st.tuples(st.booleans(), st.booleans(), st.integers(0, 3000), measures), max_size=25
).map(
    lambda rows: [
        Candidate(id=f"{n}", text="x" * size, tags=TAGS if own or sure else (), principle=sure, **measured)
        for n, (own, sure, size, measured) in enumerate(rows)
    ]
)


@given(candidates, st.sampled_from(list(Frame)), st.integers(0, 50))
def test_a_frame_never_exceeds_places_budget_or_caps_and_loses_nobody(
    found: list[Candidate], frame: Frame, turn: int
) -> None:
    rules: FrameRules = PUBLISHED[frame.value]
    chosen = choose(frame, rules, found, turn=turn)
    taken = chosen.shown
    principles = [one for one in taken if one.principle]
    assert len(taken) <= rules.places
    assert chosen.tokens == sum(one.tokens for one in taken) <= rules.tokens
    assert len(principles) <= rules.most_principles
    assert sum(one.tokens for one in principles) <= rules.principle_tokens
    assert len(taken) + len(chosen.dropped) + chosen.outside == len(found)
    scores = [one.score for one in taken]
    assert scores == sorted(scores, reverse=True)


# ---------------------------------------------------------------- the constitution

CARE = Principle(name="care", tags=TAGS, text="I leave things better than I found them.")


def of(*principles: Principle) -> Constitution:
    return Constitution(v=1, principles=principles)


def test_an_own_principle_comes_last_with_its_tags_and_single_spaces() -> None:
    assert (frames.why_not(of(CARE)), CARE.id) == ([], "constitution#care")
    both = of(CARE).with_own("  I am Wren,\n I keep  the garden diary. ")
    assert both.principles[1] == Principle(
        name=frames.OWN,
        tags=("self/constitutional", "self/context"),
        text="I am Wren, I keep the garden diary.",
    )
    assert frames.why_not(both) == []


@from_corpus("domain-frames")
def test_what_no_constitution_may_be_is_named(changed: list[dict[str, Any]], problem: str) -> None:
    made = [replace(CARE, **{**one, "tags": tuple(one.get("tags", CARE.tags))}) for one in changed]
    (found,) = frames.why_not(of(*made))
    assert found.startswith(problem)


def test_at_the_bounds_it_still_is_one() -> None:
    many = [
        replace(CARE, name=f"p{n}", text="x" * frames.MAX_CHARACTERS) for n in range(frames.MAX_PRINCIPLES)
    ]
    assert frames.why_not(of(*many)) == []
    assert len(frames.why_not(of(*many, CARE))) == 1
