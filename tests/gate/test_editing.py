from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import MEMORY, Desk, addition, answers_to, make_desk

from nightledger.domain.errors import RefusedError
from nightledger.domain.proposal import HOLE, Op
from nightledger.domain.states import Book
from nightledger.gate.editing import propose_edit, recheck

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
TOLD = "Nebelhorn" + "4711"


def files_with(desk: Desk, text: str) -> list[Path]:
    """Name the files of the home that hold a text, blobs for undo apart."""
    paths = (path for path in Path(desk.home.root).rglob("*") if path.is_file())
    return [path for path in paths if text.encode() in path.read_bytes() and "blobs" not in path.parts]


def test_a_file_can_be_emptied_and_begun_anew(desk: Desk) -> None:
    (emptied,) = desk.edit(b"").changes
    assert desk.memory.read_bytes() == b""
    assert (emptied.op, emptied.before, emptied.section) == (Op.REMOVE, MEMORY, "MEMORY.md")
    (begun,) = desk.edit(b"a\n").changes
    assert desk.text() == "a\n"
    assert (begun.op, begun.after, begun.section) == (Op.ADD, "a\n", "")


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        (f"- Loft box password: {TOLD}\n", TOLD),
        (f"- The loft opens with {TOLD}.\n- Loft box password: {TOLD}\n", TOLD),
        (f"- one\n- relay token {SECRET}\n- two\n", SECRET),
    ],
)
def test_an_edit_that_takes_a_secret_out_leaves_it_in_no_record(desk: Desk, line: str, secret: str) -> None:
    desk.memory.write_text(MEMORY + line)
    (change,) = desk.edit(MEMORY.encode()).changes
    assert desk.text() == MEMORY
    assert files_with(desk, secret) == []
    assert HOLE * len(secret) in change.hunk.removed
    assert f"masked: {len(secret)} bytes" in change.diff


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
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


def test_an_answer_stands_only_for_the_bytes_that_were_shown_while_the_log_knows_them(desk: Desk) -> None:
    said, items, book = answers_to(desk.proposal(addition("One."))), desk.items(), desk.ledger().book
    other = [replace(item, stored=replace(item.stored, sha256="0" * 64)) for item in items]
    for shown, known, why in (
        (other, book, "it is not the proposal that was shown"),
        (items, Book(), "the log does not know it any more"),
    ):
        _, (fallen,) = recheck(desk.gate, known, shown, said)
        assert fallen.reason == why
