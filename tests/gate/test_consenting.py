import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk, open_desk
from tests.rows import corpus

from nightledger.domain.consent import Answer, Mode, Tier, Why
from nightledger.domain.decision import Decision, DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.gate.consenting import graph_target, read_standing
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.stored import with_id

SHIPPED: dict[str, dict[str, int]] = json.loads(corpus("consent-tiers.json"))
"""What the published graph, whose ``messages`` are ``imessage``, says of every action; 0 autonomous, 1 approval, 2 trusted channel, 3 blocked."""


def again(desk: Desk) -> Desk:
    moved = open_desk(desk.root)
    moved.moment, moved.nonces = desk.moment, desk.nonces
    return moved


def answer(desk: Desk, action: str) -> Answer:
    return read_standing(desk.gate, desk.ledger(), desk.moment).answer("email", action, 1.0)


def own_graph(desk: Desk, tier: str = "", action: str = "read") -> Desk:
    domains = {"email": {tier: [action]}} if tier else {}
    Path(desk.home.consent_graph).write_text(json.dumps({"v": 1, "domains": domains}))
    return again(desk)


def compose_review(desk: Desk) -> Decision:
    return make_unproposed(desk.gate, DecisionType.CONSENT, [graph_target(desk.gate)], desk.signing())


def test_every_action_of_the_shipped_graph_has_its_tier_and_none_is_left_out(desk: Desk) -> None:
    graph = desk.gate.consent
    found = {
        domain: {name: graph.tier(domain, name) for name in (one.replace("*", "old") for one in actions)}
        for domain, actions in graph.domains.items()
    }
    assert found == {
        domain: {action: Tier(n) for action, n in actions.items()} for domain, actions in SHIPPED.items()
    }


@pytest.mark.parametrize("left", [None, "", "autonomous"])
def test_what_a_signed_graph_forbids_is_not_allowed_by_putting_another_in_its_place(
    desk: Desk, left: str | None
) -> None:
    own = own_graph(desk, "blocked")
    own.accept(compose_review(own))
    path = Path(own.home.consent_graph)
    signed = path.read_bytes()
    if left is None:
        path.unlink()
    moved = again(own) if left is None else own_graph(own, left, "send")
    asked = answer(moved, "read")
    assert (asked.tier, asked.why, asked.mode) == (Tier.REQUIRES_APPROVAL, Why.UNREVIEWED, Mode.FORCED)
    standing = read_standing(moved.gate, moved.ledger(), moved.moment)
    assert (standing.reviewed, standing.replaced) == (False, True)
    path.write_bytes(signed)
    assert answer(again(own), "read").tier is Tier.BLOCKED


def test_an_older_graph_does_not_count_again_where_the_newest_signature_is_gone(desk: Desk) -> None:
    own = own_graph(desk, "autonomous", "send")
    own.accept(compose_review(own))
    old = Path(own.home.consent_graph).read_bytes()
    newer = own_graph(own, "blocked", "send")
    decision = newer.accept(compose_review(newer))
    Path(f"{newer.home.decision(decision.id)}.sig").unlink()
    Path(newer.home.consent_graph).write_bytes(old)
    for action in ("send", "read"):
        asked = answer(again(newer), action)
        assert (asked.tier, asked.why) == (Tier.REQUIRES_APPROVAL, Why.UNREVIEWED)


def test_a_review_is_accepted_over_the_graph_that_stands_there_only(desk: Desk) -> None:
    decision = compose_review(desk)
    others = (
        replace(decision, targets=()),
        replace(decision, targets=(replace(decision.targets[0], hunks_sha256="0" * 64),)),
        replace(decision, changes=(1,)),
        replace(decision, proposal="p-" + "a" * 26),
    )
    for other in others:
        with pytest.raises(RefusedError, match="not the one that it was signed over"):
            desk.accept(with_id(other))
    own = own_graph(desk, "blocked")
    with pytest.raises(RefusedError, match="not the one that it was signed over"):
        own.accept(decision)
    own.accept(compose_review(own))
    assert own.ledger().book.approvals_to_apply() == ()
