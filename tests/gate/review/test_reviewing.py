from pathlib import Path

from tests.gate.homes import MEMORY, Desk, addition, removal

from nightledger.domain.decision import DecisionType
from nightledger.domain.proposal import Proposal
from nightledger.gate.proposing.hunks import hunks_sha256
from nightledger.gate.review.reviewing import Answer, Verb, items_of, read_documents
from nightledger.text.changes.whole import text_sha256

OLD = "- Keep backups for 30 days."


def yes(proposal: Proposal, *numbers: int) -> list[Answer]:
    return [Answer(proposal=proposal.id, n=n, verb=Verb.APPROVE) for n in numbers]


def test_what_waits_is_shown_against_the_file_as_it_is_now(desk: Desk) -> None:
    first = desk.proposal(addition("One.", rank=0.9), removal(OLD))
    second = desk.proposal(addition("Two."))
    desk.memory.write_text(MEMORY.replace("# MEMORY.md\n", "# MEMORY.md\n\nA new line.\n"))
    items = desk.items()
    assert [(item.stored.proposal.id, item.change.n) for item in items] == [
        (first.id, 1),
        (first.id, 2),
        (second.id, 1),
    ]
    assert "+- One.\n" in items[0].diff
    assert f"-{OLD}\n" in items[1].diff
    assert "@@ -4,8 +4,6 @@" in items[1].diff
    assert not any(item.unplaced for item in items)


def test_what_has_no_place_now_says_so_and_has_no_diff(desk: Desk) -> None:
    desk.proposal(removal(OLD))
    desk.memory.write_text("# MEMORY.md\n")
    (item,) = desk.items()
    assert (item.diff, item.unplaced.partition(";")[0]) == (
        "",
        "its lines are no longer in the file as they were",
    )


def test_what_is_answered_is_not_shown_and_an_edit_never_is(desk: Desk) -> None:
    proposal = desk.proposal(addition("One.", rank=0.9), addition("Two."))
    desk.approve(proposal, only=[1])
    desk.edit((MEMORY + "by hand\n").encode())
    assert [item.change.n for item in desk.items()] == [2]
    status = desk.ledger().book.proposals[proposal.id]
    documents = read_documents(desk.gate)
    assert [i.change.n for i in items_of(desk.gate, status, DecisionType.REJECT, documents)] == [1, 2]
    assert items_of(desk.gate, status, DecisionType.UNDO, documents) == []


def test_a_proposal_edited_by_hand_is_not_shown(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    path = Path(desk.home.proposal(proposal.id))
    path.write_bytes(path.read_bytes().replace(b"One.", b"Two."))
    other = desk.proposal(addition("Three."))
    assert [item.stored.proposal for item in desk.items()] == [other]


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


def test_hashed_is_what_was_shown(desk: Desk) -> None:
    proposal = desk.proposal(addition("One.", rank=0.9), addition("Two."))
    decisions, _ = desk.compose(*yes(proposal, 2))
    assert decisions[0].changes == (2,)
    assert decisions[0].targets[0].hunks_sha256 == hunks_sha256([proposal.changes[1].hunk])
    assert decisions[0].targets[0].hunks_sha256 != hunks_sha256([proposal.changes[0].hunk])


def test_partial_approval_leaves_the_rest_pending(desk: Desk) -> None:
    proposal = desk.proposal(*(addition(f"Lesson {n}.", rank=1 - n / 10) for n in range(3)))
    desk.approve(proposal, only=[1, 3])
    assert desk.states(proposal) == ["approved", "pending", "approved"]


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


def test_later_signs_nothing(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    assert desk.compose(Answer(proposal=proposal.id, n=1, verb=Verb.LATER)) == ([], [])


def test_changes_that_do_not_fit_are_refused_and_the_others_signed(desk: Desk) -> None:
    gone, fits = desk.proposal(removal(OLD)), desk.proposal(addition("One."))
    desk.memory.write_text("# MEMORY.md\n\n## Lessons\n\n- x\n")
    decisions, refusals = desk.compose(*yes(gone, 1), *yes(fits, 1))
    assert [(r.proposal, r.reason) for r in refusals] == [
        (gone.id, "its lines are no longer in the file as they were")
    ]
    assert [decision.proposal for decision in decisions] == [fits.id]


def test_over_the_cap_an_addition_is_signed_only_with_removals_of_its_size(desk: Desk) -> None:
    proposal = desk.proposal(addition("Short one.", rank=0.9), removal(OLD))
    desk.set(cap_characters={"generic": 20})
    _, refusals = desk.compose(*yes(proposal, 1))
    assert refusals[0].reason.endswith(
        "its host shows 20 (cap_characters.generic in config/nightledger/nightledger.yaml): approve removals with it"
    )
    decisions, refusals = desk.compose(*yes(proposal, 1, 2))
    assert not refusals
    assert decisions[0].changes == (1, 2)


def test_an_edit_does_not_cool_and_an_approval_does(desk: Desk) -> None:
    desk.edit((MEMORY + "by hand\n").encode())
    assert desk.text() == MEMORY + "by hand\n"
    decisions, _ = desk.compose_all(desk.proposal(addition("One.")))
    assert (decisions[0].not_before - desk.moment.at).total_seconds() == 7200
