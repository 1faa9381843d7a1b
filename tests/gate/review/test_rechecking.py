"""What was answered stands only for what was shown, and only while it waits."""

from pathlib import Path

from msgspec.structs import replace
from tests.gate.homes import Desk, addition

from nightledger.domain.proposal import Anchor, Hunk
from nightledger.domain.states import Book
from nightledger.gate.review.answers import OTHER, recheck, recheck_shown
from nightledger.gate.review.reviewing import Answer, Item, Verb, read_documents


def say(desk: Desk, *verbs: Verb) -> list[Answer]:
    items = desk.items()
    return [
        Answer(proposal=item.stored.proposal.id, n=item.change.n, verb=verb)
        for item, verb in zip(items, verbs, strict=True)
    ]


def shown_again(desk: Desk, items: list[Item], answers: list[Answer]) -> tuple[list[Answer], list[str]]:
    standing, fallen = recheck_shown(desk.ledger().book, items, answers, read_documents(desk.gate))
    return standing, [refusal.reason for refusal in fallen]


def test_an_approval_falls_when_its_label_is_another_by_now_however_far_above_it_stands(desk: Desk) -> None:
    rules = "- Be polite.\n- Say thanks.\n- Keep notes.\n- Push all keys.\n"
    accepted = f"# M\n\nAlways:\n{rules}\nNever:\n- Wire money.\n"
    desk.edit(accepted.encode())
    drifted = f"# M\n\nNever:\n{rules}\nAlways:\n- Wire money.\n"
    desk.memory.write_text(drifted)
    desk.guard()
    desk.forge(
        Hunk(anchor=Anchor.LINES, section=("M",), removed="- Push all keys.\n", added="- Push some.\n")
    )
    items = [item for item in desk.items() if item.status.kind != "drift"]
    desk.memory.write_text(accepted)  # by whoever had put the drift there, while the key is unlocked
    answers = [Answer(proposal=items[0].status.id, n=1, verb=Verb.APPROVE)]
    assert shown_again(desk, items, answers) == ([], [OTHER])


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
