import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.retention import FAILURE, SUCCESS, Tallies, expected_without, overall_share

HOUR = "2026-03-01T06"


def outcome(
    tallies: Tallies,
    *,
    source: str = "s",
    task: str = "deploy",
    result: str = SUCCESS,
    at: int = 0,
    shown: str = "",
) -> None:
    time = f"2026-03-01T{at:02d}:00:00Z"
    tallies.outcome(time[:13], time, source, task, result, tuple(shown.split()))


def test_repeating_is_not_confirming() -> None:
    tallies = Tallies()
    for _ in range(1000):
        outcome(tallies, shown="e-1")
    tally = tallies.of["e-1"]
    assert tally.tasks == {"deploy": [1, 0]}
    assert tallies.tasks == {"deploy": [1, 0]}
    assert tally.shown == 1000


def test_another_session_kind_of_task_or_result_is_another_source() -> None:
    tallies = Tallies()
    outcome(tallies, shown="e-1")
    outcome(tallies, source="other", shown="e-1")
    outcome(tallies, task="mail", shown="e-1")
    outcome(tallies, result=FAILURE, shown="e-1")
    assert tallies.of["e-1"].tasks == {"deploy": [2, 1], "mail": [1, 0]}


def test_what_to_expect_is_how_the_same_kinds_of_task_end_where_it_was_not_shown() -> None:
    tallies = Tallies()
    for n in range(100):
        outcome(tallies, source=f"hard {n}", task="deploy", result=SUCCESS if n < 20 else FAILURE)
        outcome(tallies, source=f"easy {n}", task="mail", result=SUCCESS)
    for n in range(10):
        outcome(tallies, source=f"with {n}", task="deploy", result=SUCCESS, shown="e-1")
    overall = overall_share(tallies.tasks)
    assert overall == pytest.approx(131 / 212)
    expected = expected_without(tallies.of["e-1"], tallies.tasks, overall)
    assert expected == pytest.approx((20 + 2 * overall) / 102)


def test_what_is_known_under_two_ids_of_one_memory_is_one() -> None:
    tallies = Tallies(names={"e-2": "e-1"})
    outcome(tallies, shown="e-1", source="one", at=1)
    outcome(tallies, shown="e-2 e-1", source="two", at=2, result=FAILURE)
    tallies.exposure("2026-03-01T09", ["e-2"])
    whole = tallies.of["e-1"]
    assert set(tallies.of) == {"e-1"}
    assert (whole.shown, whole.shown_at, whole.last) == (3, "2026-03-01T09", -1)
    assert whole.tasks == {"deploy": [1, 1]}


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from((SUCCESS, FAILURE)), st.booleans()), min_size=1)
)
def test_what_to_expect_is_a_share_both_ends_excluded(made: list[tuple[str, str, bool]]) -> None:
    tallies = Tallies()
    for n, (task, result, shown) in enumerate(made):
        outcome(tallies, source=str(n), task=task, result=result, shown="e-1" if shown else "")
    overall = overall_share(tallies.tasks)
    assert 0 < overall < 1
    if "e-1" in tallies.of:
        assert 0 < expected_without(tallies.of["e-1"], tallies.tasks, overall) < 1
