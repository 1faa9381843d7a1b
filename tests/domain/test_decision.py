from dataclasses import FrozenInstanceError, replace

import pytest
from tests.domain.gate_values import decision

from nightledger.domain.decision import NAMESPACE, DecisionType


def test_a_decision_is_a_value_that_cannot_be_changed() -> None:
    made = decision()
    assert made == decision()
    assert replace(made, nonce="11") != made
    with pytest.raises(FrozenInstanceError):
        made.nonce = "11"  # type: ignore[misc]


def test_the_namespace_and_the_types_are_a_contract() -> None:
    assert NAMESPACE == "nightledger-decision@v1"
    assert [kind.value for kind in DecisionType] == [
        "approve",
        "reject",
        "undo",
        "drift",
        "trust",
        "consent",
        "expunge",
        "pin",
        "unpin",
        "close",
        "restore",
    ]
    assert decision().reason == ""
