from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition

from nightledger.domain.errors import AlteredError, UsageError
from nightledger.gate.stored import find_status, read_proposal


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
