"""Archive, compress, forget: through the gate and back."""

import hashlib
from pathlib import Path

import pytest
from tests.gate.forgetting_desk import (
    COPY,
    FULL,
    LOG,
    ODD,
    compress,
    file,
    forgotten,
    pruned,
    put,
    snapshot,
)
from tests.gate.homes import Desk

from nightledger.domain.errors import RefusedError
from nightledger.files.blobs import BlobStore
from nightledger.gate.apply.undoing import reversal
from nightledger.gate.integrity.checking import find_altered
from nightledger.gate.review.editing import revise
from nightledger.gate.review.reviewing import read_documents
from nightledger.gate.stored import read_proposal


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


def test_an_edited_line_of_a_summary_comes_after_the_full_text(desk: Desk) -> None:
    proposal = forgotten(desk, compress(desk, LOG))
    text = file(desk, LOG).read_bytes()
    put(desk, LOG, text.replace(b"was upgraded.", b"was upgraded twice."))
    desk.undo(proposal)
    assert file(desk, LOG).read_bytes() == FULL + b"- The relay was upgraded twice.\n"


def blob_of(desk: Desk, content: bytes) -> Path:
    """Give the file of the blob with these bytes."""
    return Path(BlobStore(desk.home.blobs_dir).path(hashlib.sha256(content).hexdigest()))


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


def test_what_is_compressed_or_archived_cannot_be_worded_by_the_operator(desk: Desk) -> None:
    proposal = pruned(desk, compress(desk, LOG))
    stored = read_proposal(desk.gate, desk.ledger().book.proposals[proposal.id])
    with pytest.raises(RefusedError, match="nothing to word"):
        revise(desk.gate, desk.ledger(), stored, 1, "# Other\n", desk.moment)


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
