"""When a message may be believed."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.message import (
    MAX_AHEAD_S,
    MAX_LIFETIME_S,
    Marks,
    Message,
    Peer,
    PeerKey,
    Peers,
    find_reasons,
    mark_refused,
    next_seq,
)

HERE, THERE = "a" * 32, "b" * 32
NOW = 1_772_262_000
PEER = Peer(name="ops", home=THERE, keys=(), actions=("decide",))


def message(**fields: object) -> Message:
    values: dict[str, object] = {
        "v": 1,
        "id": "m-x",
        "iss": THERE,
        "aud": HERE,
        "iat": NOW,
        "exp": NOW + 60,
        "seq": 10,
        "action": "decide",
        "domain": "self_modification",
        "body": {},
    }
    return Message(**{**values, **fields})  # type: ignore[arg-type]  # values of every type


def reasons(now: int = NOW, marks: Marks | None = None, **fields: int | str) -> str:
    return "; ".join(find_reasons(message(**fields), PEER, HERE, marks or Marks(), now))


def test_a_fresh_message_for_this_home_may_be_taken_in() -> None:
    assert reasons() == ""


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"iss": HERE}, "does not belong to"),
        ({"aud": THERE}, "another home"),
        ({"iat": NOW + MAX_AHEAD_S + 1, "exp": NOW + 600}, "future"),
        ({"iat": NOW - 60, "exp": NOW}, "expired"),
        ({"exp": NOW + MAX_LIFETIME_S + 1}, "good for"),
        ({"iat": NOW + 30, "exp": NOW + 20}, "good for"),
    ],
)
def test_what_does_not_fit_is_named(fields: dict[str, object], why: str) -> None:
    assert why in "; ".join(find_reasons(message(**fields), PEER, HERE, Marks(), NOW))


def test_a_minute_of_difference_between_clocks_is_allowed_and_a_week_on_the_way() -> None:
    assert reasons(iat=NOW + MAX_AHEAD_S, exp=NOW + MAX_AHEAD_S + 10) == ""
    assert reasons(now=NOW + MAX_LIFETIME_S - 1, exp=NOW + MAX_LIFETIME_S) == ""


def test_a_clock_set_back_does_not_bring_an_expired_message_back() -> None:
    assert "expired" in reasons(now=NOW, marks=Marks(iat=NOW + 3600))


def test_what_a_lost_record_may_have_held_is_refused() -> None:
    assert "record" in reasons(marks=Marks(lost_seq=10))
    assert reasons(marks=Marks(lost_seq=9)) == ""


def test_what_may_have_been_forgotten_is_refused() -> None:
    assert "record" in reasons(marks=Marks(forgotten_exp=NOW + 60))
    assert reasons(marks=Marks(forgotten_exp=NOW + 59)) == ""


DAY = 86_400
AHEAD: dict[str, Any] = {"iat": NOW + DAY, "exp": NOW + 2 * DAY, "seq": 20}
"""A message that is refused now, and is good by its own words a day later."""
PAST: dict[str, Any] = {"iat": NOW - DAY, "exp": NOW - 1, "seq": 20}
"""The same for a clock that was wrong by a day and comes right."""


def marked(now: int = NOW, marks: Marks | None = None, **fields: Any) -> Marks:
    return mark_refused(message(**fields), PEER, HERE, marks or Marks(), now)


@given(
    refusals=st.lists(
        st.tuples(
            st.integers(1, 30), st.integers(-2 * DAY, 2 * DAY), st.integers(1, DAY), st.integers(-DAY, DAY)
        )
    ),
    now=st.integers(-3 * DAY, 3 * DAY),
)
def test_what_was_refused_for_its_time_stays_refused_by_any_clock(
    refusals: list[tuple[int, int, int, int]], now: int
) -> None:
    marks = Marks()
    refused: list[dict[str, Any]] = []
    for seq, at, life, clock in refusals:
        fields: dict[str, Any] = {"seq": seq, "iat": NOW + at, "exp": NOW + at + life}
        if reasons(NOW + clock, marks, **fields):
            marks = marked(NOW + clock, marks, **fields)
            refused.append(fields)
    assert all(reasons(NOW + now, marks, **fields) for fields in refused)


@pytest.mark.parametrize(("refused", "then"), [(AHEAD, NOW + DAY), (PAST, NOW - DAY)])
def test_a_message_that_is_made_after_a_refused_one_is_taken_in(refused: dict[str, Any], then: int) -> None:
    marks = marked(**refused)
    assert "refused before" in reasons(then, marks, **refused)
    assert reasons(then, marks, **{**refused, "seq": 21}) == ""


def test_what_was_made_by_a_good_clock_before_a_refused_one_is_taken_in() -> None:
    assert reasons(NOW, marked(**AHEAD), iat=NOW, exp=NOW + DAY) == ""
    assert reasons(NOW, marked(**PAST), iat=NOW - DAY, exp=NOW + DAY) == ""


def test_only_a_time_that_can_become_good_is_remembered() -> None:
    assert marked(exp=NOW + MAX_LIFETIME_S + 1) == Marks()
    assert marked(**AHEAD, aud=THERE) == Marks()
    assert marked(**AHEAD, iss=HERE) == Marks()
    assert marked(**AHEAD) == Marks(refused_seq=20, refused_iat=NOW + DAY)
    assert marked(**PAST) == Marks(refused_seq=20, refused_exp=NOW - 1)
    assert marked(iat=NOW - 60, exp=NOW) == Marks(refused_seq=10, refused_exp=NOW)
    assert marked(iat=NOW + MAX_AHEAD_S) == Marks()


def test_what_is_remembered_of_refusals_covers_all_of_them() -> None:
    both = marked(marks=marked(**AHEAD), **PAST)
    assert both == Marks(refused_seq=20, refused_iat=NOW + DAY, refused_exp=NOW - 1)
    assert marked(marks=both, **{**AHEAD, "iat": NOW + 2 * DAY, "seq": 5}) == both
    assert marked(marks=both, **{**AHEAD, "iat": NOW + 61, "seq": 30}) == Marks(
        refused_seq=30, refused_iat=NOW + 61, refused_exp=NOW - 1
    )
    assert marked(marks=both, **{**PAST, "exp": NOW - 5}) == both


def test_every_reason_comes_at_once() -> None:
    given = find_reasons(message(iss=HERE, aud=THERE, exp=0), PEER, HERE, Marks(), NOW)
    assert len(given) >= 4


def test_a_key_counts_between_its_times() -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    day = timedelta(days=1)
    key = PeerKey(key="k", valid_after=at, valid_before=at + day)
    assert not key.counts_at(at - day)
    assert key.counts_at(at)
    assert not key.counts_at(at + 2 * day)
    assert PeerKey(key="k").counts_at(at)


def test_a_machine_is_found_by_its_name() -> None:
    peers = Peers(peers=(PEER,))
    assert peers.named("ops") is PEER
    assert peers.named("other") is None


@given(last=st.integers(0, 2**52), now_ms=st.integers(0, 2**52))
def test_the_next_number_is_above_every_earlier_one(last: int, now_ms: int) -> None:
    assert next_seq(last, now_ms) > last
    assert next_seq(last, now_ms) >= now_ms
