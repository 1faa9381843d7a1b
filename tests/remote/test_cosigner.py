"""The rules of c2sp.org/tlog-witness, one by one, and the promise behind them: one history a log, never back."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.trust.witnesses import NOON, LogSigner, head_of, lines_of, note_of, tree_of
from tests.whole import examples

from nightledger.domain.errors import LockedError
from nightledger.files.atomic import Lock
from nightledger.remote.cosigner import Cosigner, add_logs, create_witness
from nightledger.trust.keys import create_witness_keys
from nightledger.trust.merkle import Tree, leaf_hash
from nightledger.trust.policy import Continuation, dump_continuation

if TYPE_CHECKING:
    from nightledger.trust.note import Checkpoint

NAME = "witness.example/harbour"


@pytest.fixture(scope="session")
def keys_of_a_witness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("witness-keys")
    create_witness_keys(directory)
    return directory


def make_box(directory: Path, keys: Path) -> Cosigner:
    """Make a witness of one key."""
    (directory / "witness-ed25519").write_bytes((keys / "witness-ed25519").read_bytes())
    (directory / "witness-ed25519").chmod(0o600)
    create_witness(directory, NAME)
    return add_logs(directory, [LogSigner().key])


def request(
    tree: Tree, old: int, size: int | None = None, *, proof: tuple[bytes, ...] | None = None
) -> bytes:
    wanted = tree.size if size is None else size
    hashes = tree.consistency_proof(old, wanted) if proof is None and 0 < old <= wanted else proof or ()
    checkpoint = note_of(head_of(tree, wanted))
    return dump_continuation(Continuation(old_size=old, hashes=hashes, checkpoint=checkpoint))


def test_one_request_at_a_time_is_judged(
    tmp_path: Path, keys_of_a_witness: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nightledger.remote.cosigner._LOCK_TIMEOUT_S", 0.0)
    box = make_box(tmp_path, keys_of_a_witness)
    with Lock(os.fspath(tmp_path / "lock")), pytest.raises(LockedError):
        box.answer(request(tree_of(3), 0), NOON)


steps = st.lists(
    st.tuples(st.booleans(), st.integers(0, 12), st.integers(0, 12), st.booleans()), min_size=1, max_size=12
)


@examples(60)
@given(steps=steps)
def test_whatever_it_is_asked_all_heads_it_cosigned_are_of_one_history(
    steps: list[tuple[bool, int, int, bool]],
    tmp_path_factory: pytest.TempPathFactory,
    keys_of_a_witness: Path,
) -> None:
    box = make_box(tmp_path_factory.mktemp("w"), keys_of_a_witness)
    common = [leaf_hash(line) for line in lines_of(4)]
    left, right = Tree(), Tree()
    left.extend([*common, *(leaf_hash(b"left %d" % n) for n in range(8))])
    right.extend([*common, *(leaf_hash(b"right %d" % n) for n in range(8))])
    told: list[Checkpoint] = []
    for is_left, old, size, honest in steps:
        tree = left if is_left else right
        raw = request(tree, old, size, proof=None if honest else (bytes(32),))
        if box.answer(raw, datetime(2026, 3, 1, tzinfo=UTC)).status == 200:
            told.append(head_of(tree, size))
    assert [head.size for head in told] == sorted(head.size for head in told)
    assert any(all(tree.root(head.size) == head.root for head in told) for tree in (left, right))
