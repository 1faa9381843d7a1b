import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition
from tests.gate.signers import let_sign, new_key, own_key, revoke_key, text

from nightledger.domain.decision import NAMESPACE
from nightledger.domain.errors import AlteredError, IntegrityError
from nightledger.domain.states import Book
from nightledger.domain.trusting import EMPTY_SHA256, TRUST_FILES
from nightledger.files.blobs import BlobStore
from nightledger.gate.integrity.checking import NOT_IN_FORCE, find_altered
from nightledger.gate.integrity.trust_changes import restore_files, settle_trust
from nightledger.gate.integrity.trusting import Trust, read_signers, trust_files, trust_path
from nightledger.gate.opening import Ledger
from nightledger.gate.signed import find_replaced, read_kept, read_signed


def names(desk: Desk) -> list[str]:
    return [signer.principals[0] for signer in read_signers(desk.home, desk.ledger(), desk.moment).signers]


def altered(desk: Desk) -> list[str]:
    return [found.path for found in find_altered(desk.home, desk.ledger(), desk.moment)]


def test_signers_are_those_of_the_log(desk: Desk) -> None:
    signers = read_signers(desk.home, desk.ledger(), desk.moment)
    assert [signer.principals for signer in signers.signers] == [("operator",)]
    assert signers.signers[0].namespaces == (NAMESPACE,)
    assert signers.revoked == frozenset()
    assert set(trust_files(desk.home)) == set(TRUST_FILES)


@pytest.mark.parametrize("name", sorted(TRUST_FILES))
@pytest.mark.parametrize("content", [b"", b"# changed\n", None, "directory", "link"])
def test_a_trust_file_that_differs_is_an_alarm_and_changes_nothing_else(
    desk: Desk, name: str, content: bytes | str | None
) -> None:
    proposal = desk.proposal(addition("A lesson."))
    desk.approve(proposal)
    path = Path(trust_path(desk.home, name))
    if name in ("constitution", "peers") and content in (b"", None):
        return  # that is how it was
    path.unlink(missing_ok=True)
    if content == "directory":
        path.mkdir()
    elif content == "link":
        path.symlink_to(desk.root / "elsewhere")
    elif isinstance(content, bytes):
        path.write_bytes(content)
    assert altered(desk) == [TRUST_FILES[name]]
    assert names(desk) == ["operator"]
    desk.wait(hours=3)
    (attempt,) = desk.apply()
    assert attempt.changes == (1,)


def test_one_line_appended_to_the_signers_is_an_alarm_only(desk: Desk) -> None:
    stranger = new_key(desk.root, "stranger")
    with Path(desk.home.allowed_signers).open("a") as file:
        file.write(f"operator {stranger.public.line}\n")
    assert altered(desk) == ["config/nightledger/allowed_signers"]
    assert [signer.key for signer in read_signers(desk.home, desk.ledger(), desk.moment).signers] == [
        own_key(desk).public
    ]


def test_every_decision_is_judged_by_the_set_at_its_place(desk: Desk) -> None:
    first = desk.approve(desk.proposal(addition("One.")))[0]
    other = new_key(desk.root, "other")
    let_sign(desk, other, "ana")
    revoke_key(desk, own_key(desk), by=other, principal="ana")
    ledger = desk.ledger()
    trust = Trust(desk.home, ledger)
    status = ledger.book.decisions[first.id]
    assert [s.principals[0] for s in trust.signers_of(status).signers] == ["operator"]
    assert [s.principals[0] for s in trust.signers(desk.moment).signers] == ["ana"]
    assert altered(desk) == []


def test_who_could_sign_at_each_step_is_told(desk: Desk) -> None:
    let_sign(desk, new_key(desk.root, "other"), "ana")
    trust = Trust(desk.home, desk.ledger())
    assert [len(trust.signers_before(n).signers) for n in (1, 2)] == [1, 2]


def test_a_file_that_was_lost_is_read_from_its_blob(desk: Desk) -> None:
    os.unlink(desk.home.allowed_signers)
    os.unlink(desk.home.revoked_keys)
    assert names(desk) == ["operator"]


def test_bytes_that_are_kept_nowhere_stop_every_signature(desk: Desk) -> None:
    path = Path(desk.home.allowed_signers)
    Path(BlobStore(desk.home.blobs_dir).path(hashlib.sha256(path.read_bytes()).hexdigest())).unlink()
    path.write_text("# nobody\n")
    with pytest.raises(IntegrityError, match="its bytes are not kept") as caught:
        names(desk)
    assert "backup" in caught.value.hint


