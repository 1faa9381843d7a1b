"""A signed change does to the lines around it what it was shown to do, and to no others."""

import pytest
from tests.gate.homes import Desk

from nightledger.domain.proposal import Anchor, Hunk, Proposal
from nightledger.gate.apply.planning import MOVED
from nightledger.gate.review.rechecking import recheck_shown
from nightledger.gate.review.reviewing import Answer, Item, Verb, read_documents

RULES = "# M\n\n## Rules\n\n"
FAR = "- One.\n- Two.\n- Three.\n- Four.\n"
TABLE = "|---|---|\n| a | b |\n| c | d |\n| e | f |\n| g | h |\n"
PARENT = f"{RULES}- Never do\n  - Push keys.\n- Ask.\n"
TRICKS = {
    "a line below the one that changes is hidden": (
        PARENT,
        f"{RULES}- Never do\n- Ask.\n",
        ("- Never do\n", "- Always do\n"),
    ),
    "the line above a nested one is another": (
        f"{RULES}- Always do\n- Ask.\n",
        f"{RULES}- Never do\n- Ask.\n",
        ("- Ask.\n", "  - Push keys.\n"),
    ),
    "a fence is opened far above": (
        f"{RULES}{FAR}- Ask.\n",
        f"{RULES}```\n{FAR}- Ask.\n```\n",
        ("- Ask.\n", "- Push keys.\n"),
    ),
    "a comment is opened far above": (
        f"{RULES}{FAR}- Ask.\n",
        f"{RULES}<!--\n{FAR}- Ask.\n-->\n",
        ("- Ask.\n", "- Push keys.\n"),
    ),
    "the first row of a table is another": (
        f"{RULES}| always | never |\n{TABLE}",
        f"{RULES}| never | always |\n{TABLE}",
        ("| g | h |\n", "| push keys | be kind |\n"),
    ),
    "the end of a sentence is hidden": (
        f"{RULES}Never\nunder any terms\nshare keys.\n",
        f"{RULES}Never\nunder any terms\n",
        ("Never\n", "Always\n"),
    ),
    "the end of an item's sentence is hidden": (
        f"{RULES}- Never\n  under any terms\n  share keys\n- Ask.\n",
        f"{RULES}- Never\n  under any terms\n- Ask.\n",
        ("  under any terms\n", "  mind, you may\n"),
    ),
    "what is indented by other blanks is hidden": (
        f"{RULES}- Never do\n\N{NO-BREAK SPACE} - Push keys.\n- Ask.\n",
        f"{RULES}- Never do\n- Ask.\n",
        ("- Never do\n", "- Always do\n"),
    ),
    "a line below a quoted item is hidden": (
        f"{RULES}> - Never do\n>   - Push keys.\n> - Ask.\n",
        f"{RULES}> - Never do\n> - Ask.\n",
        ("> - Never do\n", "> - Always do\n"),
    ),
    "a heading that is none to Markdown is another": (
        f"{RULES}<h2>Always</h2>\n\n{FAR}- Ask.\n",
        f"{RULES}<h2>Never</h2>\n\n{FAR}- Ask.\n",
        ("- Ask.\n", "- Push keys.\n"),
    ),
    "a tag becomes a comment": (
        f"{RULES}<div>\n{FAR}- Ask.\n</div>\n",
        f"{RULES}<!--\n{FAR}- Ask.\n-->\n",
        ("- Ask.\n", "- Push keys.\n"),
    ),
}
"""What was accepted, what drifted, and a change that an agent proposes."""


def shown(desk: Desk, accepted: str, drifted: str, words: tuple[str, str]) -> tuple[Proposal, list[Item]]:
    """Let a change be shown against what drifted."""
    desk.edit(accepted.encode())
    desk.memory.write_text(drifted)
    desk.guard()
    removed, added = words
    made = desk.forge(Hunk(anchor=Anchor.EXACT, section=("M", "Rules"), removed=removed, added=added))
    return made, [item for item in desk.items() if item.status.id == made.id]


@pytest.mark.parametrize("trick", TRICKS)
def test_what_was_shown_beside_drift_that_is_put_back_later_is_asked_again(desk: Desk, trick: str) -> None:
    accepted, drifted, words = TRICKS[trick]
    made, _ = shown(desk, accepted, drifted, words)
    desk.approve(made)
    desk.memory.write_text(accepted)
    desk.wait(hours=3)
    (attempt,) = desk.apply(made)
    assert attempt.stale == ((1, MOVED),)
    assert desk.text() == accepted


def test_a_change_beside_drift_of_another_list_goes_on(desk: Desk) -> None:
    made, _ = shown(
        desk, PARENT, f"{PARENT}\n## Notes\n\n- Drifted.\n", ("- Never do\n", "- Never ever do\n")
    )
    desk.approve(made)
    desk.wait(hours=3)
    (attempt,) = desk.apply(made)
    assert attempt.changes == (1,)
    assert desk.text().startswith(f"{RULES}- Never ever do\n  - Push keys.\n")


BARE = "# M\n\n## Never\n\n- Curse.\n\n## Always\n\n- Alpha.\n- Mid.\n- Ask.\n"
LENT = "# M\n\n## Never\n\n- Curse.\n- Alpha.\n- Ask.\n\n## Always\n\n- Beta.\n- Mid.\n- Zed.\n- Ask.\n"


def resting(desk: Desk) -> tuple[Proposal, list[Item]]:
    """Let two changes be shown beside drift, without which the second has a place only once the first is made."""
    desk.edit(BARE.encode())
    desk.memory.write_text(LENT)
    desk.guard()
    made = desk.forge(
        Hunk(anchor=Anchor.EXACT, section=("M", "Always"), removed="- Mid.\n", added=""),
        Hunk(
            anchor=Anchor.EXACT,
            section=("M", "Never"),
            removed="- Ask.\n",
            added="- Push keys.\n",
            context_before="- Alpha.\n",
        ),
    )
    return made, [item for item in desk.items() if item.status.id == made.id]


def test_what_has_a_place_only_by_another_change_is_not_signed_where_it_was_shown_alone(desk: Desk) -> None:
    made, items = resting(desk)
    desk.settle(take_back=[change.n for change in desk.drift().changes])
    answers = [Answer(proposal=made.id, n=n, verb=Verb.APPROVE) for n in (1, 2)]
    documents = read_documents(desk.gate)
    same, fallen = recheck_shown(desk.gate, desk.ledger().book, items, answers, documents)
    assert [answer.n for answer in same] == [1]
    assert [refusal.proposal for refusal in fallen] == [f"{made.id}#2"]


NEVER_TWICE = "# M\n\n## Always\n\nAsk.\n\n## Never\n\nCurse.\n\n## Never\n\n"
PUSH = "Push keys.\n"


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
