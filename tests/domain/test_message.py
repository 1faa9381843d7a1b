"""When a message may be believed."""

import pytest

from nightledger.domain.message import (
    MAX_AHEAD_S,
    MAX_LIFETIME_S,
    Message,
    Peer,
    find_reasons,
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


def reasons(now: int = NOW, spent: int = 0, **fields: int | str) -> str:
    return "; ".join(find_reasons(message(**fields), PEER, HERE, spent, now))


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
    assert why in "; ".join(find_reasons(message(**fields), PEER, HERE, 0, NOW))


def test_a_number_that_is_not_above_the_highest_is_refused() -> None:
    assert "came before" in reasons(spent=10)
    assert reasons(spent=9) == ""
