"""A signed change does to the lines around it what it was shown to do, and to no others."""

import pytest
from tests.gate.homes import Desk

from nightledger.domain.proposal import Anchor, Hunk, Proposal
from nightledger.gate.apply.planning import MOVED
from nightledger.gate.review.reviewing import Item


def shown(desk: Desk, accepted: str, drifted: str, words: tuple[str, str]) -> tuple[Proposal, list[Item]]:
    """Let a change be shown against what drifted."""
    desk.edit(accepted.encode())
    desk.memory.write_text(drifted)
    desk.guard()
    removed, added = words
    made = desk.forge(Hunk(anchor=Anchor.EXACT, section=("M", "Rules"), removed=removed, added=added))
    return made, [item for item in desk.items() if item.status.id == made.id]


BARE = "# M\n\n## Never\n\n- Curse.\n\n## Always\n\n- Alpha.\n- Mid.\n- Ask.\n"


NEVER_TWICE = "# M\n\n## Always\n\nAsk.\n\n## Never\n\nCurse.\n\n## Never\n\n"
PUSH = "Push keys.\n"


def test_what_was_signed_without_a_place_of_its_own_is_asked_again_where_its_file_is_another(
    desk: Desk,
) -> None:
    desk.edit(BARE.encode())
    place = ("M", "Always")
    made = desk.forge(
        Hunk(anchor=Anchor.EXACT, section=place, removed="- Mid.\n", added="- Middle.\n"),
        Hunk(
            anchor=Anchor.EXACT, section=place, removed="", added="- Extra.\n", context_before="- Middle.\n"
        ),
    )
    desk.approve(made)
    desk.edit(BARE.replace("Curse", "Swear").encode())
    desk.wait(hours=3)
    (attempt,) = desk.apply(made)
    assert attempt.stale == ((2, MOVED),)
    assert "- Middle.\n- Ask." in desk.text()


def headings_that_go(desk: Desk) -> Proposal:
    """Let two changes each take one of two like headings out, while what stands under them is hidden."""
    desk.edit((NEVER_TWICE + PUSH).encode())
    desk.memory.write_text(NEVER_TWICE)
    desk.guard()
    section = ("M", "Never")
    made = desk.forge(
        Hunk(
            anchor=Anchor.EXACT,
            section=section,
            removed="## Never\n",
            added="",
            context_before="Curse.\n\n",
        ),
        Hunk(anchor=Anchor.EXACT, section=section, removed="## Never\n\nCurse.\n\n", added=""),
    )
    desk.approve(made)
    desk.wait(hours=3)
    return made


@pytest.mark.parametrize("put_back", [True, False])
def test_changes_that_only_together_put_a_hidden_line_elsewhere_are_not_made_together(
    desk: Desk, *, put_back: bool
) -> None:
    made = headings_that_go(desk)
    if put_back:
        desk.memory.write_text(NEVER_TWICE + PUSH)
    (attempt,) = desk.apply(made)
    assert (attempt.changes, attempt.stale) == ((1,), ((2, MOVED),))
    desk.guard()
    if not put_back:
        desk.settle(take_back=[change.n for change in desk.drift().changes])
    assert desk.text().index("## Never") < desk.text().index(PUSH)
