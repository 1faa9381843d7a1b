from pathlib import Path

import pytest
from tests.trust.witnesses import LOG, LogSigner, head_of, note_of, tree_of

from nightledger.trust.note import NoteError
from nightledger.trust.report import Damage, contradicts
from nightledger.trust.signed_head import read_anchor

VKEY = LogSigner().key.dump()


def test_a_head_that_the_log_continues_contradicts_nothing() -> None:
    tree = tree_of(9)
    assert [contradicts(head_of(tree, size), tree) for size in (0, 1, 8, 9)] == [None] * 4


def test_a_longer_log_and_another_one_are_told_apart() -> None:
    assert contradicts(head_of(tree_of(9)), tree_of(8)) is Damage.ROLLBACK
    assert contradicts(head_of(tree_of(8, b"other")), tree_of(9)) is Damage.FORK


def test_a_kept_head_is_read_when_the_log_signed_it(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    head = head_of(tree_of(5))
    path.write_bytes(note_of(head))
    assert read_anchor(str(path), LOG, lambda _size: [LogSigner(LOG, 7).key.dump(), VKEY]) == head


def test_a_head_that_the_log_did_not_sign_accuses_nobody(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(note_of(head_of(tree_of(5))))
    with pytest.raises(NoteError, match="no known key has signed"):
        read_anchor(str(path), LOG, lambda _size: [LogSigner(LOG, 7).key.dump()])
    with pytest.raises(NoteError, match="is a head of another log"):
        read_anchor(str(path), "nightledger/other", lambda _size: [VKEY])
