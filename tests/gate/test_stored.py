import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk, addition

from nightledger.domain.errors import UsageError
from nightledger.gate.stored import find_status, shortened


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


def test_a_proposal_has_the_shortest_name_that_is_its_own_and_paths_keep_the_whole_one(desk: Desk) -> None:
    desk.proposal(addition("One."))
    (status,) = desk.ledger().book.proposals.values()
    one, two, three = (f"p-{begin}{'a' * (26 - len(begin))}" for begin in ("fuqg", "fuqgb", "k2"))
    book = replace(desk.ledger().book, proposals=dict.fromkeys((one, two, three), status))
    text = f"{one}, {two}#2; {three}. memory/state/proposals/{one}.json, {one[:10]}"
    assert shortened(book, text) == (
        f"p-fuqga, p-fuqgb#2; p-k2aa. memory/state/proposals/{one}.json, p-fuqga"
    )
    assert shortened(book, f"there is no {three[:-1]}b") == f"there is no {three[:-1]}b"
