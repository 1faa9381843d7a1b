"""What entries are worth, what came of showing them, and what curation reinforces and lets fade."""

import itertools
from math import exp, log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.rows import each_row, from_corpus

from nightledger.domain import frames, retention
from nightledger.domain.retention import FAILURE, SUCCESS, Memory, Proof, Tallies, Use, lean

TIERS = {
    "permanent": retention.PERMANENT,
    "durable": retention.DURABLE,
    "standard": retention.STANDARD,
    "ephemeral": retention.EPHEMERAL,
}
memories = st.builds(
    Memory,
    id=st.just("e-1"),
    tier=st.sampled_from(list(TIERS.values())),
    created_hour=st.integers(0, 5000),
    used_hour=st.integers(0, 5000),
    useful=st.integers(0, 300),
    harmful=st.integers(0, 300),
    expected=st.floats(0.01, 0.99),
)


def memory(name: str = "e-1", tier: str = "standard", **known: Any) -> Memory:
    return Memory(id=name, tier=TIERS[tier], **known)


@each_row("tier, half_life", zip(TIERS, (69_315, 693, 69, 14), strict=True))
def test_the_tiers_have_the_published_half_lives(tier: str, half_life: int) -> None:
    rate = TIERS[tier].rate
    assert round(log(2) / rate) == half_life
    assert retention.recency(rate, half_life) == pytest.approx(0.5, abs=0.006)
    assert (retention.recency(rate, 100), retention.recency(rate, -5)) == (exp(-100 * rate), 1.0)


@from_corpus("domain-retention")
def test_the_first_tag_that_matches_makes_the_tier(tags: list[str], tier: str) -> None:
    assert retention.tier_of(tags) is TIERS[tier]


def test_a_pin_is_an_absolute_veto_and_what_is_permanent_immune() -> None:
    lost = memory(tier="ephemeral", harmful=500)
    every = (lost, replace(lost, pinned=True), replace(lost, tier=TIERS["permanent"]))
    assert [retention.has_faded(one, 10**6) for one in every] == [True, False, False]


@from_corpus("domain-retention")
def test_what_nothing_is_known_of_fades_with_its_tier_and_outcomes_move_it_by_one(
    known: dict[str, Any], hour: int, why: str
) -> None:
    found = [retention.has_faded(memory(**known), at) for at in (hour, hour + 1)]
    assert found == [False, True], why


@given(memories, st.integers(0, 10_000), st.integers(0, 10_000))
def test_utility_is_bounded_never_grows_with_time_and_follows_outcomes_alone(
    one: Memory, now: int, later: int
) -> None:
    now, later = sorted((now, later))
    here = retention.measured_utility(one, now)
    assert 0.0 <= retention.measured_utility(one, later) <= here <= 1.0
    assert retention.measured_utility(replace(one, useful=one.useful + 1), now) >= here - 1e-12
    assert retention.measured_utility(replace(one, harmful=one.harmful + 1), now) <= here + 1e-12


def test_one_outcome_alone_proves_nothing_and_a_few_clear_ones_do() -> None:
    assert lean(1, 0, 0.5) < 0.5
    assert (lean(6, 0, 0.5), lean(0, 6, 0.5), lean(0, 0, 0.9)) == (1.0, -1.0, 0.0)
    assert lean(20, 0, 0.95) < lean(20, 0, 0.5)  # where all succeed, a success says little
    assert lean(7 * 999, 3 * 999, 0.7) == pytest.approx(0.0, abs=1e-9)  # as often as without it


# ---------------------------------------------------------------- what came of showing them


def outcome(
    tallies: Tallies, source: str = "s", task: str = "deploy", result: str = SUCCESS, at: int = 0
) -> None:
    time = f"2026-03-01T{at:02d}:00:00Z"
    tallies.outcome(time[:13], time, source, task, result, ("e-1",))


def test_repeating_is_not_confirming_and_another_session_task_or_result_is_another_source() -> None:
    tallies = Tallies()
    for _ in range(1000):
        outcome(tallies)
    assert (tallies.of["e-1"].tasks, tallies.of["e-1"].shown) == ({"deploy": [1, 0]}, 1000)
    outcome(tallies, source="other")
    outcome(tallies, task="mail")
    outcome(tallies, result=FAILURE)
    outcome(tallies, result="partial", at=5)
    tallies.exposure("2026-03-01T09", ["e-1"])
    tally = tallies.of["e-1"]
    assert tally.tasks == tallies.tasks == {"deploy": [2, 1], "mail": [1, 0]}
    assert (tally.used_at[:13], tally.shown) == ("2026-03-01T00", 1005)


