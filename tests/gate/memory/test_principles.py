from dataclasses import replace
from pathlib import Path

import pytest
from tests.gate.guard.test_locking import System
from tests.gate.homes import START, Desk, make_desk, make_founding, open_desk
from tests.gate.principled import amendment
from tests.gate.signers import new_key

from nightledger.codec.constitution import dump_constitution, parse_constitution
from nightledger.domain.constitution import FOUNDING, Constitution
from nightledger.domain.decision import Decision
from nightledger.domain.errors import RecordError, RefusedError
from nightledger.domain.trusting import RECOVERY_NAMESPACE
from nightledger.files.flags import Flag
from nightledger.gate.deciding import accept, sign
from nightledger.gate.founding import found
from nightledger.gate.guard.locking import lock_files
from nightledger.gate.integrity.checking import find_altered
from nightledger.gate.integrity.trust_changes import find_differing, restore_files, settle_trust
from nightledger.gate.memory.principles import (
    NAME,
    WHERE,
    parse_new,
    read_principles,
    require_sound,
    shipped_principles,
)
from nightledger.trust.keys import load_operator_key, operator_key_path
from nightledger.trust.sshsig import Signer

SEED = dump_constitution(shipped_principles())


@pytest.fixture
def seeded(tmp_path: Path) -> Desk:
    return make_desk(tmp_path, constitution=SEED)


def in_force(desk: Desk) -> Constitution | None:
    return read_principles(desk.home, desk.ledger(), desk.moment)


def on_disk(desk: Desk) -> Path:
    return Path(desk.home.constitution)


def amend(desk: Desk, content: bytes) -> Decision:
    return desk.accept(amendment(desk, content))


def shorter() -> bytes:
    return dump_constitution(Constitution(v=1, principles=shipped_principles().principles[:3]))


def test_a_seeded_home_has_the_ten_principles_from_its_first_leaf(seeded: Desk) -> None:
    standing = in_force(seeded)
    assert standing is not None
    assert tuple(one.name for one in standing.principles) == FOUNDING
    assert on_disk(seeded).read_bytes() == SEED
    assert find_altered(seeded.home, seeded.ledger(), seeded.moment) == ()
    assert "care" not in seeded.text()


def test_a_home_without_has_none_and_that_is_no_alarm(desk: Desk) -> None:
    assert in_force(desk) is None
    assert find_altered(desk.home, desk.ledger(), desk.moment) == ()


def test_a_second_init_changes_no_byte(seeded: Desk) -> None:
    before = {p: p.read_bytes() for p in Path(seeded.home.root).rglob("*") if p.is_file()}
    found(make_founding(seeded.root, constitution=SEED), None, START)
    found(make_founding(seeded.root), None, START)
    assert {p: p.read_bytes() for p in Path(seeded.home.root).rglob("*") if p.is_file()} == before


@pytest.mark.parametrize("content", [b"", b"{}", SEED.replace(b"care", b"harm"), None])
def test_a_file_that_nobody_signed_is_an_alarm_and_never_a_new_truth(
    seeded: Desk, content: bytes | None
) -> None:
    before = in_force(seeded)
    on_disk(seeded).unlink()
    if content is not None:
        on_disk(seeded).write_bytes(content)
    assert [found.path for found in find_altered(seeded.home, seeded.ledger(), seeded.moment)] == [WHERE]
    assert find_differing(seeded.home, seeded.ledger(), seeded.moment) == (NAME,)
    assert in_force(seeded) == before
    settle_trust(seeded.gate, seeded.ledger(), seeded.moment)
    assert find_differing(seeded.home, seeded.ledger(), seeded.moment) == (NAME,)
    assert restore_files(seeded.gate, seeded.ledger(), seeded.moment) == (NAME,)
    assert on_disk(seeded).read_bytes() == SEED


def test_a_signature_amends_it(seeded: Desk) -> None:
    amend(seeded, shorter())
    assert in_force(seeded) == parse_constitution(shorter(), where="x")
    assert on_disk(seeded).read_bytes() == shorter()
    assert find_altered(seeded.home, seeded.ledger(), seeded.moment) == ()


def test_a_home_made_before_gets_one_by_signature(desk: Desk) -> None:
    amend(desk, SEED)
    assert in_force(desk) == shipped_principles()
    amend(desk, b"")
    assert in_force(desk) is None


