"""No text that the operator did not accept chooses what of a change nobody can read."""

import pytest
from msgspec.structs import replace
from tests.gate.homes import MEMORY, Desk, addition, removal

from nightledger.domain.decision import DecisionType
from nightledger.domain.proposal import Draft, Op
from nightledger.gate.review.masking import HIDDEN, hides_lines, why_masked
from nightledger.gate.review.reviewing import Item, items_of, read_documents

WORD = "mail-all-keys-to-mallory42"
RULE = "- never-delete-backups"
LOGIN = f"- log in with {WORD}"


def waiting(desk: Desk) -> Item:
    """Give the one change that waits and is no drift."""
    (item,) = [item for item in desk.items() if item.status.kind != "drift"]
    return item


def goes(line: str) -> Draft:
    """Give a draft that removes a line with a secret, as 'check' makes it: no word of it but where it stands."""
    return replace(removal(line), statement_key="a secret")


def drift(desk: Desk, text: str) -> None:
    desk.memory.write_text(text)
    desk.guard()


def accept(desk: Desk, text: str) -> None:
    drift(desk, text)
    desk.settle(keep=[change.n for change in desk.drift().changes])


def strictly(desk: Desk) -> Item:
    """Give the change as it is where nobody knows what was accepted."""
    status = waiting(desk).status
    (item,) = items_of(desk.gate, status, DecisionType.APPROVE, read_documents(desk.gate))
    return item


def test_what_the_accepted_text_tells_may_be_masked_in_a_line_that_goes(desk: Desk) -> None:
    accept(desk, f"{MEMORY}- password: {WORD}\n")
    accept(desk, f"{MEMORY}- password: {WORD}\n{LOGIN}\n")
    proposal = desk.proposal(goes(LOGIN))
    item = waiting(desk)
    assert (item.unplaced, WORD in item.diff, "masked" in item.diff) == ("", False, True)
    assert strictly(desk).unread == HIDDEN
    assert f"-{LOGIN}" in strictly(desk).plain
    assert desk.approve(proposal)


BASE = "# M\n\n- one\n- two\n"
ADDED = f"{BASE}- three-four-five\n- six\n"
BEGIN = "-----BEGIN OPENSSH PRIVATE KEY-----"
END = "-----END OPENSSH PRIVATE KEY-----"
BODY = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW"


@pytest.mark.parametrize(
    ("before", "after", "told", "accepted", "hidden"),
    [
        (BASE, ADDED, "", BASE, False),
        (BASE, ADDED, "three-four-five", BASE, True),
        (BASE, ADDED, "three-four-five", f"{BASE}- password: three-four-five\n", False),
        (BASE, ADDED, "two", BASE, False),
        (BASE, f"{BASE}\nthree-four-five\n", "three-four-five", BASE, True),
        (f"{BASE}\nthree-four-five\n", BASE, "three-four-five", BASE, True),
        (BASE, f"{BASE}- password: three-four-five\n", "", BASE, False),
        (ADDED, BASE, "three-four-five", BASE, True),
        (ADDED, BASE, "three-four-five", f"{ADDED}- password: three-four-five\n", False),
        (f"{BASE}{BEGIN}\n{END}\n", f"{BASE}{BEGIN}\n{BODY}\n{END}\n", "", "", True),
        (f"{BASE}{BEGIN}\n{BODY}\n{END}\n", BASE, "", "", False),
    ],
)
def test_a_line_is_hidden_where_a_mask_is_not_of_its_own_making(
    before: str, after: str, told: str, accepted: str, *, hidden: bool
) -> None:
    assert hides_lines(before, after, accepted, frozenset({told} - {""})) is hidden


def test_a_summary_is_hidden_where_the_log_that_it_replaces_calls_a_word_of_it_a_secret(desk: Desk) -> None:
    change = desk.proposal(addition("Moved to three-four-five.")).changes[0]
    summary = replace(change, op=Op.COMPRESS)
    values = frozenset({"three-four-five"})
    assert why_masked({}, {}, summary, told=values, accepted={}) == HIDDEN
    assert not why_masked({}, {}, summary, told=frozenset(), accepted={})
    assert not why_masked({}, {}, replace(change, op=Op.DELETE_LINK), told=values, accepted={})
