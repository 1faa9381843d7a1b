"""What a message may bring about, and the record of it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gate.homes import Desk
from tests.remote.peer_work import OPS, make_work

from nightledger.domain.consent import Tier
from nightledger.domain.errors import RecordError, RefusedError, UnreadableError
from nightledger.domain.message import Status
from nightledger.remote.actions import RULES, Done, Work, perform, rule_of

YES = Done(status=Status.EXECUTED, body={"yes": 1})


def done(_: Work) -> Done:
    return YES


def messages(desk: Desk) -> list[dict[str, object]]:
    return [dict(event.fields) for event in desk.ledger().log.events if event.event == "message.received"]


def tighten(desk: Desk, **tiers: str) -> None:
    """Let the home's own graph ask for more; stricter it counts at once."""
    domains: dict[str, list[str]] = {}
    for action, tier in tiers.items():
        domains.setdefault(tier, []).append(action)
    own = {"v": 1, "domains": {"self_modification": domains}}
    Path(desk.home.consent_graph).write_text(json.dumps(own))


def test_what_a_message_brought_about_is_recorded_once(desk: Desk) -> None:
    work = make_work(desk, "update_heartbeat", {"state": {}})
    assert perform(work, {"update_heartbeat": done}) is YES
    (fields,) = messages(desk)
    assert fields["message"] == work.message.id
    assert (fields["peer"], fields["iss"], fields["number"]) == ("ops", OPS.home, 1)
    assert (fields["action"], fields["status"]) == ("update_heartbeat", "executed")
    again = make_work(desk, "update_heartbeat", {"state": {}}, resumed=True)
    assert perform(again, {}).status is Status.EXECUTED
    assert len(messages(desk)) == 1


def test_a_message_that_was_cut_short_before_its_record_is_recorded_when_it_is_resumed(desk: Desk) -> None:
    perform(make_work(desk, "update_heartbeat", {"state": {}}, resumed=True), {"update_heartbeat": done})
    assert len(messages(desk)) == 1


def test_a_message_that_the_log_names_is_not_taken_in_anew(desk: Desk) -> None:
    """An agent can write the record of seen ids: its lines may name other ids than those taken in."""
    first = make_work(desk, "update_heartbeat", {"state": {}})
    perform(first, {"update_heartbeat": done})
    again = perform(make_work(desk, "update_heartbeat", {"state": {}}), {})
    assert (again.status, again.body) == (Status.EXECUTED, {})
    assert len(messages(desk)) == 1


def test_what_the_log_says_was_made_is_answered_again_and_not_made_again(desk: Desk) -> None:
    queued = Done(
        status=Status.QUEUED, proposal="p-" + "x" * 26, body={"proposal": "p-" + "x" * 26, "diff": "+ x"}
    )
    perform(make_work(desk, "propose_behavioral_change", {}), {"propose_behavioral_change": lambda _: queued})
    again = perform(make_work(desk, "propose_behavioral_change", {}), {})
    assert (again.status, again.proposal, again.body) == (
        Status.QUEUED,
        "p-" + "x" * 26,
        {"proposal": "p-" + "x" * 26},
    )


@pytest.mark.parametrize("resumed", [False, True])
def test_what_was_rejected_stays_so_though_it_might_be_done_now(desk: Desk, *, resumed: bool) -> None:
    refused = replace(OPS, actions=())
    perform(make_work(desk, "update_heartbeat", {"state": {}}, peer=refused), {"update_heartbeat": done})
    work = make_work(desk, "update_heartbeat", {"state": {}}, resumed=resumed)
    again = perform(work, {"update_heartbeat": done})
    assert (again.status, again.reason) == (Status.REJECTED, "it was rejected when it first came")
    assert len(messages(desk)) == 1


def test_what_was_begun_and_logged_is_finished_though_it_might_not_be_begun_now(desk: Desk) -> None:
    perform(make_work(desk, "update_heartbeat", {"state": {}}), {"update_heartbeat": done})
    work = make_work(desk, "update_heartbeat", {"state": {}}, peer=replace(OPS, actions=()), resumed=True)
    assert perform(work, {}) == Done(status=Status.EXECUTED, body={})
    assert len(messages(desk)) == 1


@pytest.mark.parametrize("graph", ["{", '{"v":1,"domains":{},"cooling_period_hours":1}', None])
def test_a_graph_that_cannot_be_used_is_a_refusal_and_stops_no_other_message(
    desk: Desk, graph: str | None
) -> None:
    path = Path(desk.home.consent_graph)
    if graph is None:
        path.mkdir()
    else:
        path.write_text(graph)
    blocked = perform(make_work(desk, "update_heartbeat", {"state": {}}), {"update_heartbeat": done})
    assert (blocked.status, blocked.reason) == (Status.REJECTED, "the consent graph cannot be used")
    assert perform(make_work(desk, "decide", {}), {"decide": done}) is YES
    assert len(messages(desk)) == 2


