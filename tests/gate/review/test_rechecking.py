"""What was answered stands only for what was shown, and only while it waits."""

from dataclasses import replace
from pathlib import Path

from tests.gate.homes import Desk, addition

from nightledger.domain.states import Book
from nightledger.gate.review.composing import Refusal
from nightledger.gate.review.rechecking import recheck
from nightledger.gate.review.reviewing import Answer, Verb


def say(desk: Desk, *verbs: Verb) -> list[Answer]:
    items = desk.items()
    return [
        Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=verb)
        for item, verb in zip(items, verbs, strict=True)
    ]


def test_what_waits_as_it_was_shown_stands(desk: Desk) -> None:
    desk.proposal(addition("One.", rank=0.9), addition("Two."), addition("Three.", rank=0.1))
    answers = say(desk, Verb.APPROVE, Verb.REJECT, Verb.LATER)
    assert recheck(desk.gate, desk.ledger().book, desk.items(), answers) == (answers, [])


def test_what_was_settled_elsewhere_falls_and_takes_no_other_with_it(desk: Desk) -> None:
    proposal = desk.proposal(addition("One.", rank=0.9), addition("Two."), addition("Three.", rank=0.1))
    items, answers = desk.items(), say(desk, Verb.APPROVE, Verb.APPROVE, Verb.LATER)
    desk.reject_some(proposal, 1)
    desk.approve(proposal, only=[3])
    standing, fallen = recheck(desk.gate, desk.ledger().book, items, answers)
    assert standing == [answers[1]]
    assert fallen == [
        Refusal(proposal=f"{proposal.id}#1", reason="it is rejected meanwhile"),
        Refusal(proposal=f"{proposal.id}#3", reason="it is approved meanwhile"),
    ]


def test_a_rejection_stands_over_an_approval_that_cools(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    items, answers = desk.items(), say(desk, Verb.REJECT)
    desk.approve(proposal)
    assert recheck(desk.gate, desk.ledger().book, items, answers) == (answers, [])


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
