import hashlib

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk, addition

from nightledger.codec.canonical import canonical
from nightledger.domain.errors import UsageError
from nightledger.domain.proposal import Anchor, Hunk
from nightledger.gate.stored import find_status, hunks_sha256, shortened


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
    assert find_status(book, "k2") is status
    for name, why in (
        ("", "no proposal is named"),
        ("p-", "no proposal is named"),
        ("fu", "fits 2 proposals"),
    ):
        with pytest.raises(UsageError, match=why):
            find_status(book, name)


def test_the_hash_of_hunks_is_of_their_canonical_json_in_order() -> None:
    one = Hunk(anchor=Anchor.LINES, section=("A",), removed="- x\n")
    two = Hunk(anchor=Anchor.SECTION_END, section=(), added="- y\n")
    plain = {"added": "", "anchor": "lines", "line": 0, "removed": "- x\n", "section": ["A"]}
    assert hunks_sha256([one]) == hashlib.sha256(canonical([plain])).hexdigest()
    assert hunks_sha256([one, two]) != hunks_sha256([two, one])
