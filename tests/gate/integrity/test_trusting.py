import hashlib
from pathlib import Path

import pytest
from tests.gate.homes import Desk
from tests.gate.signers import let_sign, new_key, own_key, revoke_key

from nightledger.domain.errors import AlteredError, IntegrityError
from nightledger.domain.states import Book
from nightledger.files.blobs import BlobStore
from nightledger.gate.integrity.checking import find_altered
from nightledger.gate.integrity.trust_changes import settle_trust
from nightledger.gate.integrity.trusting import Trust, read_signers
from nightledger.gate.opening import Ledger


def names(desk: Desk) -> list[str]:
    return [signer.principals[0] for signer in read_signers(desk.home, desk.ledger(), desk.moment).signers]


def altered(desk: Desk) -> list[str]:
    return [found.path for found in find_altered(desk.home, desk.ledger(), desk.moment)]


def test_a_log_without_a_genesis_lets_nobody_sign(desk: Desk) -> None:

    ledger = Ledger(log=desk.ledger().log, book=Book())
    with pytest.raises(IntegrityError, match="nobody may sign"):
        read_signers(desk.home, ledger, desk.moment)
    assert Trust(desk.home, ledger).files(desk.moment) == {}


@pytest.mark.parametrize("suffix", ["", ".sig"])
@pytest.mark.parametrize("how", ["removed", "changed"])
def test_no_older_set_is_used_when_the_decision_behind_a_change_is_to_be_had_nowhere(
    desk: Desk, suffix: str, how: str
) -> None:
    """The older set may hold the very key that the change revoked."""
    other = new_key(desk.root, "other")
    let_sign(desk, other, "ana")
    decision = revoke_key(desk, own_key(desk), by=other, principal="ana")
    path = Path(f"{desk.home.decision(decision.id)}{suffix}")
    Path(BlobStore(desk.home.blobs_dir).path(hashlib.sha256(path.read_bytes()).hexdigest())).unlink()
    spoil(path, how)
    with pytest.raises(AlteredError):
        names(desk)
    assert "config/nightledger" in altered(desk)


def spoil(path: Path, how: str) -> None:
    """Do to a file what any program of the same user can."""
    before = path.read_bytes()
    path.unlink()
    if how == "changed":
        path.write_bytes(before + b"\n")
    elif how == "linked":
        path.symlink_to(path.with_name("elsewhere"))


def test_a_home_that_kept_its_decisions_as_files_alone_gets_their_blobs(desk: Desk) -> None:
    decision = let_sign(desk, new_key(desk.root, "other"), "ana")
    paths = [Path(f"{desk.home.decision(decision.id)}{suffix}") for suffix in ("", ".sig")]
    blobs = [
        Path(BlobStore(desk.home.blobs_dir).path(hashlib.sha256(path.read_bytes()).hexdigest()))
        for path in paths
    ]
    for blob in blobs:
        blob.unlink()
    settle_trust(desk.gate, desk.ledger(), desk.moment)
    assert all(blob.exists() for blob in blobs)