def test_what_to_expect_is_how_the_same_kinds_of_task_end_where_it_was_not_shown() -> None:
    tallies = Tallies()
    for n in range(100):
        for task, result in (("deploy", SUCCESS if n < 20 else FAILURE), ("mail", SUCCESS)):
            tallies.outcome("", "", f"{task} {n}", task, result, ())
    for n in range(10):
        outcome(tallies, source=f"with {n}")
    overall = retention.overall_share(tallies.tasks)
    assert overall == pytest.approx(131 / 212)
    expected = retention.expected_without(tallies.of["e-1"], tallies.tasks, overall)
    assert expected == pytest.approx((20 + 2 * overall) / 102)


_TOLD = st.tuples(st.sampled_from("ab"), st.sampled_from((SUCCESS, FAILURE)), st.booleans())


@given(st.lists(_TOLD, min_size=1))
def test_what_to_expect_is_a_share_both_ends_excluded(made: list[tuple[str, str, bool]]) -> None:
    tallies = Tallies()
    for n, (task, result, shown) in enumerate(made):
        tallies.outcome("", "", str(n), task, result, ("e-1",) if shown else ())
    overall = retention.overall_share(tallies.tasks)
    assert 0 < overall < 1
    for tally in tallies.of.values():
        assert 0 < retention.expected_without(tally, tallies.tasks, overall) < 1


# ---------------------------------------------------------------- measures of a frame, and curation

LINKS = frames.network_of([("cron", "time_zone"), ("cron", "path"), ("mail", "path")])


@from_corpus("domain-retention")
def test_confidence_is_what_was_stated_until_outcomes_tell(
    useful: int, harmful: int, stated: float, sure: float
) -> None:
    use = Use(shown=99, useful=useful, harmful=harmful)
    assert frames.confidence_of_use(use, stated) == pytest.approx(sure)


def test_each_reinforcement_counts_less_than_the_one_before() -> None:
    shares = [frames.reinforced_share(count) for count in range(50)]
    steps = [later - earlier for earlier, later in itertools.pairwise(shares)]
    assert (shares[0], shares[3]) == (0.0, 0.5)
    assert steps == sorted(steps, reverse=True)


@from_corpus("domain-retention")
def test_an_entry_stands_with_the_tags_that_its_words_name(text: str, degree: int) -> None:
    assert LINKS.degree(text.split()) == LINKS.degree(text.split() * 2) == degree


@from_corpus("domain-retention")
def test_the_top_fifth_is_one_in_five_and_never_without_a_link_and_centrality_a_share_of_the_best(
    degrees: list[int], least: int, shares: list[float]
) -> None:
    assert (retention.well_connected_from(degrees), frames.centralities(degrees)) == (least, shares)


@from_corpus("domain-retention")
def test_each_forty_active_hours_are_one_period(now_hour: int, last: int | None, due: list[int]) -> None:
    assert list(retention.periods_due(now_hour, last)) == due


def test_the_five_that_proved_most_useful_are_reinforced() -> None:
    proofs = {f"e-{n}": Proof(useful=n) for n in range(1, 8)}
    lost = {"e-8": Proof(useful=50, harmful=50), "e-9": Proof(useful=9), "e-0": Proof(harmful=1)}
    worth = dict.fromkeys([*proofs, "e-8", "e-0"], 0.5)
    assert retention.most_useful({**proofs, **lost}, worth) == ("e-7", "e-6", "e-5", "e-4", "e-3")
    equal = dict.fromkeys(("e-a", "e-b", "e-c"), Proof(useful=1))
    assert retention.most_useful(equal, {"e-a": 0.2, "e-b": 0.9, "e-c": 0.2}) == ("e-b", "e-a", "e-c")


def test_what_faded_is_proposed_the_most_faded_first_but_for_the_top_fifth_by_degree() -> None:
    known = [memory("fresh", created_hour=490), memory("old"), memory("useful", used_hour=480)]
    known += [memory("older", "ephemeral"), memory("pinned", pinned=True)]
    known += [memory("permanent", "permanent"), memory("durable", "durable")]
    assert [known[at].id for at in retention.fades(known, [0] * 7, 500)] == ["older", "old"]
    assert [retention.fades([memory()], [0], hour) for hour in (0, 299, 300)] == [[], [], [0]]
    many = [memory(str(n)) for n in range(10)]
    assert retention.fades(many, [0, 9, 1, 1, 1, 1, 1, 1, 5, 0], 10_000) == [0, 2, 3, 4, 5, 6, 7, 9]
