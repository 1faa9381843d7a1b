import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk
from tests.gate.test_naming import BACKUPS, ids

from nightledger.domain.decision import Decision, DecisionTarget, DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.naming import Mark, find_standing, pin_targets, read_marks

RELAY = "- Restart the relay after an upgrade."


def pinned(desk: Desk, *words: str, tag: str = "", kind: DecisionType = DecisionType.PIN) -> Decision:
    """Sign that entries are pinned or tagged."""
    standing = find_standing(desk.home, desk.ledger().book).entries
    chosen = [placed for placed in standing.values() if placed.entry.text.strip() in words]
    return desk.accept(make_unproposed(desk.gate, kind, pin_targets(chosen), desk.signing(), reason=tag))


def marks(desk: Desk) -> dict[str, Mark]:
    by_id = {name: words for words, name in ids(desk).items()}
    return {by_id[name]: mark for name, mark in read_marks(desk.gate, desk.ledger()).items()}


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
