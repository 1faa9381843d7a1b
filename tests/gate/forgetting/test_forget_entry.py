from tests.gate.homes import Desk
from tests.gate.memory.test_naming import BACKUPS

from nightledger.domain.proposal import Proposal
from nightledger.gate.forgetting.forgotten import read_forgotten
from nightledger.gate.forgetting.letting_go import forget
from nightledger.gate.memory.naming import Placed, find_standing
from nightledger.gate.proposing.proposing import Outcome
from nightledger.gate.stored import read_stored

AGAIN = "Backups are kept for 30 days."


def entry(desk: Desk, words: str = BACKUPS) -> Placed:
    standing = find_standing(desk.home, desk.ledger().book).entries
    return next(placed for placed in standing.values() if placed.entry.text.strip() == words)


def asked(desk: Desk, words: str = BACKUPS) -> Outcome:
    return forget(desk.gate, desk.ledger(), entry(desk, words), desk.moment, period="2026-03-01")


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


def test_an_operators_own_edit_may_say_it_and_ends_it(desk: Desk) -> None:
    forgotten(desk)
    desk.wait(hours=1)
    desk.edit(desk.memory.read_bytes().replace(b"## Lessons\n", f"{BACKUPS}\n\n## Lessons\n".encode()))
    assert not holds(desk, AGAIN)
    desk.wait(hours=1)
    forgotten(desk)
    assert holds(desk, AGAIN)
