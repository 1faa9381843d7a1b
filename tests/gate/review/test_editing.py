from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import MEMORY, Desk, make_desk, removal

from nightledger.domain.errors import RefusedError
from nightledger.domain.proposal import Op
from nightledger.gate.review.editing import propose_edit, revise
from nightledger.gate.stored import read_proposal
from nightledger.text.changes.veil import HOLE

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
TOLD = "Nebelhorn" + "4711"


def files_with(desk: Desk, text: str) -> list[str]:
    """Name the files of the home that hold a text, blobs for undo apart."""
    paths = (path for path in Path(desk.home.root).rglob("*") if path.is_file())
    return sorted(
        str(path.relative_to(desk.home.root))
        for path in paths
        if text.encode() in path.read_bytes() and "blobs" not in path.parts
    )


def test_a_file_can_be_emptied_and_begun_anew(desk: Desk) -> None:
    emptied = desk.edit(b"")
    assert desk.memory.read_bytes() == b""
    assert [(c.op, c.before, c.section) for c in emptied.changes] == [(Op.REMOVE, MEMORY, "MEMORY.md")]
    begun = desk.edit(b"a\n")
    assert desk.text() == "a\n"
    assert [(c.op, c.after, c.section) for c in begun.changes] == [(Op.ADD, "a\n", "")]


def test_of_lines_that_stand_twice_the_one_that_was_shown_is_reworded(desk: Desk) -> None:
    desk.memory.write_text("# M\n\n## A\n\n- same\n\n## B\n\n- same\n")
    proposal = desk.proposal(replace(removal("- same"), line=9))
    stored = read_proposal(desk.gate, desk.ledger().book.proposals[proposal.id])
    made = revise(desk.gate, desk.ledger(), stored, 1, "- other", desk.moment).proposal
    assert made is not None
    assert made.changes[0].section == "M > B"
    assert "-- same\n+- other\n" in made.changes[0].diff


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        (f"- relay token {SECRET}\n", SECRET),
        (f"- Loft box password: {TOLD}\n", TOLD),
        (f"- The loft opens with {TOLD}.\n- Loft box password: {TOLD}\n", TOLD),
        (f"- one\n- relay token {SECRET}\n- two\n", SECRET),
    ],
)
def test_an_edit_that_takes_a_secret_out_leaves_it_in_no_record(desk: Desk, line: str, secret: str) -> None:
    desk.memory.write_text(MEMORY + line)
    proposal = desk.edit(MEMORY.encode())
    assert desk.text() == MEMORY
    assert files_with(desk, secret) == []
    (change,) = proposal.changes
    assert HOLE * len(secret) in change.hunk.removed
    assert f"masked: {len(secret)} bytes" in change.diff


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("", f"- token {SECRET}\n", "the scanner secret."),
        (f"- token {SECRET}\n- one\n- two\n", f"- one\n- two\n- token {SECRET}\n", "a line with a secret"),
        (f"- password: {TOLD}\n", f"- password: {TOLD}\n- It takes {TOLD}.\n", "at line 13 it puts in"),
    ],
)
def test_an_edit_that_would_copy_a_secret_leaves_nothing_behind(
    tmp_path: Path, before: str, after: str, why: str
) -> None:
    desk = make_desk(tmp_path, memory=(MEMORY + before).encode())
    events = desk.events()
    with pytest.raises(RefusedError, match=why):
        propose_edit(desk.gate, desk.ledger(), "MEMORY.md", (MEMORY + after).encode(), desk.moment)
    assert desk.events() == events
    assert list(Path(desk.home.proposals_dir).glob("p-*")) == []


def test_the_blank_lines_that_its_removal_took_along_stay_when_it_is_reworded(tmp_path: Path) -> None:
    line = f"- relay token {SECRET}"
    desk = make_desk(tmp_path, memory=f"{MEMORY}\n{line}\n\nThe end.\n".encode())
    proposal = desk.proposal(replace(removal(line), statement_key="remove the token"))
    assert proposal.changes[0].hunk.removed.endswith("\n\n")
    stored = read_proposal(desk.gate, desk.ledger().book.proposals[proposal.id])
    outcome = revise(desk.gate, desk.ledger(), stored, 1, "- see the vault\n", desk.moment)
    assert outcome.proposal is not None
    desk.approve(outcome.proposal)
    desk.wait(hours=3)
    desk.apply(outcome.proposal)
    assert desk.text() == f"{MEMORY}\n- see the vault\n\nThe end.\n"
