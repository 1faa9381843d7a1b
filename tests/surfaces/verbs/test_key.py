from pathlib import Path

import pytest
from tests.gate.signers import Key, new_key
from tests.surfaces.calling import Caller

from nightledger.domain.errors import FileChangedError
from nightledger.gate.integrity.trusting import read_signers
from nightledger.surfaces import trust_change
from nightledger.surfaces.context import Context
from nightledger.trust.keys import public_key_of


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


def test_nothing_is_signed_over_trust_files_that_changed_meanwhile(caller: Caller) -> None:
    counts = iter((b"one", b"two"))
    at = caller.desk.moment.at.isoformat()
    context = Context(verb="key", home=caller.home.root, now_text=at, json=False)
    with pytest.raises(FileChangedError, match="changed meanwhile; nothing was signed"):
        trust_change.change_trust(context, lambda _: {"peers": next(counts)})
    assert caller.desk.ledger().book.decisions == {}
