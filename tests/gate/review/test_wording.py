"""What is shown of a change follows from its hunk, whatever it says of itself."""

from dataclasses import replace

import pytest
from tests.gate.homes import Desk, addition, removal

from nightledger.domain.kept import LINKS
from nightledger.domain.proposal import Anchor, Change, Hunk, Op, Proposal
from nightledger.gate.review.reviewing import Answer, Verb
from nightledger.gate.review.wording import worded

OLD = "- Keep backups for 30 days."


def made(desk: Desk) -> Change:
    return desk.dry_run_proposal(addition("Publish keys.")).changes[0]


def with_hunk(change: Change, op: Op, removed: str, added: str) -> Change:
    hunk = Hunk(anchor=Anchor.EXACT, section=(), removed=removed, added=added)
    return replace(change, op=op, section="", before=removed, after=added, hunk=hunk)


def test_what_the_gate_makes_reads_as_it_is_written(desk: Desk) -> None:
    proposal = desk.dry_run_proposal(addition("Publish keys."), removal(OLD))
    assert [worded(change) for change in proposal.changes] == list(proposal.changes)


def test_a_change_whose_words_are_others_is_shown_by_its_hunk(desk: Desk) -> None:
    change = made(desk)
    told = worded(replace(change, op=Op.REMOVE, section="Never", before="- old\n", after="- Be kind."))
    assert told == replace(change, after="- Publish keys.\n")


@pytest.mark.parametrize(
    ("op", "removed", "added", "shown"),
    [
        (Op.ADD, "- a\n", "- b\n", Op.REPLACE),
        (Op.ADD, "- a\n", "\n", Op.REPLACE),
        (Op.REMOVE, "- a\n", "\n", Op.REMOVE),
        (Op.ADD, "- a\n", "", Op.REMOVE),
        (Op.REMOVE, "", "- b\n", Op.ADD),
        (Op.REPLACE, "", "- b\n", Op.ADD),
        (Op.ADD, "\n", "- b\n", Op.ADD),
        (Op.REMOVE, "", "", Op.ADD),
        (Op.ARCHIVE, "- a\n", "", Op.ARCHIVE),
    ],
)
def test_what_is_said_to_be_done_is_what_the_hunk_does(
    op: Op, removed: str, added: str, shown: Op, desk: Desk
) -> None:
    assert worded(with_hunk(made(desk), op, removed, added)).op is shown


def test_a_link_is_shown_by_the_name_that_is_signed(desk: Desk) -> None:
    hunk = Hunk(anchor=Anchor.LINK, section=(), removed="cron + timezone")
    honest = replace(
        made(desk),
        op=Op.DELETE_LINK,
        target=LINKS,
        section="",
        before="cron + timezone: 3 seen",
        after="",
        hunk=hunk,
    )
    assert worded(honest) == honest
    assert worded(replace(honest, before="cat + dog: 3 seen")).before == "cron + timezone"


def test_of_a_compressed_log_nothing_is_said_to_go_but_its_lines_stay_those_of_the_hunk(desk: Desk) -> None:
    hunk = Hunk(anchor=Anchor.WHOLE, section=(), removed="ab" * 32, added="# Short\n")
    honest = replace(made(desk), op=Op.COMPRESS, section="", before="", after="# Short\n", hunk=hunk)
    assert worded(honest) == honest
    assert worded(replace(honest, before="x", after="# Other\n")) == honest


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
