"""Drafts of the pruner: what does not fit, and why."""

import pytest
from msgspec.structs import replace
from tests.gate.forgetting_desk import (
    COPY,
    FULL,
    LOG,
    archive,
    compress,
    forget,
    grounds,
    prune,
    pruned,
    put,
    summary_of,
)
from tests.gate.homes import Desk

from nightledger.domain.lanes import MOST_DELETIONS
from nightledger.domain.proposal import Draft
from nightledger.gate.forgetting.letting_go import compression


def why(desk: Desk, *drafts: Draft) -> str:
    """Give why the only draft has no place."""
    outcome = prune(desk, *drafts)
    assert outcome.proposal is None
    (unfit,) = outcome.unfit
    return unfit.reason


def test_a_compression_without_a_copy_is_refused(desk: Desk) -> None:
    assert "changed since" in why(desk, replace(compress(desk, LOG), also=()))


def test_a_summary_must_be_shorter_than_its_log(desk: Desk) -> None:
    assert why(desk, compress(desk, LOG, b"- Short.\n")) == "its summary is not shorter than it is"


@pytest.mark.parametrize(
    "summary", ["# Short\n", summary_of(LOG, FULL, "memory/archive/daily/2026-01-09.md")]
)
def test_a_summary_must_point_to_its_full_text(desk: Desk, summary: str) -> None:
    put(desk, LOG, FULL)
    draft = compression(LOG, FULL, summary, COPY, grounds())
    assert why(desk, draft) == "its summary does not point to its full text"


def test_a_summary_that_is_not_text_is_refused(desk: Desk) -> None:
    draft = compress(desk, LOG)
    assert "not UTF-8" in why(desk, replace(draft, after=f"{draft.after}\udcff\n"))


def test_a_copy_that_holds_other_bytes_by_now_is_named(desk: Desk) -> None:
    draft = compress(desk, LOG)
    put(desk, COPY, b"other\n")
    assert why(desk, draft) == f"{COPY} holds other bytes"


def test_a_copy_beside_the_archive_is_refused(desk: Desk) -> None:
    put(desk, LOG, FULL)
    other = "memory/daily/2026-01-02.md"
    draft = compression(LOG, FULL, summary_of(LOG, FULL, other), other, grounds())
    assert why(desk, draft) in (
        "its summary does not point to its full text",
        "a compression copies its log, as it is, to one file in memory/archive/daily",
    )


def test_at_most_ten_deletions_of_links_wait(desk: Desk) -> None:
    for n in range(MOST_DELETIONS):
        pruned(desk, forget(f"a{n} + b{n}"))
    outcome = prune(desk, forget("x + y"))
    assert (outcome.proposal, outcome.no_room) == (None, 1)
    assert prune(desk, *archive(desk, "backups")).proposal is not None


def test_what_one_entry_of_the_log_cannot_name_waits_for_the_next_proposal(desk: Desk) -> None:
    drafts = [compress(desk, f"memory/2026-01-02-{'x' * 200}-{n}.md") for n in range(52)]
    outcome = prune(desk, *drafts)
    assert outcome.proposal is not None
    assert 40 < len(outcome.proposal.changes) < 52
    assert outcome.no_room == 52 - len(outcome.proposal.changes)
    desk.approve(outcome.proposal)
    desk.wait(hours=3)
    assert len(desk.apply()[0].changes) == len(outcome.proposal.changes)


def test_only_the_entry_as_it_stands_goes_to_the_archive(desk: Desk) -> None:
    (draft,) = archive(desk, "backups")
    (part,) = draft.also
    forged = replace(part, hunk=replace(part.hunk, added="## Other\n\n- Something else.\n\nArchived x\n"))
    assert (
        why(desk, replace(draft, also=(forged,)))
        == "what would go to the archive is not the entry as it stands"
    )
    assert "not the entry as it stands" in why(desk, replace(draft, also=()))