def test_what_only_looks_leaves_no_entry(desk: Desk) -> None:
    before = desk.ledger().log.size
    assert perform(make_work(desk, "proposals"), {"proposals": done}) is YES
    assert desk.ledger().log.size == before


def test_proposals_and_decisions_are_named_in_the_record(desk: Desk) -> None:
    made = Done(status=Status.QUEUED, proposal="p-" + "a" * 26, decision="d-" + "a" * 26)
    perform(make_work(desk, "decide", {"decision": "{}", "signature": "s"}), {"decide": lambda _: made})
    (fields,) = messages(desk)
    assert (fields["proposal"], fields["decision"]) == (made.proposal, made.decision)


def test_an_unknown_action_is_rejected_and_recorded_as_blocked(desk: Desk) -> None:
    answer = perform(make_work(desk, "open_garage"), {})
    assert (answer.status, answer.reason) == (Status.REJECTED, "the action open_garage is unknown")
    assert desk.events()[-2:] == ["message.received", "consent.blocked"]
    assert desk.ledger().log.events[-1].fields["action"] == "open_garage"


def test_a_machine_may_ask_for_what_its_operator_allowed_only(desk: Desk) -> None:
    peer = replace(OPS, actions=("proposals",))
    answer = perform(make_work(desk, "decide", peer=peer), {"decide": done})
    assert answer.reason == "ops may not ask for decide"
    assert messages(desk)[0]["status"] == "rejected"
    assert "consent.blocked" not in desk.events()


def test_an_action_belongs_to_its_domain(desk: Desk) -> None:
    answer = perform(make_work(desk, "decide", domain="email"), {"decide": done})
    assert "belongs to the domain self_modification" in answer.reason
    assert "consent.blocked" not in desk.events()


def test_what_the_graph_blocks_is_not_done(desk: Desk) -> None:
    tighten(desk, propose_behavioral_change="blocked")
    work = make_work(desk, "propose_behavioral_change", {"reason": "x"})
    assert "blocks" in perform(work, {"propose_behavioral_change": done}).reason
    assert desk.events()[-1] == "consent.blocked"


def test_what_wants_approval_is_done_only_where_it_ends_as_a_proposal(desk: Desk) -> None:
    proposing = make_work(desk, "consolidate_daily", {"date": "2026-02-28", "text": "x"})
    assert perform(proposing, {"consolidate_daily": done}) is YES
    tighten(desk, load_memory_file="requires_approval")
    looking = make_work(desk, "load_memory_file", {"path": "MEMORY.md"})
    assert "wants the operator's approval" in perform(looking, {"load_memory_file": done}).reason
    tighten(desk, restore_context="requires_approval")
    writing = make_work(desk, "restore_context")
    assert "wants the operator's approval" in perform(writing, {"restore_context": done}).reason
    assert desk.events()[-1] == "message.received"


def test_what_is_done_at_once_ends_when_nobody_reviews_any_more(desk: Desk) -> None:
    desk.wait(days=29)
    assert perform(make_work(desk, "load_memory_file", {"path": "x"}), {"load_memory_file": done}) is YES
    desk.wait(days=2)
    late = perform(make_work(desk, "load_memory_file", {"path": "x"}), {"load_memory_file": done})
    assert "since nobody has signed a review" in late.reason


def test_many_unknown_actions_are_recorded_as_blocked_a_few_times_a_day(desk: Desk) -> None:
    for n in range(25):
        perform(make_work(desk, f"action_{n}", seq=n), {})
    assert desk.events().count("message.received") == 25
    assert desk.events().count("consent.blocked") == 20


def test_what_is_not_built_says_so(desk: Desk) -> None:
    assert perform(make_work(desk, "restore_context"), {}).reason == "not built"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RefusedError("no room", hint="wait"), "no room (wait)"),
        (RefusedError("no room"), "no room"),
        (UnreadableError("a link"), "a link"),
        (RecordError("it", ("odd",)), "it is not valid:\n  odd"),
    ],
)
def test_a_refusal_is_an_answer(desk: Desk, error: Exception, reason: str) -> None:
    def refuse(_: Work) -> Done:
        raise error

    answer = perform(make_work(desk, "load_memory_file", {"path": "x"}), {"load_memory_file": refuse})
    assert (answer.status, answer.reason) == (Status.REJECTED, reason)


def test_the_shipped_graph_knows_every_action_that_asks_it(desk: Desk) -> None:
    graph = desk.gate.consent
    asked = {rule.consent for rule in RULES.values() if rule.consent}
    assert all(graph.tier("self_modification", name) is not Tier.BLOCKED for name in asked)
    assert rule_of("open_garage").writes
