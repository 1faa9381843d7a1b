import hashlib
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition, open_desk
from tests.gate.killing import Killer, dies
from tests.gate.signers import (
    Key,
    change,
    compose_change,
    let_recover,
    let_sign,
    new_key,
    own_key,
    revoke_key,
    sign_change,
    text,
)

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.domain.trusting import RECOVERY_NAMESPACE, TRUST_FILES
from nightledger.files.blobs import BlobStore
from nightledger.gate.deciding import Signed, accept, sign, with_id
from nightledger.gate.integrity.checking import find_altered
from nightledger.gate.integrity.trust_changes import (
    find_differing,
    reset_signers,
    restore_files,
    settle_trust,
)
from nightledger.gate.integrity.trusting import read_signers, trust_files
from nightledger.trust import signer_files
from nightledger.trust.signers import dump_allowed_signers


def names(desk: Desk) -> list[str]:
    return [signer.principals[0] for signer in read_signers(desk.home, desk.ledger(), desk.moment).signers]


def refused(desk: Desk, signed: Signed) -> str:
    before = desk.events()
    with pytest.raises(RefusedError) as caught:
        accept(desk.gate, desk.ledger(), signed, desk.moment)
    assert desk.events() == before
    return str(caught.value)


def only(key: Key, principal: str = "operator") -> str:
    return dump_allowed_signers((key.line(principal),))


def reset_to(desk: Desk, key: Key, principal: str = "operator") -> None:
    contents = {
        "allowed_signers": only(key, principal).encode(),
        "revoked_keys": text(desk, "revoked_keys").encode(),
    }
    reset_signers(desk.gate, desk.ledger(), contents, desk.moment)


# ---------------------------------------------------------------- signed changes


def test_a_signed_change_is_logged_kept_put_in_place_and_in_force(desk: Desk) -> None:
    decision = let_sign(desk, new_key(desk.root, "other"), "ana")
    assert names(desk) == ["operator", "ana"]
    assert desk.events()[-2:] == ["decision.recorded", "trust.changed"]
    content = Path(desk.home.allowed_signers).read_bytes()
    assert content.count(b"\n") == 2
    sha256 = hashlib.sha256(content).hexdigest()
    assert BlobStore(desk.home.blobs_dir).get(sha256) == content
    (step,) = desk.ledger().book.trust.steps[1:]
    assert (step.decision, step.files) == (decision.id, {"allowed_signers": sha256})
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
    assert decision.type is DecisionType.TRUST
    assert (decision.proposal, decision.proposal_sha256, decision.changes) == ("", "", ())


def test_a_new_signer_can_sign_from_then_on(desk: Desk) -> None:
    other = new_key(desk.root, "other")
    decisions, _ = desk.compose_all(desk.proposal(addition("One.")))
    mine = with_id(replace(decisions[0], principal="ana"))
    assert "no key in allowed_signers" in refused(desk, sign(mine, other.signer))
    let_sign(desk, other, "ana")
    desk.accept_signed(sign(mine, other.signer))
    desk.wait(hours=3)
    assert desk.apply()[0].changes == (1,)


def test_policy_and_peers_are_changed_the_same_way(desk: Desk) -> None:
    policy = text(desk, "policy")
    change(desk, {"policy": f"# ours\n{policy}"})
    assert text(desk, "policy").startswith("# ours")
    assert Path(desk.home.policy).read_text().startswith("# ours")
    change(desk, {"peers": ""})
    assert not Path(desk.home.root, TRUST_FILES["peers"]).exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("allowed_signers", "operator nonsense\n"),
        ("revoked_keys", "nonsense\n"),
        ("policy", "nonsense\n"),
        ("peers", "nonsense\n"),
    ],
)
def test_bytes_that_could_not_be_read_are_refused(desk: Desk, name: str, content: str) -> None:
    assert f"the new {name} cannot be used" in refused(
        desk, sign_change(desk, {name: content}, own_key(desk))
    )


def test_new_bytes_that_are_not_kept_are_refused(desk: Desk) -> None:
    signed = sign_change(desk, {"policy": text(desk, "policy") + "# more\n"}, own_key(desk))
    for path in Path(desk.home.blobs_dir).rglob("*"):
        if path.is_file() and b"# more" in path.read_bytes():
            path.unlink()
    assert "the new policy cannot be used" in refused(desk, signed)


