"""What is shown of a change follows from its hunk, whatever it says of itself."""

from tests.gate.homes import Desk, addition

from nightledger.domain.proposal import Change, Proposal
from nightledger.gate.review.reviewing import Answer, Verb


def made(desk: Desk) -> Change:
    return desk.dry_run_proposal(addition("Publish keys.")).changes[0]


def numbered_twice(desk: Desk) -> Proposal:
    """Put a proposal of two changes into the log that both have the number 1."""
    from nightledger.domain.proposal import Kind
    from nightledger.gate.proposing.proposing import Submission, submit_changes

    changes = [made(desk), desk.dry_run_proposal(addition("Be kind.")).changes[0]]
    submission = Submission(kind=Kind.BEHAVIOUR, lane="agent", period="2026-02-28", title="forged", drafts=())
    return submit_changes(desk.gate, desk.ledger(), submission, "MEMORY.md", changes, desk.moment)


def test_two_changes_of_one_number_are_shown_and_not_signed(desk: Desk) -> None:
    """Who answered one of them would sign both."""
    forged = numbered_twice(desk)
    items = desk.items()
    assert ["two changes of one number" in item.unplaced for item in items] == [True, True]
    assert ["+- Publish keys.\n" in items[0].diff, "+- Be kind.\n" in items[1].diff] == [True, True]
    decisions, refusals = desk.compose(Answer(proposal=forged.id, n=1, verb=Verb.APPROVE))
    assert (decisions, "two changes of one number" in refusals[0].reason) == ([], True)
