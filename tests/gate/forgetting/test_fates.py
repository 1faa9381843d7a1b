"""What goes where, in the diff and in a line or two."""

from dataclasses import replace

from tests.gate.forgetting_desk import ARCHIVE, COPY, FULL, LOG, archive, compress, forget, pruned, put
from tests.gate.homes import Desk, addition

from nightledger.domain.decision import DecisionType
from nightledger.domain.proposal import Change
from nightledger.gate.apply.parts import put_change
from nightledger.gate.forgetting.fates import change_diff, fate_lines
from nightledger.gate.review.reviewing import Documents, items_of, read_documents


def diff_of(desk: Desk, change: Change) -> str:
    documents = Documents(desk.home)
    after = put_change(documents, change)
    assert not isinstance(after, str)
    return change_diff(documents, after, change, told=frozenset())


def test_an_archival_shows_what_goes_and_the_line_that_is_written_below_it(desk: Desk) -> None:
    change = pruned(desk, *archive(desk, "backups")).changes[0]
    assert fate_lines(change) == [
        f"archived to {ARCHIVE}, as it stands here; below it is written:",
        f"Archived 2026-03-01 from MEMORY.md, entry {change.entry}: Resolved on 2025-11-02.",
    ]
    assert change.diff == diff_of(desk, change)
    assert "-- Keep backups for 30 days.\n" in change.diff
    assert ARCHIVE not in change.diff


def test_whatever_else_would_go_to_the_archive_is_in_the_diff(desk: Desk) -> None:
    change = pruned(desk, *archive(desk, "backups")).changes[0]
    (part,) = change.also
    forged = replace(change, also=(replace(part, hunk=replace(part.hunk, added="## Other\n\nElse.\n")),))
    assert fate_lines(forged) == [f"archived to {ARCHIVE}; what is written there is in the diff"]
    assert f"+++ b/{ARCHIVE}" in diff_of(desk, forged)
    assert "+Else." in diff_of(desk, forged)


def test_a_compression_names_lines_and_hash_and_shows_the_summary_in_full(desk: Desk) -> None:
    change = pruned(desk, compress(desk, LOG)).changes[0]
    assert fate_lines(change) == [
        f"full text moves to {COPY}: 42 lines, SHA-256 {change.hunk.removed}",
        "the log keeps these 5 lines:",
    ]
    assert change.diff == diff_of(desk, change)
    assert f"@@ -1,42 +1,5 @@ its 42 lines move to {COPY}\n+# Short\n" in change.diff
    assert "-- Step 1 " not in change.diff
    bare = replace(change, hunk=replace(change.hunk, added="# Short"))
    assert fate_lines(bare)[0] == f"full text moves to {COPY}: SHA-256 {change.hunk.removed}"
    assert diff_of(desk, bare).endswith("+# Short\n\\ No newline at end of file\n")


def test_a_deletion_names_the_link_and_that_it_may_come_again(desk: Desk) -> None:
    change = pruned(desk, forget()).changes[0]
    assert fate_lines(change) == [
        "the link cron + timezone is forgotten: 1 co-occurrence, last seen 2026-01-02; later outcomes start it anew"
    ]
    assert change.diff == diff_of(desk, change)
    assert change.diff.endswith("-cron + timezone: 1 co-occurrence, last seen 2026-01-02\n")


def test_a_change_of_text_goes_nowhere_else(desk: Desk) -> None:
    change = desk.proposal(addition("One.")).changes[0]
    assert fate_lines(change) == []
    assert diff_of(desk, change) == change.diff


def test_a_log_that_cannot_be_read_any_more_is_shown_with_the_reason(desk: Desk) -> None:
    proposal = pruned(desk, compress(desk, LOG))
    put(desk, "memory/real.md", FULL)
    desk.memory.parent.joinpath(LOG).unlink()
    desk.memory.parent.joinpath(LOG).symlink_to(desk.home.path("memory/real.md"))
    status = desk.ledger().book.proposals[proposal.id]
    (item,) = items_of(desk.gate, status, DecisionType.APPROVE, read_documents(desk.gate))
    assert "reached through a link" in item.unplaced
    assert item.diff == ""


def test_a_log_that_became_a_link_since_it_was_signed_is_asked_again(desk: Desk) -> None:
    proposal = pruned(desk, compress(desk, LOG))
    desk.approve(proposal)
    put(desk, "memory/real.md", FULL)
    desk.memory.parent.joinpath(LOG).unlink()
    desk.memory.parent.joinpath(LOG).symlink_to(desk.home.path("memory/real.md"))
    desk.wait(hours=3)
    assert "reached through a link" in desk.apply()[0].stale[0][1]
    assert desk.states(proposal) == ["stale"]