def test_a_change_of_a_file_that_is_none_of_the_chain_is_refused(desk: Desk) -> None:
    decision = compose_change(desk, {"policy": text(desk, "policy")})
    elsewhere = with_id(replace(decision, targets=(replace(decision.targets[0], path="MEMORY.md"),)))
    assert "MEMORY.md is no trust file" in refused(desk, sign(elsewhere, own_key(desk).signer))


def test_hashes_of_one_file_must_agree(desk: Desk) -> None:
    decision = compose_change(desk, {"policy": text(desk, "policy")})
    other = with_id(replace(decision, targets=(replace(decision.targets[0], hunks_sha256="0" * 64),)))
    assert "its hashes of one file are not the same" in refused(desk, sign(other, own_key(desk).signer))


def test_a_change_signed_over_an_older_set_is_refused(desk: Desk) -> None:
    other = new_key(desk.root, "other")
    contents = {
        "allowed_signers": signer_files.add_signer(text(desk, "allowed_signers"), "", other.line("ana"))
    }
    signed = sign_change(desk, contents, own_key(desk))
    let_sign(desk, new_key(desk.root, "third"), "bo")
    assert "allowed_signers is not the file any more that it was signed over" in refused(desk, signed)


# ---------------------------------------------------------------- revocation


def test_what_a_revoked_key_approved_and_was_not_applied_is_asked_again(desk: Desk) -> None:
    other = new_key(desk.root, "other")
    let_sign(desk, other, "ana")
    mine, hers = desk.proposal(addition("Mine.")), desk.proposal(addition("Hers."))
    decisions, _ = desk.compose_all(mine, hers)
    desk.accept(decisions[0])
    desk.accept_signed(sign(with_id(replace(decisions[1], principal="ana")), other.signer))
    revoke_key(desk, own_key(desk), by=other, principal="ana")
    assert desk.events()[-3:] == ["decision.recorded", "trust.changed", "change.stale"]
    assert (desk.states(mine), desk.states(hers)) == (["stale"], ["approved"])
    desk.wait(hours=3)
    assert [attempt.changes for attempt in desk.apply()] == [(1,)]
    assert "Mine." not in desk.text()
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()


