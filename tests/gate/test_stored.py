from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition

from nightledger.domain.errors import AlteredError, UsageError
from nightledger.domain.states import OPEN_STATES, ChangeState
from nightledger.gate.review.editing import propose_edit
from nightledger.gate.stored import find_set_aside, find_status, read_proposal, read_stored


def test_proposals_are_read_in_order_of_their_leaves(desk: Desk) -> None:
    made = [desk.proposal(addition(f"Lesson {n}.")) for n in range(3)]
    stored = read_stored(desk.gate, desk.ledger().book)
    assert [item.proposal for item in stored] == made
    assert stored[0].sha256 == desk.ledger().book.proposals[made[0].id].sha256


def test_only_proposals_of_which_a_change_is_in_a_state_are_read_where_states_are_named(desk: Desk) -> None:
    first, second = desk.proposal(addition("One.")), desk.proposal(addition("Two."))
    both = desk.proposal(addition("Three.", rank=0.9), addition("Four."))
    desk.reject(first)
    desk.reject_some(both, 1)
    book = desk.ledger().book
    assert [item.proposal for item in read_stored(desk.gate, book, states=OPEN_STATES)] == [second, both]
    rejected = read_stored(desk.gate, book, states={ChangeState.REJECTED})
    assert [item.proposal for item in rejected] == [first, both]
    assert read_stored(desk.gate, book, states=()) == []


def test_bytes_that_are_not_those_of_the_leaf_are_an_alarm(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    path = Path(desk.home.proposal(proposal.id))
    status = desk.ledger().book.proposals[proposal.id]
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(AlteredError, match="was changed after it was proposed") as caught:
        read_proposal(desk.gate, status)
    assert status.sha256 in str(caught.value)
    assert "put it back from a backup" in caught.value.hint
    path.unlink()
    with pytest.raises(AlteredError, match="is missing"):
        read_proposal(desk.gate, status)
    path.symlink_to("/etc/hosts")
    with pytest.raises(AlteredError, match="is a link"):
        read_proposal(desk.gate, status)


def test_one_altered_proposal_is_set_aside_and_the_others_are_read(desk: Desk) -> None:
    first, second = desk.proposal(addition("One.")), desk.proposal(addition("Two."))
    path = Path(desk.home.proposal(first.id))
    path.write_bytes(b"{}")
    book = desk.ledger().book
    assert [item.proposal for item in read_stored(desk.gate, book)] == [second]
    assert find_set_aside(desk.home, book) == (first.id,)
    assert path.read_bytes() == b"{}"


def test_what_is_over_needs_nobody_when_it_is_altered(desk: Desk) -> None:
    proposal, cooling = desk.proposal(addition("One.")), desk.proposal(addition("Two."))
    desk.reject(proposal)
    desk.approve(cooling)
    for name in (proposal.id, cooling.id):
        Path(desk.home.proposal(name)).unlink()
    assert find_set_aside(desk.home, desk.ledger().book) == (cooling.id,)
    propose_edit(desk.gate, desk.ledger(), "MEMORY.md", b"new\n", desk.moment)
    assert find_set_aside(desk.home, desk.ledger().book) == (cooling.id,)


def test_a_proposal_is_found_by_the_beginning_of_its_id(desk: Desk) -> None:
    proposals = [desk.proposal(addition(f"Lesson {n}.")) for n in range(2)]
    book = desk.ledger().book
    for proposal in proposals:
        assert find_status(book, proposal.id).id == proposal.id
        assert find_status(book, proposal.id[2:20]).id == proposal.id
        assert find_status(book, proposal.id[:20]).id == proposal.id
    with pytest.raises(UsageError, match="there is no proposal 'p-zzz'"):
        find_status(book, "p-zzz")


@pytest.mark.parametrize("text", ["", "p-"])
def test_no_name_is_no_proposal_even_where_there_is_only_one(desk: Desk, text: str) -> None:
    desk.proposal(addition("One."))
    with pytest.raises(UsageError, match="no proposal is named"):
        find_status(desk.ledger().book, text)


def test_a_beginning_that_fits_several_is_refused(desk: Desk) -> None:
    first = ""
    seen: set[str] = set()
    n = 0
    while not first:
        n += 1
        letter = desk.proposal(addition(f"Lesson {n}.")).id[2]
        first = letter if letter in seen else ""
        seen.add(letter)
    with pytest.raises(UsageError, match="fits 2 proposals"):
        find_status(desk.ledger().book, first)
