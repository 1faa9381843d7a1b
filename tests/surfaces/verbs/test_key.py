import os
from pathlib import Path
from typing import Any

import pytest
from tests.gate.homes import addition
from tests.gate.signers import Key, new_key
from tests.surfaces.calling import Caller, make_caller

from nightledger.domain.errors import FileChangedError, RefusedError, UsageError
from nightledger.domain.trusting import RECOVERY_NAMESPACE
from nightledger.gate.integrity.trusting import read_signers
from nightledger.surfaces.context import Context
from nightledger.surfaces.keys import actions as key_actions
from nightledger.surfaces.keys import actions as key_list
from nightledger.surfaces.keys import changes as key_changes
from nightledger.surfaces.keys import trust_change
from nightledger.trust import operator_keys
from nightledger.trust.keys import needs_passphrase, public_key_of
from nightledger.trust.signers import AllowedSigner
from nightledger.trust.sshkey import PublicKeyError, ed25519_key


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return make_caller(tmp_path, monkeypatch, capsys)


def signers(caller: Caller) -> list[str]:
    found = read_signers(caller.home, caller.desk.ledger(), caller.desk.moment).signers
    return [signer.principals[0] for signer in found]


def public(key: Key) -> str:
    return str(key.path.with_name(f"{key.path.name}.pub"))


def keys_dir(caller: Caller) -> Path:
    return caller.desk.ring.home_dir(caller.home.identity.id)


def add(caller: Caller, name: str) -> Key:
    key = new_key(caller.root, name)
    assert caller.run("key", "add", public(key), "--principal", name) == 0
    return key


def test_a_key_is_added_by_file_or_by_line_and_listed(caller: Caller) -> None:
    ana = add(caller, "ana")
    bo = new_key(caller.root, "bo")
    record = caller.record("key", "add", bo.public.line, "--principal", "bo", "--reason", "second desk")
    assert (record["principal"], record["fingerprint"]) == ("bo", bo.public.fingerprint)
    assert signers(caller) == ["operator", "ana", "bo"]
    listed = caller.record("key", "list")
    assert [signer["principal"] for signer in listed["signers"]] == ["operator", "ana", "bo"]
    assert [signer["here"] for signer in listed["signers"]] == [True, False, False]
    assert listed["signers"][1]["fingerprint"] == ana.public.fingerprint
    assert [step["kind"] for step in listed["steps"]] == ["genesis", "signed", "signed"]
    text = caller.text("key", "list")
    assert "ana: SHA256:" in text
    assert "the key of this machine" in text
    assert "signed change d-" in text


