"""Archive, compress, forget: through the gate and back."""

import hashlib
from pathlib import Path

import pytest
from tests.gate.forgetting_desk import (
    ARCHIVE,
    COPY,
    FULL,
    LOG,
    ODD,
    archive,
    compress,
    entries,
    file,
    forget,
    forgotten,
    ops,
    prune,
    pruned,
    put,
    snapshot,
)
from tests.gate.homes import Desk

from nightledger.codec.records import dump_line
from nightledger.domain.consolidation import Consolidation, SourceRead
from nightledger.domain.errors import RefusedError
from nightledger.domain.proposal import Op
from nightledger.files.append import append_records
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply.undoing import reversal
from nightledger.gate.integrity.checking import find_altered
from nightledger.gate.integrity.inputs import Inputs, Rewrites, find_rewrites
from nightledger.gate.review.editing import revise
from nightledger.gate.review.reviewing import read_documents
from nightledger.gate.stored import read_proposal

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
BACKUPS = "- Keep backups for 30 days.\n"


def rewrites(desk: Desk) -> Rewrites:
    inputs, ledger = Inputs(), desk.ledger()
    for entry in ledger.log.entries():
        inputs.takers().get(entry[0], id)(entry)
    return find_rewrites(desk.home, inputs, ledger.book)


def test_an_archived_entry_stands_in_the_archive_with_section_id_date_and_reason(desk: Desk) -> None:
    name = next(entry.id for entry in entries(desk) if "backups" in entry.text)
    proposal = forgotten(desk, *archive(desk, "backups"))
    assert ops(proposal) == [Op.ARCHIVE]
    assert "backups" not in desk.text()
    assert file(desk, ARCHIVE).read_text() == (
        f"## MEMORY.md > Decisions\n\n{BACKUPS}\n"
        f"Archived 2026-03-01 from MEMORY.md, entry {name}: Resolved on 2025-11-02.\n"
    )


def test_undo_of_an_archival_gives_every_byte_back_and_the_empty_archive_goes(desk: Desk) -> None:
    before = snapshot(desk)
    proposal = forgotten(desk, *archive(desk, "backups", "relay"))
    assert set(snapshot(desk)) - set(before) == {ARCHIVE}
    desk.undo(proposal)
    assert snapshot(desk) == before
    assert desk.states(proposal) == ["undone", "undone"]


def test_a_compressed_log_keeps_its_summary_and_its_copy_has_every_byte(desk: Desk) -> None:
    proposal = forgotten(desk, compress(desk, LOG))
    assert ops(proposal) == [Op.COMPRESS]
    assert file(desk, COPY).read_bytes() == FULL
    text = file(desk, LOG).read_text()
    assert text.startswith("# Short\n")
    assert f"42 lines, SHA-256 {hashlib.sha256(FULL).hexdigest()}" in text
    assert desk.ledger().book.copies == {LOG: COPY}


def test_logs_of_any_bytes_are_copied_and_given_back_as_they_were(desk: Desk) -> None:
    taken: list[str] = []
    drafts = []
    for path, content in {LOG: FULL, **ODD}.items():
        drafts.append(compress(desk, path, content, taken))
        taken.append(drafts[-1].also[0].target)
    before = snapshot(desk)
    proposal = forgotten(desk, *drafts)
    after = snapshot(desk)
    for path, content in ODD.items():
        copy = next(d.also[0].target for d in drafts if d.target == path)
        assert after[copy] == content
        assert after[path] != content
    assert "memory/archive/daily/2026-01-02-2.md" in after
    desk.undo(proposal)
    assert snapshot(desk) == before
    assert desk.ledger().book.copies == {}


def test_one_line_of_a_month_can_be_undone_alone(desk: Desk) -> None:
    drafts = [compress(desk, LOG), compress(desk, "memory/2026-01-03.md")]
    before = snapshot(desk)
    proposal = forgotten(desk, *drafts)
    desk.undo(proposal, 1)
    after = snapshot(desk)
    assert after[LOG] == FULL
    assert COPY not in after
    assert after["memory/2026-01-03.md"] != before["memory/2026-01-03.md"]
    assert desk.ledger().book.copies == {"memory/2026-01-03.md": "memory/archive/daily/2026-01-03.md"}


