import pytest
from tests.gate.homes import Desk, addition

from nightledger.domain.errors import UsageError
from nightledger.gate.stored import find_status


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
