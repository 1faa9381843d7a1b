from pathlib import Path

import pytest
from tests.gate.homes import Desk, make_desk
from tests.gate.principled import amendment
from tests.gate.signers import new_key

from nightledger.codec.constitution import dump_constitution
from nightledger.domain.constitution import Constitution
from nightledger.domain.decision import Decision
from nightledger.domain.errors import RefusedError
from nightledger.gate.deciding import accept, sign
from nightledger.gate.integrity.checking import find_altered
from nightledger.gate.integrity.trust_changes import find_differing, restore_files, settle_trust
from nightledger.gate.memory.principles import (
    NAME,
    WHERE,
    read_principles,
    shipped_principles,
)
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


def test_a_home_made_before_gets_one_by_signature(desk: Desk) -> None:
    amend(desk, SEED)
    assert in_force(desk) == shipped_principles()
    amend(desk, b"")
    assert in_force(desk) is None


def sign_with(desk: Desk, decision: Decision, signer: Signer, **how: str) -> None:
    accept(desk.gate, desk.ledger(), sign(decision, signer, **how), desk.moment)


def test_a_strangers_key_amends_nothing(seeded: Desk) -> None:
    stranger = new_key(seeded.root, "stranger")
    with pytest.raises(RefusedError, match="no key in allowed_signers verifies"):
        sign_with(seeded, amendment(seeded, shorter()), stranger.signer)
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


# ---------------------------------------------------------------- locked by the operating system
