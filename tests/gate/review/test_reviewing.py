from tests.gate.homes import MEMORY, Desk, addition, removal

from nightledger.domain.proposal import Proposal
from nightledger.gate.review.reviewing import Answer, Verb
from nightledger.text.changes.whole import text_sha256

OLD = "- Keep backups for 30 days."


def yes(proposal: Proposal, *numbers: int) -> list[Answer]:
    return [Answer(proposal=proposal.id, n=n, verb=Verb.APPROVE) for n in numbers]


def test_accepted_changes_are_ordered_each_base_the_result_of_the_one_before(desk: Desk) -> None:
    first, second = desk.proposal(addition("One.")), desk.proposal(removal(OLD))
    decisions, refusals = desk.compose(*yes(second, 1), *yes(first, 1))
    assert not refusals
    assert [decision.proposal for decision in decisions] == [first.id, second.id]
    one, two = (decision.targets[0] for decision in decisions)
    assert one.base == text_sha256(MEMORY)
    assert two.base == one.result
    desk.approve(first, second)
    desk.wait(hours=3)
    desk.apply()
    assert text_sha256(desk.text()) == two.result


def test_rejections_of_one_reason_are_one_decision(desk: Desk) -> None:
    proposal = desk.proposal(*(addition(f"Lesson {n}.", rank=1 - n / 10) for n in range(4)))
    reasons = ["wrong", "old", "wrong"]
    answers = [
        Answer(proposal=proposal.id, n=n, verb=Verb.REJECT, reason=r) for n, r in enumerate(reasons, 1)
    ]
    decisions = desk.answer(*answers, *yes(proposal, 4))
    assert [(d.type.value, d.changes, d.reason) for d in decisions] == [
        ("approve", (4,), ""),
        ("reject", (1, 3), "wrong"),
        ("reject", (2,), "old"),
    ]
    assert decisions[1].targets == ()
    assert decisions[1].not_before == desk.moment.at
    assert desk.states(proposal) == ["rejected", "rejected", "rejected", "approved"]
