import os
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import MEMORY, Desk, addition, make_desk

from nightledger.domain.proposal import Proposal
from nightledger.gate.stored import with_id

LESSON = "Set the zone in every timer."


def ready(desk: Desk, *texts: str) -> Proposal:
    """Propose additions, approve them, and let them cool."""
    proposal = desk.proposal(*(addition(text) for text in texts or (LESSON,)))
    desk.approve(proposal)
    desk.wait(hours=3)
    return proposal


@pytest.mark.parametrize("memory", [None, b""])
def test_a_memory_file_that_is_missing_or_empty_is_begun_by_the_first_signed_change(
    tmp_path: Path, memory: bytes | None
) -> None:
    desk = make_desk(tmp_path, memory=memory)
    proposal = desk.proposal(addition(LESSON))
    assert desk.memory.exists() == (memory is not None)
    desk.approve(proposal)
    desk.wait(hours=3)
    assert desk.apply()[0].changes == (1,)
    assert desk.text().endswith(f"- {LESSON}\n")
    desk.undo(proposal)
    assert desk.memory.read_bytes() == b""


def test_a_directory_that_may_not_be_written_is_named_before_anything_is_logged(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready(desk)
    before = desk.events()
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    attempt = desk.apply()[0]
    assert attempt.reasons == (f"{desk.home.root} may not be written by this user",)
    assert desk.events() == before
    monkeypatch.undo()
    assert desk.apply()[0].changes == (1,)


def test_a_decision_over_other_hunks_than_those_of_its_proposal_puts_nothing_in(desk: Desk) -> None:
    (decision,), _ = desk.compose_all(desk.proposal(addition(LESSON)))
    other = tuple(replace(target, hunks_sha256="0" * 64) for target in decision.targets)
    desk.accept(with_id(replace(decision, targets=other)))
    desk.wait(hours=3)
    assert desk.apply()[0].reasons == ("the changes to MEMORY.md are not those that were signed",)
    assert desk.text() == MEMORY