def test_a_private_keys_file_names_its_public_side(caller: Caller) -> None:
    ana = new_key(caller.root, "ana")
    assert key_changes.read_key(str(ana.path)) == ana.public


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("add",), "needs a public key"),
        (("revoke",), "needs a key or its fingerprint"),
        (("recovery",), "needs a public key"),
        (("add", "no-such.pub", "--principal", "ana"), "there is no file"),
        (("revoke", "SHA256:abc"), "no key that ever could sign is"),
        (("revoke", "SHA256:"), "no key that ever could sign is"),
    ],
)
def test_what_is_missing_is_named(caller: Caller, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        caller.run("key", *words)
    assert signers(caller) == ["operator"]


def test_a_signer_without_a_name_and_a_line_that_is_no_key_are_refused(caller: Caller) -> None:
    with pytest.raises(UsageError, match="has no name"):
        caller.run("key", "add", public(new_key(caller.root, "ana")))
    with pytest.raises(PublicKeyError):
        caller.run("key", "add", "ssh-rsa AAAA", "--principal", "ana")


def test_a_key_that_may_sign_already_or_is_revoked_is_not_added(caller: Caller) -> None:
    ana = add(caller, "ana")
    with pytest.raises(RefusedError, match="may sign already, as 'ana'"):
        caller.run("key", "add", public(ana), "--principal", "again")
    caller.run("key", "revoke", ana.public.fingerprint)
    with pytest.raises(RefusedError, match="is revoked, for ever"):
        caller.run("key", "add", public(ana), "--principal", "again")


def test_a_key_is_revoked_by_the_beginning_of_its_fingerprint(caller: Caller) -> None:
    ana = add(caller, "ana")
    assert caller.run("key", "revoke", ana.public.fingerprint[7:20], "--reason", "lost") == 0
    assert signers(caller) == ["operator"]
    assert caller.record("key", "list")["revoked"] == [ana.public.fingerprint]
    assert f"revoked: {ana.public.fingerprint}" in caller.text("key", "list")
    with pytest.raises(RefusedError, match="is revoked already"):
        caller.run("key", "revoke", ana.public.fingerprint)


def test_when_the_last_key_is_revoked_it_is_said_that_nobody_can_sign(caller: Caller) -> None:
    ana, drawer = add(caller, "ana"), new_key(caller.root, "drawer")
    assert caller.run("key", "recovery", public(drawer)) == 0
    assert "Nobody can sign" not in caller.text("key", "revoke", ana.public.fingerprint)
    own = public_key_of(keys_dir(caller) / "operator")
    told = caller.text("key", "revoke", own.fingerprint)
    assert "Nobody can sign decisions now." in told
    assert "--recovery-key FILE" in told


def test_a_rotation_keeps_the_old_key_and_lets_the_new_one_sign(caller: Caller) -> None:
    old = public_key_of(keys_dir(caller) / "operator")
    proposal = caller.desk.proposal(addition("One."))
    caller.desk.approve(proposal)
    record = caller.record("key", "rotate", "--no-passphrase")
    new = public_key_of(keys_dir(caller) / "operator")
    assert (record["old"], record["new"]) == (old.fingerprint, new.fingerprint)
    assert new != old
    assert public_key_of(keys_dir(caller) / "operator.pub") == new
    kept = sorted(path.name for path in keys_dir(caller).iterdir() if ".before-" in path.name)
    assert kept == ["operator.before-20260301T060000Z", "operator.before-20260301T060000Z.pub"]
    assert signers(caller) == ["operator"]
    assert caller.desk.states(proposal) == ["approved"]  # it is not revoked
    assert caller.run("reject", proposal.id, "--reason", "changed my mind") == 0
    assert caller.run("verify") == 0
    assert caller.run("key", "revoke", old.fingerprint) == 0
    assert signers(caller) == ["operator"]


def test_a_rotation_to_a_key_that_is_elsewhere_leaves_its_public_side_here(caller: Caller) -> None:
    hardware = new_key(caller.root, "token")
    assert caller.run("key", "rotate", public(hardware)) == 0
    assert not (keys_dir(caller) / "operator").exists()
    assert public_key_of(keys_dir(caller) / "operator.pub") == hardware.public
    assert "The old key is kept as" not in caller.text("key", "list")


def test_a_new_key_wants_a_passphrase_where_somebody_can_be_asked(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="wants a passphrase"):
        caller.run("key", "rotate")
    monkeypatch.setattr(Context, "interactive", lambda _: True)
    answers = iter(["one", "other", "correct horse", "correct horse"])
    monkeypatch.setattr("getpass.getpass", lambda _: next(answers))
    with pytest.raises(UsageError, match="not the same"):
        caller.run("key", "rotate")
    assert caller.run("key", "rotate") == 0
    assert needs_passphrase(keys_dir(caller) / "operator")


def test_a_rotation_that_was_cut_short_before_it_was_signed_uses_the_same_key(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(key_actions, "change_trust", crash)
        with pytest.raises(KeyboardInterrupt):
            caller.run("key", "rotate", "--no-passphrase")
    made = public_key_of(keys_dir(caller) / "operator.next")
    assert caller.run("key", "rotate", "--no-passphrase") == 0
    assert public_key_of(keys_dir(caller) / "operator") == made


def test_a_rotation_that_was_cut_short_after_it_was_signed_is_finished(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(operator_keys, "take_over", crash)
        with pytest.raises(KeyboardInterrupt):
            caller.run("key", "rotate", "--no-passphrase")
    made = public_key_of(keys_dir(caller) / "operator.next")
    assert caller.run("key", "restore") == 0
    assert public_key_of(keys_dir(caller) / "operator") == made
    assert public_key_of(keys_dir(caller) / "operator.pub") == made
    assert not (keys_dir(caller) / "operator.next.pub").exists()
    os.replace(
        keys_dir(caller) / "operator.before-20260301T060000Z.pub", keys_dir(caller) / "operator.pub"
    )  # as a crash between the two files leaves it
    assert caller.run("key", "restore") == 0
    assert public_key_of(keys_dir(caller) / "operator.pub") == made


def test_a_recovery_key_brings_a_new_signer_in_and_approves_nothing(caller: Caller) -> None:
    drawer = new_key(caller.root, "drawer")
    assert caller.run("key", "recovery", public(drawer)) == 0
    assert caller.record("key", "list")["signers"][1]["for"] == ["recovery"]
    ana = new_key(caller.root, "ana")
    words = ("key", "add", public(ana), "--principal", "ana")
    (keys_dir(caller) / "operator").unlink()
    (keys_dir(caller) / "operator.pub").unlink()
    assert caller.run(*words, "--recovery-key", str(drawer.path)) == 0
    assert signers(caller) == ["operator", "recovery", "ana"]
    words = ("key", "add", public(new_key(caller.root, "bo")), "--principal", "bo")
    with pytest.raises(RefusedError, match="may not sign for this home"):
        caller.run(*words, "--sign-with", str(drawer.path))
    with pytest.raises(UsageError, match="one key signs"):
        caller.run(*words, "--sign-with", str(ana.path), "--recovery-key", str(drawer.path))


def test_without_any_key_a_reset_lets_a_new_one_count_after_a_day(caller: Caller) -> None:
    with pytest.raises(RefusedError, match="this machine has a key that may sign"):
        caller.run("key", "reset", "--no-passphrase")
    (keys_dir(caller) / "operator").unlink()
    (keys_dir(caller) / "operator.pub").unlink()
    record = caller.record("key", "reset", "--no-passphrase")
    assert record["wait_s"] == 24 * 3600
    assert caller.record("key", "list")["reset_counts_in_s"] == 24 * 3600
    assert "A reset waits and counts in 24 hours" in caller.text("key", "list")
    assert "the keys were reset, signed by nobody" in caller.text("status")
    proposal = caller.desk.proposal(addition("One."))
    with pytest.raises(RefusedError, match="may not sign"):
        caller.run("reject", proposal.id, "--reason", "no")
    caller.desk.wait(hours=24)
    assert caller.run("reject", proposal.id, "--reason", "no") == 0
    assert caller.run("verify") == 0
    assert "note: the keys were reset on 2026-03-01 06:00 UTC, signed by nobody" in caller.text("verify")
    assert caller.record("verify")["resets"] == [
        {"at": "2026-03-01T06:00:00Z", "cancelled": False, "loss": None}
    ]


def test_a_reset_that_the_operator_did_not_ask_for_is_ended_by_a_signature(caller: Caller) -> None:
    ana = add(caller, "ana")
    assert caller.run("key", "reset", "--no-passphrase", "--passphrase-forgotten") == 0
    with pytest.raises(RefusedError, match="may not sign"):
        caller.run("key", "confirm")
    assert caller.run("key", "confirm", "--sign-with", str(ana.path)) == 0
    caller.desk.wait(days=3)
    assert signers(caller) == ["operator", "ana"]
    assert "a signature ended it before it counted" in caller.text("verify")
    assert "(not in force)" in caller.text("key", "list")


def test_what_status_and_doctor_say_of_a_reset_ends_it(caller: Caller) -> None:
    assert caller.run("key", "reset", "--no-passphrase", "--passphrase-forgotten") == 0
    (kept,) = keys_dir(caller).glob("operator.before-*Z")
    (alarm,) = caller.record("status")["alarms"]
    assert alarm == {
        "kind": "integrity",
        "message": "the keys were reset, signed by nobody: another key counts in 24 hours",
        "hint": "if that was not you: nightledger key confirm --sign-with FILE",
    }
    for verb in ("status", "doctor"):
        assert f"> {alarm['hint']}" in " ".join(caller.text(verb).split())
    said = alarm["hint"].partition(": nightledger ")[2].replace("FILE", str(kept))
    assert caller.run(*said.split()) == 0
    assert caller.record("status")["alarms"] == []
    assert alarm["message"] not in " ".join(caller.text("doctor", "--all").split())


def test_when_a_reset_was_ended_the_key_before_it_is_taken_back(caller: Caller) -> None:
    good = public_key_of(keys_dir(caller) / "operator.pub")
    assert caller.run("key", "reset", "--no-passphrase", "--passphrase-forgotten") == 0
    thief = (keys_dir(caller) / "operator").read_bytes()
    (kept,) = keys_dir(caller).glob("operator.before-*Z")
    assert (
        caller.record("key", "restore")["taken_back"] is None
    )  # while it waits, the new key is the one to come
    assert "the one that may was replaced" not in caller.text("doctor", "--all")
    told = caller.lines("key", "confirm", "--sign-with", str(kept))
    assert told[-1] == "  nightledger key restore"
    assert any(str(kept) in line for line in told)
    assert "the one that may was replaced" in caller.text("doctor", "--all")
    assert "> nightledger key restore" in caller.text("doctor", "--all")
    record = caller.record("key", "restore")
    assert record == {"restored": [], "taken_back": good.fingerprint}
    assert (
        public_key_of(keys_dir(caller) / "operator.pub")
        == public_key_of(keys_dir(caller) / "operator")
        == good
    )
    assert thief in [path.read_bytes() for path in keys_dir(caller).glob("operator.before-*")]
    assert caller.run("key", "confirm") == 0
    assert "the one that may was replaced" not in caller.text("doctor", "--all")
    assert "signs here again" not in caller.text("key", "restore")


def test_of_a_key_that_could_not_sign_a_rotation_says_no_good(caller: Caller) -> None:
    assert caller.run("key", "reset", "--no-passphrase", "--passphrase-forgotten") == 0
    (kept,) = keys_dir(caller).glob("operator.before-*Z")
    assert caller.run("key", "confirm", "--sign-with", str(kept)) == 0
    told = caller.text("key", "rotate", "--no-passphrase", "--sign-with", str(kept))
    assert "could not." in told
    assert "stays good" not in told
    assert "stays good" in caller.text("key", "rotate", "--no-passphrase")


def test_a_key_that_an_agent_holds_is_taken_back_by_its_public_side(caller: Caller) -> None:
    good = public_key_of(keys_dir(caller) / "operator.pub")
    assert caller.run("key", "reset", "--no-passphrase", "--passphrase-forgotten") == 0
    (kept,) = keys_dir(caller).glob("operator.before-*Z")
    elsewhere = caller.root / "elsewhere"
    kept.rename(elsewhere)
    (caller.root / "elsewhere.pub").write_text(f"{good.line}\n")
    assert caller.run("key", "confirm", "--sign-with", str(elsewhere)) == 0
    assert "signs here again" in caller.text("key", "restore")
    assert public_key_of(keys_dir(caller) / "operator.pub") == good
    assert not (keys_dir(caller) / "operator").exists()


def test_a_trust_file_that_differs_is_listed_and_put_back(caller: Caller) -> None:
    path = Path(caller.home.allowed_signers)
    held = path.read_bytes()
    path.write_bytes(held + b"# by an agent\n")
    assert caller.run("verify") == 4
    assert "'nightledger key restore' puts trust files back" in caller.text("verify")
    assert caller.run("status", "--exit-code") == 4
    assert "nightledger key restore" in caller.text("status")
    assert caller.record("key", "list")["differ_on_disk"] == ["allowed_signers"]
    assert "key restore puts it back" in caller.text("key", "list")
    assert caller.text("key", "restore") == "Put back: allowed_signers."
    assert path.read_bytes() == held
    assert caller.text("key", "restore") == "The trust files are as the log names them."


@pytest.mark.parametrize("suffix", ["", ".sig"])
def test_an_altered_decision_about_keys_stops_nothing_and_is_put_back(caller: Caller, suffix: str) -> None:
    """Any program of this user can change such a file."""
    add(caller, "ana")
    (decision,) = caller.desk.ledger().book.decisions
    path = f"{caller.home.decision(decision)}{suffix}"
    held = Path(path).read_bytes()
    Path(path).unlink()
    name = caller.home.relative(path)
    assert caller.run("verify") == 4
    assert f"ALTERED {name}: " in caller.text("verify")
    assert "backup" not in caller.text("verify")
    assert caller.run("status", "--exit-code") == 4
    assert name in caller.text("status")
    assert caller.run("doctor", "--all") == 1
    add(caller, "bo")
    assert signers(caller) == ["operator", "ana", "bo"]
    assert caller.text("key", "restore") == f"Put back: {name}."
    assert Path(path).read_bytes() == held
    assert caller.run("verify") == 0


def test_an_altered_review_of_consent_is_told_by_status_and_put_back(caller: Caller) -> None:
    assert (
        caller.run(
            "consent",
            "review",
            "--graph-sha256",
            caller.record("consent", "review", "--dry-run")["graph_sha256"],
        )
        == 0
    )
    (decision,) = caller.desk.ledger().book.decisions
    path = Path(caller.home.decision(decision))
    path.write_bytes(b"{}\n")
    assert caller.run("status", "--exit-code") == 4
    assert caller.run("key", "restore") == 0
    assert caller.run("status", "--exit-code") == 0


def test_nothing_is_signed_over_trust_files_that_changed_meanwhile(caller: Caller) -> None:
    counts = iter((b"one", b"two"))
    at = caller.desk.moment.at.isoformat()
    context = Context(verb="key", home=caller.home.root, now_text=at, json=False)
    with pytest.raises(FileChangedError, match="changed meanwhile; nothing was signed"):
        trust_change.change_trust(context, lambda _: {"peers": next(counts)})
    assert caller.desk.ledger().book.decisions == {}


def test_a_home_that_nobody_may_sign_for_is_said_to_be_one() -> None:
    record: dict[str, Any] = {
        "signers": [],
        "revoked": [],
        "steps": [{}],
        "reset_counts_in_s": None,
        "differ_on_disk": [],
    }
    assert list(key_list._key_lines(record)) == ["Nobody may sign."]


def test_a_line_says_what_it_is_for() -> None:
    key = ed25519_key(bytes(32))
    lines = {None: ("everything",), ("git", RECOVERY_NAMESPACE): ("git", "recovery")}
    for namespaces, words in lines.items():
        line = AllowedSigner(principals=("ana",), key=key, namespaces=namespaces)
        assert key_changes.purposes(line) == words


def test_a_rotation_without_the_old_key_says_what_is_left(caller: Caller) -> None:
    for path in keys_dir(caller).glob("operator*"):
        path.unlink()
    with pytest.raises(RefusedError, match="no key here to hand over from") as failure:
        caller.run("key", "rotate", "--no-passphrase")
    assert "key reset" in failure.value.hint


def test_a_recovery_key_gets_no_say_in_decisions(caller: Caller) -> None:
    drawer = new_key(caller.root, "drawer")
    assert caller.run("key", "recovery", public(drawer)) == 0
    with pytest.raises(RefusedError, match="is the recovery key 'recovery', which signs no decision"):
        caller.run("key", "add", public(drawer), "--principal", "dupe")
    assert signers(caller) == ["operator", "recovery"]