def test_what_came_into_a_summary_since_survives_the_undo(desk: Desk) -> None:
    proposal = forgotten(desk, compress(desk, LOG))
    with file(desk, LOG).open("ab") as stream:
        stream.write(b"- One more thing.\n")
    desk.undo(proposal)
    assert file(desk, LOG).read_bytes() == FULL + b"- One more thing.\n"


def test_an_edited_line_of_a_summary_comes_after_the_full_text(desk: Desk) -> None:
    proposal = forgotten(desk, compress(desk, LOG))
    text = file(desk, LOG).read_bytes()
    put(desk, LOG, text.replace(b"was upgraded.", b"was upgraded twice."))
    desk.undo(proposal)
    assert file(desk, LOG).read_bytes() == FULL + b"- The relay was upgraded twice.\n"


def test_a_copy_that_somebody_changed_is_left_when_its_log_returns(desk: Desk) -> None:
    proposal = forgotten(desk, compress(desk, LOG))
    put(desk, COPY, b"mine now\n")
    desk.undo(proposal)
    assert file(desk, LOG).read_bytes() == FULL
    assert file(desk, COPY).read_bytes() == b"mine now\n"


def test_a_copy_that_became_a_link_is_left_when_its_log_returns(desk: Desk) -> None:
    proposal = forgotten(desk, compress(desk, LOG))
    file(desk, COPY).unlink()
    file(desk, COPY).symlink_to("/etc/hosts")
    desk.undo(proposal)
    assert file(desk, LOG).read_bytes() == FULL
    assert file(desk, COPY).is_symlink()


def test_later_entries_of_the_archive_survive_the_undo_of_earlier_ones(desk: Desk) -> None:
    first = forgotten(desk, *archive(desk, "backups"))
    second = forgotten(desk, *archive(desk, "relay"))
    desk.undo(first)
    text = file(desk, ARCHIVE).read_text()
    assert "backups" not in text
    assert "Restart the relay" in text
    assert BACKUPS in desk.text()
    desk.undo(second)
    assert not file(desk, ARCHIVE).exists()


def test_an_archive_that_somebody_wrote_before_is_kept_byte_for_byte(desk: Desk) -> None:
    put(desk, ARCHIVE, b"# Mine\r\n\r\nno end")
    proposal = forgotten(desk, *archive(desk, "backups", "relay"))
    assert file(desk, ARCHIVE).read_bytes().startswith(b"# Mine\r\n\r\nno end\n\n## MEMORY.md > Decisions\n")
    desk.undo(proposal)
    assert file(desk, ARCHIVE).read_bytes() == b"# Mine\r\n\r\nno end"


def test_a_log_that_changed_since_it_was_signed_is_asked_again_and_the_others_are_compressed(
    desk: Desk,
) -> None:
    proposal = pruned(desk, compress(desk, LOG), compress(desk, "memory/2026-01-03.md"))
    desk.approve(proposal)
    with file(desk, LOG).open("ab") as stream:
        stream.write(b"- Late.\n")
    desk.wait(hours=3)
    (attempt,) = desk.apply()
    assert attempt.changes == (2,)
    assert [n for n, _ in attempt.stale] == [1]
    assert "has changed since" in attempt.stale[0][1]
    assert file(desk, LOG).read_bytes() == FULL + b"- Late.\n"
    assert not file(desk, COPY).exists()
    assert desk.states(proposal) == ["stale", "applied"]


def test_part_of_a_month_can_be_approved(desk: Desk) -> None:
    proposal = pruned(desk, *archive(desk, "backups", "relay"))
    desk.approve(proposal, only=[2])
    desk.wait(hours=3)
    assert desk.apply()[0].changes == (2,)
    assert "relay" not in desk.text()
    assert BACKUPS in desk.text()
    assert desk.states(proposal) == ["pending", "applied"]


