from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk, addition, removal
from tests.gate.memory.test_naming import BACKUPS, ids

from nightledger.domain.decision import Decision, DecisionTarget, DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.domain.states import ChangeState
from nightledger.gate.memory.naming import Mark, find_standing, find_takers, pin_targets, read_marks
from nightledger.gate.review.composing import make_unproposed

RELAY = "- Restart the relay after an upgrade."


def pinned(desk: Desk, *words: str, tag: str = "", kind: DecisionType = DecisionType.PIN) -> Decision:
    """Sign that entries are pinned or tagged."""
    standing = find_standing(desk.home, desk.ledger().book).entries
    chosen = [placed for placed in standing.values() if placed.entry.text.strip() in words]
    return desk.accept(make_unproposed(desk.gate, kind, pin_targets(chosen), desk.signing(), reason=tag))


def marks(desk: Desk) -> dict[str, Mark]:
    by_id = {name: words for words, name in ids(desk).items()}
    return {by_id[name]: mark for name, mark in read_marks(desk.gate, desk.ledger()).items()}


def test_a_pin_counts_at_once_and_an_unpin_ends_it(desk: Desk) -> None:
    assert marks(desk) == {}
    pinned(desk, BACKUPS, RELAY)
    assert marks(desk) == {BACKUPS: Mark(pinned=True), RELAY: Mark(pinned=True)}
    pinned(desk, RELAY, kind=DecisionType.UNPIN)
    assert marks(desk) == {BACKUPS: Mark(pinned=True)}


def refused(desk: Desk, decision: Decision) -> str:
    with pytest.raises(RefusedError) as caught:
        desk.accept(decision)
    assert read_marks(desk.gate, desk.ledger()) == {}
    return str(caught.value)


def targets(desk: Desk) -> tuple[DecisionTarget, ...]:
    standing = find_standing(desk.home, desk.ledger().book).entries
    return pin_targets([standing[ids(desk)[BACKUPS]]])


def test_an_entry_that_never_was_and_an_unknown_tag_are_refused(desk: Desk) -> None:
    (target,) = targets(desk)
    other = replace(target, path="MEMORY.md#e-aaaaaaaaaaaaaaaaaaaaaaaaaa")
    assert "is not the entry" in refused(
        desk, make_unproposed(desk.gate, DecisionType.PIN, (other,), desk.signing())
    )
    for tag in ("self/constitutional", "anything"):
        decision = make_unproposed(desk.gate, DecisionType.PIN, (target,), desk.signing(), reason=tag)
        assert "is no tag of an entry" in refused(desk, decision)


def test_a_decision_of_another_form_is_refused(desk: Desk) -> None:
    assert "is not the form" in refused(
        desk, make_unproposed(desk.gate, DecisionType.PIN, (), desk.signing())
    )


def test_what_would_take_an_entry_out_is_named_with_its_state(desk: Desk) -> None:
    name = ids(desk)[BACKUPS]
    draft = replace(removal(BACKUPS), entry=name)
    proposal = desk.proposal(draft, replace(removal(RELAY), entry="e-other"), addition("Set the zone."))
    assert find_takers(desk.gate, desk.ledger(), [name]) == ((proposal.id, 1, ChangeState.PENDING),)
    desk.approve(proposal, only=[1])
    assert find_takers(desk.gate, desk.ledger(), [name]) == ((proposal.id, 1, ChangeState.APPROVED),)
    assert find_takers(desk.gate, desk.ledger(), ["e-none"]) == ()
    Path(desk.home.proposal(proposal.id)).write_text("{}")
    assert find_takers(desk.gate, desk.ledger(), [name]) == ()
