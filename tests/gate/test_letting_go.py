"""Drafts of the pruner: what does not fit, and why."""

from msgspec.structs import replace
from tests.gate.forgetting_desk import (
    ARCHIVE,
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

from nightledger.domain.judge import MOST_DELETIONS
from nightledger.domain.proposal import Change, Draft
from nightledger.gate.drafting import change_diff, fate_lines
from nightledger.gate.placing import put_change
from nightledger.gate.removals import compression
from nightledger.gate.reviewing import Documents


def why(desk: Desk, *drafts: Draft) -> str:
    """Give why the only draft has no place."""
    outcome = prune(desk, *drafts)
    assert outcome.proposal is None
    (unfit,) = outcome.unfit
    return unfit.reason


def test_a_summary_stands_for_its_log_only_where_it_is_shorter_and_points_to_a_copy_of_it(desk: Desk) -> None:
    good, elsewhere = compress(desk, LOG), "memory/archive/daily/2026-01-09.md"
    assert "changed since" in why(desk, replace(good, also=()))
    assert "not UTF-8" in why(desk, replace(good, after=f"{good.after}\udcff\n"))
    for summary in ("# Short\n", summary_of(LOG, FULL, elsewhere)):
        draft = compression(LOG, FULL, summary, COPY, grounds())
        assert why(desk, draft) == "its summary does not point to its full text"
    put(desk, COPY, b"other\n")
    assert why(desk, good) == f"{COPY} holds other bytes"
    assert why(desk, compress(desk, LOG, b"- Short.\n")) == "its summary is not shorter than it is"


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


def diff_of(desk: Desk, change: Change) -> str:
    documents = Documents(desk.gate)
    after = put_change(documents, change)
    assert not isinstance(after, str)
    return change_diff(documents, after, change, told=frozenset())


def test_whatever_else_would_go_to_the_archive_is_in_the_diff(desk: Desk) -> None:
    change = pruned(desk, *archive(desk, "backups")).changes[0]
    (part,) = change.also
    forged = replace(change, also=(replace(part, hunk=replace(part.hunk, added="## Other\n\nElse.\n")),))
    assert fate_lines(forged) == [f"archived to {ARCHIVE}; what is written there is in the diff"]
    assert f"+++ b/{ARCHIVE}" in diff_of(desk, forged)
    assert "+Else." in diff_of(desk, forged)