def test_a_copy_that_appears_with_other_bytes_makes_the_change_stale(desk: Desk) -> None:
    proposal = pruned(desk, compress(desk, LOG))
    desk.approve(proposal)
    put(desk, COPY, b"somebody else's\n")
    desk.wait(hours=3)
    assert desk.apply()[0].changes == ()
    assert file(desk, LOG).read_bytes() == FULL
    assert desk.states(proposal) == ["stale"]


def test_a_copy_that_lies_there_already_is_used_and_stays(desk: Desk) -> None:
    put(desk, COPY, FULL)
    proposal = forgotten(desk, compress(desk, LOG))
    assert file(desk, COPY).read_bytes() == FULL
    desk.undo(proposal)
    assert file(desk, COPY).read_bytes() == FULL
    assert file(desk, LOG).read_bytes() == FULL


def test_a_forgotten_link_leaves_only_the_log(desk: Desk) -> None:
    before = snapshot(desk)
    proposal = forgotten(desk, forget())
    assert snapshot(desk) == before
    assert desk.states(proposal) == ["applied"]
    desk.undo(proposal)
    assert desk.states(proposal) == ["undone"]


def test_links_are_forgotten_one_by_one(desk: Desk) -> None:
    outcome = prune(desk, forget("a + b"), forget("c + d"))
    assert outcome.proposal is not None
    assert len(outcome.proposal.changes) == 1
    assert outcome.no_room == 1


def test_an_entry_with_a_secret_is_not_archived_and_the_reason_says_what_to_do(desk: Desk) -> None:
    desk.memory.write_text(f"# MEMORY.md\n\n## Keys\n\n- The old token was {SECRET}.\n")
    outcome = prune(desk, *archive(desk, "token"))
    assert outcome.proposal is None
    assert "'nightledger check' proposes its removal" in outcome.unfit[0].reason


def blob_of(desk: Desk, content: bytes) -> Path:
    """Give the file of the blob with these bytes."""
    return Path(BlobStore(desk.home.blobs_dir).path(hashlib.sha256(content).hexdigest()))


def test_a_full_text_returns_from_the_archive_when_its_blob_is_gone(desk: Desk) -> None:
    proposal = forgotten(desk, compress(desk, LOG))
    blob_of(desk, FULL).unlink()
    desk.wait(days=8)
    desk.undo(proposal)
    assert file(desk, LOG).read_bytes() == FULL
    assert not file(desk, COPY).exists()


@pytest.mark.parametrize("how", ["changed", "link", "gone"])
def test_a_full_text_that_nobody_has_any_more_cannot_return_and_is_said_to_be_gone(
    desk: Desk, how: str
) -> None:
    proposal = forgotten(desk, compress(desk, LOG))
    blob_of(desk, FULL).unlink()
    file(desk, COPY).unlink()
    if how == "changed":
        put(desk, COPY, b"other\n")
    if how == "link":
        file(desk, COPY).symlink_to("/etc/hosts")
    undo = desk.plan_undo(proposal)
    assert undo.problem == f"the full text of {LOG} is not in the archive as it was"
    assert reversal(undo, read_documents(desk.gate)).drafts == []
    assert find_altered(desk.home, desk.ledger(), desk.moment)[0].path == COPY


def test_verify_tells_a_copy_that_is_missing_changed_or_unreadable(desk: Desk) -> None:
    forgotten(desk, compress(desk, LOG))
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
    put(desk, COPY, FULL[:-1])
    (found,) = find_altered(desk.home, desk.ledger(), desk.moment)
    assert (found.path, found.message) == (COPY, f"it was changed: it is not the full text of {LOG} any more")
    file(desk, COPY).unlink()
    (found,) = find_altered(desk.home, desk.ledger(), desk.moment)
    assert found.message == f"it is missing: the full text of {LOG} was there"
    file(desk, COPY).symlink_to("/etc/hosts")
    (found,) = find_altered(desk.home, desk.ledger(), desk.moment)
    assert "link" in found.message


