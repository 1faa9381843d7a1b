import pytest
from tests.surfaces.console import Console

from nightledger.domain.errors import FileChangedError
from nightledger.surfaces import trust_change
from nightledger.surfaces.context import Context
from nightledger.trust.keys import public_key_of

RESET = ("key", "reset", "--no-passphrase", "--passphrase-forgotten")


def test_of_a_key_that_could_not_sign_a_rotation_says_no_good(console: Console) -> None:
    console.out(*RESET)
    (kept,) = console.keys.glob("operator.before-*Z")
    console.out("key", "confirm", "--sign-with", str(kept))
    told = console.text("key", "rotate", "--no-passphrase", "--sign-with", str(kept))
    assert "could not." in told
    assert "stays good" not in told
    assert "stays good" in console.text("key", "rotate", "--no-passphrase")


def test_a_key_that_an_agent_holds_is_taken_back_by_its_public_side(console: Console) -> None:
    good = public_key_of(console.keys / "operator.pub")
    console.out(*RESET)
    (kept,) = console.keys.glob("operator.before-*Z")
    elsewhere = console.desk.root / "elsewhere"
    kept.rename(elsewhere)
    elsewhere.with_suffix(".pub").write_text(f"{good.line}\n")
    console.out("key", "confirm", "--sign-with", str(elsewhere))
    assert "signs here again" in console.text("key", "restore")
    assert public_key_of(console.keys / "operator.pub") == good
    assert not (console.keys / "operator").exists()


def test_nothing_is_signed_over_trust_files_that_changed_meanwhile(console: Console) -> None:
    counts = iter((b"one", b"two"))
    at = console.desk.moment.at.isoformat()
    context = Context(verb="key", home=console.home.root, now_text=at, json=False)
    with pytest.raises(FileChangedError, match="changed meanwhile; nothing was signed"):
        trust_change.change_trust(context, lambda _: {"peers": next(counts)})
    assert console.desk.ledger().book.decisions == {}
