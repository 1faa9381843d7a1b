"""What a message may bring about, where no message from outside shows it."""

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk
from tests.remote.peer_work import make_work

from nightledger.domain.consent import Tier
from nightledger.domain.errors import RecordError, RefusedError, UnreadableError
from nightledger.domain.message import Status
from nightledger.remote.actions import RULES, perform, rule_of
from nightledger.remote.handlers import Done, Work


def test_many_unknown_actions_are_recorded_as_blocked_a_few_times_a_day(desk: Desk) -> None:
    for n in range(25):
        perform(make_work(desk, f"action_{n}", seq=n))
    assert desk.events().count("message.received") == 25
    assert desk.events().count("consent.blocked") == 20


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RefusedError("no room", hint="wait"), "no room (wait)"),
        (RefusedError("no room"), "no room"),
        (UnreadableError("a link"), "a link"),
        (RecordError("it", ("odd",)), "it is not valid:\n  odd"),
    ],
)
def test_a_refusal_is_an_answer(
    desk: Desk, error: Exception, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Work) -> Done:
        raise error

    monkeypatch.setitem(RULES, "load_memory_file", replace(RULES["load_memory_file"], handler=refuse))
    answer = perform(make_work(desk, "load_memory_file", {"path": "x"}))
    assert (answer.status, answer.reason) == (Status.REJECTED, reason)


def test_the_shipped_graph_knows_every_action_that_asks_it(desk: Desk) -> None:
    asked = {rule.consent for rule in RULES.values() if rule.consent}
    assert all(desk.gate.consent.tier("self_modification", name) is not Tier.BLOCKED for name in asked)
    assert rule_of("open_garage").writes
