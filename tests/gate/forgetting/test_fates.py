"""What goes where, in the diff and in a line or two."""

from dataclasses import replace

from tests.gate.forgetting_desk import ARCHIVE, COPY, LOG, archive, compress, pruned
from tests.gate.homes import Desk

from nightledger.domain.proposal import Change
from nightledger.gate.apply.parts import put_change
from nightledger.gate.forgetting.fates import change_diff, fate_lines
from nightledger.gate.review.reviewing import Documents


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
