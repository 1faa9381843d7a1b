from pathlib import Path

import pytest
from tests.surfaces.calling import Caller

from nightledger.domain.errors import FileChangedError
from nightledger.surfaces import trust_change
from nightledger.surfaces.context import Context
from nightledger.trust.keys import public_key_of


def keys_dir(caller: Caller) -> Path:
    return caller.desk.ring.home_dir(caller.home.identity.id)


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
