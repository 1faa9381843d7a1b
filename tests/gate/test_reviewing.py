"""No text that the operator did not accept chooses what of a change nobody can read."""

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk, addition

from nightledger.domain.proposal import Op
from nightledger.gate.reviewing import HIDDEN, hides_lines, why_masked

BASE = "# M\n\n- one\n- two\n"
ADDED = f"{BASE}- three-four-five\n- six\n"
BEGIN = "-----BEGIN OPENSSH PRIVATE KEY-----"
END = "-----END OPENSSH PRIVATE KEY-----"
BODY = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW"


@pytest.mark.parametrize(
    ("before", "after", "told", "accepted", "hidden"),
    [
        (BASE, ADDED, "two", BASE, False),
        (BASE, f"{BASE}\nthree-four-five\n", "three-four-five", BASE, True),
        (f"{BASE}\nthree-four-five\n", BASE, "three-four-five", BASE, True),
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
