"""A message is taken in once, answered signed, and judged by the log."""

import pytest
from tests.gate.homes import Desk
from tests.remote.machines import Pair
from tests.remote.peer_work import make_work

from nightledger.domain.errors import ConfigurationError
from nightledger.domain.message import Status
from nightledger.remote.receiving import perform


def test_a_home_without_its_keys_takes_in_nothing_and_leaves_nothing_where_they_belong(pair: Pair) -> None:
    raw, folder = pair.sealed(pair.message()), pair.agent.keys / pair.agent.home_id
    folder.rename(folder.with_name("away"))
    with pytest.raises(ConfigurationError, match="is missing"):
        pair.agent.take_in(raw)
    assert not folder.exists()
    folder.with_name("away").rename(folder)
    assert pair.agent.take_in(raw).status is Status.EXECUTED


def test_many_unknown_actions_are_recorded_as_blocked_a_few_times_a_day(desk: Desk) -> None:
    for n in range(25):
        perform(make_work(desk, f"action_{n}", seq=n))
    assert desk.events().count("message.received") == 25
    assert desk.events().count("consent.blocked") == 20