def test_a_log_without_a_genesis_lets_nobody_sign(desk: Desk) -> None:
    from nightledger.domain.states import Book

    ledger = Ledger(log=desk.ledger().log, book=Book())
    with pytest.raises(IntegrityError, match="nobody may sign"):
        read_signers(desk.home, ledger, desk.moment)
    assert Trust(desk.home, ledger).files(desk.moment) == {}


def test_a_file_that_never_was_has_no_bytes(desk: Desk) -> None:
    trust = Trust(desk.home, desk.ledger())
    assert trust.files(desk.moment)["peers"] == EMPTY_SHA256
    assert trust.content("peers", desk.moment) == b""


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


@pytest.mark.parametrize("suffix", ["", ".sig"])
@pytest.mark.parametrize("how", ["removed", "changed", "linked"])
def test_an_altered_decision_about_keys_is_an_alarm_only_and_is_put_back(
    desk: Desk, suffix: str, how: str
) -> None:
    proposal = desk.proposal(addition("A lesson."))
    desk.approve(proposal)
    decision = let_sign(desk, new_key(desk.root, "other"), "ana")
    path = Path(f"{desk.home.decision(decision.id)}{suffix}")
    before = path.read_bytes()
    spoil(path, how)
    (found,) = find_altered(desk.home, desk.ledger(), desk.moment)
    assert (found.path, found.message, found.is_kept) == (desk.home.relative(str(path)), NOT_IN_FORCE, True)
    assert names(desk) == ["operator", "ana"]
    desk.wait(hours=3)
    (attempt,) = desk.apply()
    assert attempt.changes == (1,)
    assert restore_files(desk.gate, desk.ledger(), desk.moment) == (found.path,)
    assert path.read_bytes() == before
    assert altered(desk) == []


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


def test_a_decision_without_a_hash_of_its_signature_is_read_from_its_files(desk: Desk) -> None:
    """Entries of older versions have none."""
    decision = let_sign(desk, new_key(desk.root, "other"), "ana")
    status = replace(desk.ledger().book.decisions[decision.id], signature_sha256="")
    assert read_kept(desk.home, status) == read_signed(desk.home, status)
    assert find_replaced(desk.home, Book(decisions={decision.id: status})) == {}
    Path(desk.home.decision(decision.id)).unlink()
    with pytest.raises(AlteredError):
        read_kept(desk.home, status)


def forge(desk: Desk, content: str, *, step: bool = True) -> None:
    """Put a change of signers into the log with a stranger's signature, as who holds the log's key can."""
    from tests.gate.signers import sign_change

    from nightledger.gate.integrity.trust_changes import keep_contents

    stranger = new_key(desk.root, "stranger")
    signed = sign_change(desk, {"allowed_signers": content}, stranger)
    from nightledger.codec.records import decode_record
    from nightledger.domain.decision import Decision

    decision = decode_record(Decision, signed.content, where="")
    path = Path(desk.home.decision(decision.id))
    path.write_bytes(signed.content)
    Path(f"{path}.sig").write_text(signed.signature)
    desk.record(
        "decision.recorded",
        decision=decision.id,
        sha256=hashlib.sha256(signed.content).hexdigest(),
        signature_sha256=signed.signature_sha256,
        type="trust",
        proposal="",
        changes=[],
    )
    sha256 = keep_contents(desk.home, {"allowed_signers": content.encode()})["allowed_signers"]
    if step:
        files = [{"name": "allowed_signers", "sha256": sha256}]
        desk.record("trust.changed", decision=decision.id, files=files)


def test_a_forged_change_in_the_log_is_named_and_counts_for_nothing(desk: Desk) -> None:
    forge(desk, "evil ssh-ed25519 AAAA\n")
    assert names(desk) == ["operator"]
    (found,) = find_altered(desk.home, desk.ledger(), desk.moment)[:1]
    assert "is not signed by who could" in found.message
    other = new_key(desk.root, "other")
    let_sign(desk, other, "ana")
    assert names(desk) == ["operator", "ana"]
    assert text(desk, "allowed_signers").startswith("operator ")


def test_a_change_for_another_home_or_another_history_counts_for_nothing(desk: Desk) -> None:
    let_sign(desk, new_key(desk.root, "other"), "ana")
    ledger = desk.ledger()
    assert Trust(desk.home, ledger).void == frozenset()

    class Elsewhere:
        size, root_at = 1, staticmethod(lambda _size: b"")

    moved = replace(ledger, log=Elsewhere())  # type: ignore[arg-type]
    assert Trust(desk.home, moved).void == {1}
