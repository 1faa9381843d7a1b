import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk, open_desk
from tests.rows import corpus

from nightledger.domain.consent import Tier
from nightledger.domain.decision import Decision, DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.gate.consenting import graph_target
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.stored import with_id

SHIPPED: dict[str, dict[str, int]] = json.loads(corpus("consent-tiers.json"))
"""What the published graph, whose ``messages`` are ``imessage``, says of every action; 0 autonomous, 1 approval, 2 trusted channel, 3 blocked."""


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
    Path(desk.home.consent_graph).write_text('{"v": 1, "domains": {"email": {"blocked": ["read"]}}}')
    own = open_desk(desk.root)
    own.nonces = desk.nonces
    with pytest.raises(RefusedError, match="not the one that it was signed over"):
        own.accept(decision)
    own.accept(compose_review(own))
    assert own.ledger().book.approvals_to_apply() == ()
