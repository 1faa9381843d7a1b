"""What was answered stands only for what was shown, and only while it waits."""

from pathlib import Path

from msgspec.structs import replace
from tests.gate.homes import Desk, addition

from nightledger.domain.states import Book
from nightledger.gate.editing import recheck
from nightledger.gate.reviewing import Answer, Verb


def say(desk: Desk, *verbs: Verb) -> list[Answer]:
    items = desk.items()
    return [
        Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=verb)
        for item, verb in zip(items, verbs, strict=True)
    ]


def test_other_bytes_than_those_shown_fall(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    items, answers = desk.items(), say(desk, Verb.APPROVE)
    other = [replace(item, stored=replace(item.stored, sha256="0" * 64)) for item in items]
    _, fallen = recheck(desk.gate, desk.ledger().book, other, answers)
    assert fallen[0].reason == "it is not the proposal that was shown"
    _, fallen = recheck(desk.gate, Book(), items, answers)
    assert fallen[0].reason == "the log does not know it any more"
    Path(desk.home.proposal(proposal.id)).write_bytes(b"{}")
    _, fallen = recheck(desk.gate, desk.ledger().book, items, answers)
    assert "altered meanwhile" in fallen[0].reason
