import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk

from nightledger.domain.decision import Decision, DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.naming import find_standing, naming_events, pin_targets, read_marks

BACKUPS = "- Keep backups for 30 days."
RELAY = "- Restart the relay after an upgrade."


def ids(desk: Desk) -> dict[str, str]:
    """Give each entry's id by its words."""
    standing = find_standing(desk.home, desk.ledger().book)
    return {placed.entry.text.strip(): name for name, placed in standing.entries.items()}


def pinned(desk: Desk, *words: str, tag: str = "", kind: DecisionType = DecisionType.PIN) -> Decision:
    """Sign that entries are pinned or tagged."""
    standing = find_standing(desk.home, desk.ledger().book).entries
    chosen = [placed for placed in standing.values() if placed.entry.text.strip() in words]
    return desk.accept(make_unproposed(desk.gate, kind, pin_targets(chosen), desk.signing(), reason=tag))


def test_steps_of_an_apply_that_was_given_up_count_for_nothing(desk: Desk) -> None:
    before, memory = ids(desk), desk.memory.read_bytes()
    ((name, fields),) = naming_events("a-none", [(memory, memory.replace(b"30", b"60"))])
    desk.record(name.value, **fields)
    assert ids(desk) == before


def test_an_entry_that_never_was_and_an_unknown_tag_are_refused(desk: Desk) -> None:
    standing = find_standing(desk.home, desk.ledger().book).entries
    (target,) = pin_targets([standing[ids(desk)[BACKUPS]]])
    other = replace(target, path="MEMORY.md#e-aaaaaaaaaaaaaaaaaaaaaaaaaa")
    asked = ((other, "", "is not the entry"), (target, "self/constitutional", "is no tag of an entry"))
    for one, tag, why in asked:
        decision = make_unproposed(desk.gate, DecisionType.PIN, (one,), desk.signing(), reason=tag)
        with pytest.raises(RefusedError, match=why):
            desk.accept(decision)
    assert read_marks(desk.gate, desk.ledger()) == {}
