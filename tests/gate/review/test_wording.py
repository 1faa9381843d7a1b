"""What is shown of a change follows from its hunk, whatever it says of itself."""

from dataclasses import replace

import pytest
from tests.gate.homes import Desk, addition

from nightledger.domain.kept import LINKS
from nightledger.domain.proposal import Anchor, Change, Hunk, Op
from nightledger.gate.review.wording import worded


def made(desk: Desk) -> Change:
    return desk.dry_run_proposal(addition("Publish keys.")).changes[0]


def with_hunk(change: Change, op: Op, removed: str, added: str) -> Change:
    hunk = Hunk(anchor=Anchor.EXACT, section=(), removed=removed, added=added)
    return replace(change, op=op, section="", before=removed, after=added, hunk=hunk)


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
