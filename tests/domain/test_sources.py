from datetime import UTC, tzinfo
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.domain.outcomes import told

from nightledger.domain.outcome import Outcome, OutcomeEvidence
from nightledger.domain.patterns import Sources


def outcome(day: float, **fields: Any) -> Outcome:
    return told(f"{day} + a", **fields)[0].outcome


def shown(digit: str) -> OutcomeEvidence:
    return OutcomeEvidence(path="build.log", lines=(1, 2), sha256=digit * 64)


def count(*outcomes: Outcome, zone: tzinfo = UTC) -> int:
    sources = Sources(zone)
    for one in outcomes:
        sources.add(one)
    return sources.count


@pytest.mark.parametrize(
    "same",
    [
        {"source_file": "memory/daily/2026-02-03.md#fix"},
        {"evidence": (shown("a"),)},
        {"shown": ("cron + timezone",)},
    ],
)
def test_what_two_sessions_share_makes_them_one_source(same: dict[str, Any]) -> None:
    assert count(outcome(3, session="s1", **same), outcome(9, session="s2", **same)) == 1


def test_a_daily_log_as_a_whole_is_not_one_place() -> None:
    both = {"source_file": "memory/daily/2026-02-03.md"}
    assert count(outcome(3, session="s1", **both), outcome(3, session="s2", **both)) == 2


_OUTCOMES = st.lists(
    st.builds(
        lambda day, session, evidence: outcome(
            day, session=session, evidence=tuple(shown(digit) for digit in evidence)
        ),
        st.integers(1, 9),
        st.sampled_from([None, "s1", "s2"]),
        st.lists(st.sampled_from("abcd"), max_size=2),
    ),
    max_size=12,
)


@given(outcomes=_OUTCOMES)
def test_the_count_is_that_of_connected_components_in_any_order(outcomes: list[Outcome]) -> None:
    def linked(one: Outcome, other: Outcome) -> bool:
        if set(one.evidence) & set(other.evidence):
            return True
        if one.session or other.session:
            return one.session == other.session
        return one.timestamp == other.timestamp

    groups: list[list[Outcome]] = []
    for item in outcomes:
        touching = [group for group in groups if any(linked(item, member) for member in group)]
        groups = [group for group in groups if group not in touching]
        groups.append([item, *(member for group in touching for member in group)])
    assert count(*outcomes) == len(groups)
    assert count(*reversed(outcomes)) == len(groups)
