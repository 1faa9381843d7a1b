import pytest
from tests.gate.homes import Desk, addition, removal
from tests.gate.memory.test_naming import BACKUPS
from tests.gate.memory.test_pinning import RELAY

from nightledger.domain.errors import UsageError
from nightledger.domain.proposal import Proposal
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.forgetting.letting_go import entry_of_change, forget
from nightledger.gate.memory.naming import Placed, find_standing
from nightledger.gate.proposing.proposing import Outcome
from nightledger.gate.stored import read_stored

AGAIN = "Backups are kept for 30 days."


def entry(desk: Desk, words: str = BACKUPS) -> Placed:
    standing = find_standing(desk.home, desk.ledger().book).entries
    return next(placed for placed in standing.values() if placed.entry.text.strip() == words)


def asked(desk: Desk, words: str = BACKUPS, *, dry_run: bool = False) -> Outcome:
    return forget(
        desk.gate, desk.ledger(), entry(desk, words), desk.moment, period="2026-03-01", dry_run=dry_run
    )


def proposed(desk: Desk, words: str = BACKUPS) -> Proposal:
    made = asked(desk, words).proposal
    assert made is not None
    return made


def forgotten(desk: Desk, words: str = BACKUPS) -> Proposal:
    proposal = proposed(desk, words)
    desk.approve(proposal)
    desk.wait(hours=3)
    desk.apply(proposal)
    return proposal


def holds(desk: Desk, text: str) -> bool:
    ledger = desk.ledger()
    return read_forgotten(desk.gate, read_stored(desk.gate, ledger.book), ledger.book).holds(text)


def test_what_was_turned_down_can_be_asked_again(desk: Desk) -> None:
    first = proposed(desk)
    desk.reject(first)
    desk.wait(hours=1)
    assert proposed(desk).id != first.id


def test_an_operators_own_edit_may_say_it_and_ends_it(desk: Desk) -> None:
    forgotten(desk)
    desk.wait(hours=1)
    desk.edit(desk.memory.read_bytes().replace(b"## Lessons\n", f"{BACKUPS}\n\n## Lessons\n".encode()))
    assert not holds(desk, AGAIN)
    desk.wait(hours=1)
    forgotten(desk)
    assert holds(desk, AGAIN)


def test_a_change_that_put_nothing_in_that_stands_is_refused(desk: Desk) -> None:
    waiting = desk.proposal(addition("Set the zone."))
    with pytest.raises(UsageError, match="is pending; only what was applied"):
        entry_of_change(desk.gate, desk.ledger(), waiting.id, 1)
    with pytest.raises(UsageError, match="has no change 7"):
        entry_of_change(desk.gate, desk.ledger(), waiting.id, 7)
    gone = desk.applied(removal(RELAY))
    with pytest.raises(UsageError, match="does not stand there as one entry"):
        entry_of_change(desk.gate, desk.ledger(), gone.id, 1)
