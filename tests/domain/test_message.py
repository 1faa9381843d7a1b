"""When a message may be believed."""

from datetime import UTC, datetime, timedelta

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
    find_lasting_reasons,
    find_reasons,
    is_ahead,
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


def test_what_was_refused_as_past_is_past_by_any_clock_and_what_is_sent_after_it_is_not() -> None:
    marks = Marks(past_seq=10, past_exp=NOW + 60)
    assert reasons(marks=marks) == "it has expired"
    assert reasons(marks=marks, seq=11) == ""
    assert reasons(marks=marks, exp=NOW + 61) == ""


@pytest.mark.parametrize(
    ("fields", "lasting"),
    [
        ({"iss": HERE}, True),
        ({"aud": THERE}, True),
        ({"exp": NOW + MAX_LIFETIME_S + 1}, True),
        ({"seq": 3}, True),
        ({"iat": NOW + 3600, "exp": NOW + 7200}, False),
        ({"iat": NOW - 60, "exp": NOW - 1}, False),
    ],
)
def test_only_time_mends_by_itself(fields: dict[str, object], lasting: bool) -> None:  # noqa: FBT001 - a parameter
    marks = Marks(lost_seq=3)
    assert find_reasons(message(**fields), PEER, HERE, marks, NOW)
    assert bool(find_lasting_reasons(message(**fields), PEER, HERE, marks)) is lasting


def test_a_message_is_ahead_beyond_a_minute() -> None:
    assert not is_ahead(message(iat=NOW + MAX_AHEAD_S), NOW)
    assert is_ahead(message(iat=NOW + MAX_AHEAD_S + 1), NOW)


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
