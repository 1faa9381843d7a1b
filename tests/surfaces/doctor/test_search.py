"""Doctor on the search index: what a hook at a prompt would make of it."""

import os
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition, make_desk
from tests.recall.asking import put

from nightledger.recall.indexing import refresh
from nightledger.surfaces.doctor.around import check_search
from nightledger.surfaces.doctor.checks import Check, State


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path)


def bring_up_to_date(desk: Desk) -> None:
    refresh(desk.gate, desk.ledger(), desk.moment).store.close()


def only(desk: Desk) -> Check:
    (check,) = check_search(desk.home)
    return check


def test_without_an_index_hooks_say_nothing(desk: Desk) -> None:
    found = only(desk)
    assert found.state is State.NOTE
    assert "no search index yet; until then prompt hooks say nothing" in found.message
    assert "nightledger stage" in found.fix


def test_an_index_that_is_up_to_date_is_well(desk: Desk) -> None:
    bring_up_to_date(desk)
    assert only(desk).state is State.GOOD
    put(desk, "memory/2026-02-28.md", "- lilac\n")  # hooks speak of no log
    assert only(desk).state is State.GOOD


def test_what_the_log_says_since_is_told(desk: Desk) -> None:
    put(desk, "memory/state/session-handoff.md", "# Next\n\n- [ ] Paint the fence\n")
    bring_up_to_date(desk)
    made = desk.proposal(addition("Paint the garden fence green"))
    assert only(desk).state is State.GOOD
    desk.approve(made)
    assert "older than the audit log; until then prompt hooks say nothing" in only(desk).message
    bring_up_to_date(desk)
    assert only(desk).state is State.GOOD


def test_a_file_that_changed_since_is_named(desk: Desk) -> None:
    bring_up_to_date(desk)
    put(desk, "memory/state/session-handoff.md", "# Next\n\n- [ ] Paint the fence\n")
    assert "has not seen memory/state/session-handoff.md as it is now" in only(desk).message
    bring_up_to_date(desk)
    os.utime(desk.home.memory_md, (1, 1))
    assert "has not seen MEMORY.md as it is now" in only(desk).message