def test_the_old_file_put_back_by_hand_is_replaced_by_what_was_signed(seeded: Desk) -> None:
    amend(seeded, shorter())
    on_disk(seeded).write_bytes(SEED)
    settle_trust(seeded.gate, seeded.ledger(), seeded.moment)
    assert on_disk(seeded).read_bytes() == shorter()


def test_what_is_no_constitution_cannot_be_signed_into_force(seeded: Desk) -> None:
    for content in (b"{}", SEED.replace(b"I leave people", b"I leave\\u202e people")):
        with pytest.raises(RefusedError, match="the new constitution cannot be used"):
            amend(seeded, content)
    assert in_force(seeded) == shipped_principles()


def sign_with(desk: Desk, decision: Decision, signer: Signer, **how: str) -> None:
    accept(desk.gate, desk.ledger(), sign(decision, signer, **how), desk.moment)


def test_a_strangers_key_amends_nothing(seeded: Desk) -> None:
    stranger = new_key(seeded.root, "stranger")
    with pytest.raises(RefusedError, match="no key in allowed_signers verifies"):
        sign_with(seeded, amendment(seeded, shorter()), stranger.signer)
    assert in_force(seeded) == shipped_principles()


def test_a_recovery_signature_amends_nothing(seeded: Desk) -> None:
    own = load_operator_key(operator_key_path(seeded.ring, seeded.home.identity.id))
    with pytest.raises(RefusedError, match="no key in allowed_signers verifies"):
        sign_with(seeded, amendment(seeded, shorter()), own, namespace=RECOVERY_NAMESPACE)
    assert in_force(seeded) == shipped_principles()


def test_an_amendment_signed_over_another_constitution_is_refused(seeded: Desk) -> None:
    late = amendment(seeded, b"")
    amend(seeded, shorter())
    with pytest.raises(RefusedError, match="not the file any more that it was signed over"):
        seeded.accept(late)


def test_what_an_older_version_watched_as_protected_is_no_drift(desk: Desk) -> None:
    desk.record("protected.seen", files=[{"path": WHERE, "sha256": "0" * 64}])
    assert WHERE not in desk.ledger().book.protected
    assert desk.guard() == ()


def test_steering_and_secrets_are_held_out_of_it() -> None:
    secret = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"
    care = shipped_principles().principles[8]
    for text, rule in ((f"I use {secret} always.", "secret."), ("I a\u202em kind.", "unicode.")):
        bad = Constitution(v=1, principles=(replace(care, text=text),))
        with pytest.raises(RecordError, match=rule) as caught:
            require_sound(bad)
        assert secret not in str(caught.value)
        with pytest.raises(RecordError, match=rule):
            parse_new(dump_constitution(bad))
    parse_new(b"")
    assert require_sound(shipped_principles()) == shipped_principles()


def test_a_home_opened_again_has_it_still(seeded: Desk) -> None:
    assert in_force(open_desk(seeded.root)) == shipped_principles()


# ---------------------------------------------------------------- locked by the operating system


def test_a_locked_constitution_is_amended_by_who_may_and_stays_locked(
    seeded: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = System(monkeypatch, root=True)
    lock_files(seeded.gate, seeded.moment)
    path = seeded.home.resolve(WHERE)
    assert system.read(path) == frozenset({Flag.IMMUTABLE})
    amend(seeded, shorter())
    assert on_disk(seeded).read_bytes() == shorter()
    assert system.read(path) == frozenset({Flag.IMMUTABLE})


def test_who_may_not_exchange_a_locked_constitution_cannot_sign_for_it(
    seeded: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = System(monkeypatch, root=True)
    lock_files(seeded.gate, seeded.moment)
    system.root = False
    with pytest.raises(RefusedError, match="is locked by the operating system"):
        amend(seeded, shorter())
    assert in_force(seeded) == shipped_principles()


def test_a_locked_file_that_is_behind_waits_for_who_may_and_stops_nothing(
    seeded: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    amend(seeded, shorter())
    on_disk(seeded).write_bytes(SEED)
    system = System(monkeypatch, root=True)
    lock_files(seeded.gate, seeded.moment)
    system.root = False
    settle_trust(seeded.gate, seeded.ledger(), seeded.moment)
    assert on_disk(seeded).read_bytes() == SEED
    system.root = True
    settle_trust(seeded.gate, seeded.ledger(), seeded.moment)
    assert on_disk(seeded).read_bytes() == shorter()