def test_an_approval_that_a_revocation_left_out_is_void_when_it_is_to_be_applied(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nightledger.gate.integrity import trust_changes

    other = new_key(desk.root, "other")
    let_sign(desk, other, "ana")
    proposal = desk.proposal(addition("Mine."))
    desk.approve(proposal)
    monkeypatch.setattr(trust_changes, "void_events", lambda _ledger, _void: [])
    revoke_key(desk, own_key(desk), by=other, principal="ana")
    assert desk.states(proposal) == ["approved"]
    desk.wait(hours=3)
    ((n, why),) = desk.apply()[0].stale
    assert (n, "was revoked since it was signed" in why) == (1, True)
    assert desk.states(proposal) == ["stale"]
    assert "Mine." not in desk.text()


def test_what_a_revoked_key_had_applied_stays_and_stays_explained(desk: Desk) -> None:
    proposal = desk.applied(addition("One."))
    other = new_key(desk.root, "other")
    let_sign(desk, other, "ana")
    revoke_key(desk, own_key(desk), by=other, principal="ana")
    assert desk.states(proposal) == ["applied"]
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()


def test_what_a_revoked_key_signs_later_is_refused(desk: Desk) -> None:
    other = new_key(desk.root, "other")
    let_sign(desk, other, "ana")
    decisions, _ = desk.compose_all(desk.proposal(addition("One.")))
    revoke_key(desk, own_key(desk), by=other, principal="ana")
    assert "no key in allowed_signers" in refused(desk, sign(decisions[0], own_key(desk).signer))
    back = sign_change(desk, {"revoked_keys": "# nobody\n"}, own_key(desk))
    assert "no key in allowed_signers" in refused(desk, back)


def test_the_last_signer_can_be_revoked_only_with_a_recovery_key_in_the_drawer(desk: Desk) -> None:
    mine = own_key(desk)
    with pytest.raises(RefusedError, match="nobody could sign any more"):
        revoke_key(desk, mine, by=mine, principal="operator")
    drawer = new_key(desk.root, "drawer")
    let_recover(desk, drawer)
    revoke_key(desk, mine, by=mine, principal="operator")
    assert names(desk) == ["recovery"]
    fresh = new_key(desk.root, "fresh")
    allowed = signer_files.add_signer(
        text(desk, "allowed_signers"), text(desk, "revoked_keys"), fresh.line("operator")
    )
    change(desk, {"allowed_signers": allowed}, key=drawer, principal="recovery", namespace=RECOVERY_NAMESPACE)
    assert names(desk) == ["recovery", "operator"]


def test_an_altered_approval_does_not_stop_a_revocation(desk: Desk) -> None:
    other = new_key(desk.root, "other")
    let_sign(desk, other, "ana")
    (decision,) = desk.approve(desk.proposal(addition("One.")))
    Path(desk.home.decision(decision.id)).unlink()
    revoke_key(desk, own_key(desk), by=other, principal="ana")
    assert names(desk) == ["ana"]


def test_an_approval_without_a_signature_that_holds_does_not_stop_a_revocation(desk: Desk) -> None:
    other = new_key(desk.root, "other")
    let_sign(desk, other, "ana")
    (decision,) = desk.approve(desk.proposal(addition("One.")))
    Path(f"{desk.home.decision(decision.id)}.sig").write_text("none")
    revoke_key(desk, own_key(desk), by=other, principal="ana")
    assert names(desk) == ["ana"]


# ---------------------------------------------------------------- recovery keys


def test_a_recovery_key_changes_signers_and_no_other_trust_file(desk: Desk) -> None:
    drawer = new_key(desk.root, "drawer")
    let_recover(desk, drawer)
    for contents in ({"policy": text(desk, "policy")}, {"peers": ""}):
        signed = sign_change(desk, contents, drawer, principal="recovery", namespace=RECOVERY_NAMESPACE)
        assert "a recovery key changes allowed_signers and revoked_keys only" in refused(desk, signed)


@pytest.mark.parametrize("namespace", ["nightledger-decision@v1", RECOVERY_NAMESPACE])
def test_a_recovery_key_approves_nothing(desk: Desk, namespace: str) -> None:
    drawer = new_key(desk.root, "drawer")
    let_recover(desk, drawer)
    decisions, _ = desk.compose_all(desk.proposal(addition("One.")))
    forged = with_id(replace(decisions[0], principal="recovery"))
    signed = sign(forged, drawer.signer, namespace=namespace)
    assert "no key in allowed_signers" in refused(desk, signed)


# ---------------------------------------------------------------- resets


def test_a_reset_voids_approvals_at_once_and_lets_the_new_key_sign_after_a_day(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    desk.approve(proposal)
    fresh = new_key(desk.root, "fresh")
    reset_to(desk, fresh)
    assert desk.states(proposal) == ["stale"]
    decisions, _ = desk.compose_all(proposal)
    desk.wait(hours=23)
    assert "no key in allowed_signers" in refused(desk, sign(decisions[0], fresh.signer))
    desk.wait(hours=1)
    assert "no key in allowed_signers" in refused(desk, sign(decisions[0], own_key(desk).signer))
    decisions, _ = desk.compose_all(proposal)
    desk.accept_signed(sign(decisions[0], fresh.signer))
    settle_trust(desk.gate, desk.ledger(), desk.moment)
    assert Path(desk.home.allowed_signers).read_text() == only(fresh)
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
    assert len(desk.ledger().book.trust.resets()) == 1


def test_what_the_old_key_approves_while_a_reset_waits_is_void_when_it_counts(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    reset_to(desk, new_key(desk.root, "fresh"))
    desk.wait(hours=23)
    desk.approve(proposal)
    desk.wait(hours=3)
    assert desk.apply()[0].stale == ((1, "the keys were reset since it was signed"),)
    assert "One." not in desk.text()


def test_whoever_still_has_a_key_ends_a_reset(desk: Desk) -> None:
    thief = new_key(desk.root, "thief")
    reset_to(desk, thief)
    desk.wait(hours=1)
    change(desk, {"allowed_signers": text(desk, "allowed_signers")})
    desk.wait(days=30)
    assert names(desk) == ["operator"]
    assert [signer.key for signer in read_signers(desk.home, desk.ledger(), desk.moment).signers] == [
        own_key(desk).public
    ]


@pytest.mark.parametrize(
    "contents",
    [
        {},
        {"allowed_signers": b""},
        {"allowed_signers": b"", "revoked_keys": b""},
        {"allowed_signers": b"", "revoked_keys": b"", "policy": b""},
    ],
)
def test_a_reset_to_nobody_is_refused(desk: Desk, contents: dict[str, bytes]) -> None:
    with pytest.raises(RefusedError, match="nobody who could sign"):
        reset_signers(desk.gate, desk.ledger(), contents, desk.moment)


# ---------------------------------------------------------------- crashes and files


def test_a_change_that_was_cut_short_is_finished_and_nothing_else_is_touched(desk: Desk) -> None:
    before = Path(desk.home.allowed_signers).read_bytes()
    let_sign(desk, new_key(desk.root, "other"), "ana")
    after = Path(desk.home.allowed_signers).read_bytes()
    Path(desk.home.allowed_signers).write_bytes(before)  # as a crash leaves it
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
    assert find_differing(desk.home, desk.ledger(), desk.moment) == ()
    settle_trust(desk.gate, desk.ledger(), desk.moment)
    assert Path(desk.home.allowed_signers).read_bytes() == after
    Path(desk.home.allowed_signers).write_bytes(b"# by hand\n")
    settle_trust(desk.gate, desk.ledger(), desk.moment)
    assert Path(desk.home.allowed_signers).read_bytes() == b"# by hand\n"
    assert find_differing(desk.home, desk.ledger(), desk.moment) == ("allowed_signers",)
    assert [found.path for found in find_altered(desk.home, desk.ledger(), desk.moment)] == [
        "config/nightledger/allowed_signers"
    ]


def test_a_home_that_began_before_trust_files_were_kept_gets_its_blobs(desk: Desk) -> None:
    sha256 = trust_files(desk.home)["allowed_signers"]
    blobs = BlobStore(desk.home.blobs_dir)
    Path(blobs.path(sha256)).unlink()
    settle_trust(desk.gate, desk.ledger(), desk.moment)
    assert blobs.get(sha256) == Path(desk.home.allowed_signers).read_bytes()


def test_files_that_differ_are_put_back_on_request(desk: Desk) -> None:
    signers, policy = Path(desk.home.allowed_signers), Path(desk.home.policy)
    held = signers.read_bytes(), policy.read_bytes()
    signers.write_bytes(b"# by hand\n")
    policy.unlink()
    policy.symlink_to(desk.root / "elsewhere")
    peers = Path(desk.home.root, TRUST_FILES["peers"])
    peers.write_bytes(b"{}")
    assert restore_files(desk.gate, desk.ledger(), desk.moment) == ("allowed_signers", "peers", "policy")
    assert (signers.read_bytes(), policy.read_bytes(), peers.read_bytes()) == (*held, b"")
    assert not policy.is_symlink()
    assert restore_files(desk.gate, desk.ledger(), desk.moment) == ()


def test_a_directory_in_a_files_place_is_left_for_the_operator(desk: Desk) -> None:
    signers = Path(desk.home.allowed_signers)
    signers.unlink()
    signers.mkdir()
    with pytest.raises(RefusedError, match="is a directory"):
        restore_files(desk.gate, desk.ledger(), desk.moment)


def test_a_kill_at_any_step_leaves_the_old_set_or_the_new_one(template: Path, tmp_path: Path) -> None:
    base, seen = tmp_path / "base", set()
    shutil.copytree(template, base)
    desk = open_desk(base)
    other = new_key(base, "other")
    allowed = signer_files.add_signer(text(desk, "allowed_signers"), "", other.line("ana"))
    signed = sign_change(desk, {"allowed_signers": allowed}, own_key(desk))
    killed, step = True, 0
    while killed:
        step += 1
        root = tmp_path / str(step)
        shutil.copytree(base, root)
        killed = dies(partial(_accept_and_die, root, signed, step))
        desk = open_desk(root)
        settle_trust(desk.gate, desk.ledger(), desk.moment)
        assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
        seen.add(tuple(names(desk)))
        shutil.rmtree(root)
    assert step > 10
    assert seen == {("operator",), ("operator", "ana")}


def _accept_and_die(root: Path, signed: Signed, step: int) -> None:
    desk = open_desk(root)
    ledger = desk.ledger()
    Killer(step).arm()
    accept(desk.gate, ledger, signed, desk.moment)