def test_an_archived_entry_whose_window_closed_returns_by_a_proposal(desk: Desk) -> None:
    proposal = forgotten(desk, *archive(desk, "backups"))
    desk.wait(days=8)
    undo = desk.plan_undo(proposal)
    assert "undo window closed" in undo.problem
    (draft,) = reversal(undo, read_documents(desk.gate)).drafts
    assert (draft.op, draft.after.strip()) == (Op.ADD, BACKUPS.strip())


def test_an_archive_whose_block_was_edited_since_asks_for_a_reversal(desk: Desk) -> None:
    proposal = forgotten(desk, *archive(desk, "backups"))
    text = file(desk, ARCHIVE).read_text()
    put(desk, ARCHIVE, text.replace("30 days", "31 days").encode())
    assert "were changed since" in desk.plan_undo(proposal).problem


def test_an_undone_archival_does_not_touch_what_was_edited_elsewhere(desk: Desk) -> None:
    proposal = forgotten(desk, *archive(desk, "backups"))
    desk.memory.write_text(desk.text().replace("## Projects\n", "## Projects\n\n- Atlas.\n"))
    put(desk, ARCHIVE, file(desk, ARCHIVE).read_bytes() + b"\n## Mine\n\n- A note.\n")
    desk.undo(proposal)
    assert BACKUPS in desk.text()
    assert "- Atlas." in desk.text()
    assert file(desk, ARCHIVE).read_text().strip() == "## Mine\n\n- A note."


def test_what_a_night_read_of_a_log_is_found_in_its_copy(desk: Desk) -> None:
    a_night_reads(desk)
    forgotten(desk, compress(desk, LOG, FULL))
    assert rewrites(desk).logs == ()
    put(desk, COPY, b"# other\n" * 500)
    assert [rewritten.path for rewritten in rewrites(desk).logs] == [LOG]


def a_night_reads(desk: Desk) -> None:
    """Let a night have read the log as it is before it is compressed."""
    put(desk, LOG, FULL)
    read = SourceRead(path=LOG, sha256=hashlib.sha256(FULL).hexdigest(), size_bytes=len(FULL))
    night = Consolidation(
        v=1,
        id="c-" + "a" * 26,
        period="2026-01-02",
        at=desk.moment.at,
        logs=(read,),
        outcome_records=None,
        outcomes=0,
        statements=0,
        patterns=0,
        proposal=None,
        proposed=0,
        suppressed=0,
        no_room=0,
        held=0,
    )
    append_records(desk.home.consolidation_log, dump_line(night))


def test_what_is_compressed_or_archived_cannot_be_worded_by_the_operator(desk: Desk) -> None:
    proposal = pruned(desk, compress(desk, LOG))
    stored = read_proposal(desk.gate, desk.ledger().book.proposals[proposal.id])
    with pytest.raises(RefusedError, match="nothing to word"):
        revise(desk.gate, desk.ledger(), stored, 1, "# Other\n", desk.moment)


def test_drift_in_memory_holds_an_archival_back_and_its_archive_with_it(desk: Desk) -> None:
    proposal = pruned(desk, *archive(desk, "backups"))
    desk.approve(proposal)
    desk.memory.write_text(desk.text().replace("30 days.", "30 days.\n- Drifted right below."))
    desk.guard()
    desk.wait(hours=3)
    (attempt,) = desk.apply()
    assert attempt.changes == ()
    assert attempt.waits or attempt.stale
    assert not file(desk, ARCHIVE).exists()


def test_a_copy_that_two_logs_share_stays_while_one_of_them_rests_on_it(desk: Desk) -> None:
    other = "memory/daily/2026-01-02.md"
    first, second = forgotten(desk, compress(desk, LOG)), forgotten(desk, compress(desk, other))
    assert file(desk, COPY).read_bytes() == FULL
    desk.undo(first)
    assert file(desk, LOG).read_bytes() == FULL
    assert file(desk, COPY).read_bytes() == FULL
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
    desk.undo(second)
    assert file(desk, other).read_bytes() == FULL
