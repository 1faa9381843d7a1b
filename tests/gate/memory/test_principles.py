from pathlib import Path

import pytest
from tests.gate.homes import Desk, make_desk
from tests.gate.principled import amendment

from nightledger.codec.constitution import dump_constitution
from nightledger.domain.constitution import Constitution
from nightledger.domain.decision import Decision
from nightledger.domain.errors import RefusedError
from nightledger.gate.integrity import trust_changes
from nightledger.gate.memory.principles import (
    read_principles,
    shipped_principles,
)

SEED = dump_constitution(shipped_principles())


@pytest.fixture
def seeded(tmp_path: Path) -> Desk:
    return make_desk(tmp_path, constitution=SEED)


def in_force(desk: Desk) -> Constitution | None:
    return read_principles(desk.home, desk.ledger(), desk.moment)


def amend(desk: Desk, content: bytes) -> Decision:
    return desk.accept(amendment(desk, content))


def shorter() -> bytes:
    return dump_constitution(Constitution(v=1, principles=shipped_principles().principles[:3]))


def test_an_amendment_signed_over_another_constitution_is_refused(seeded: Desk) -> None:
    late = amendment(seeded, b"")
    amend(seeded, shorter())
    with pytest.raises(RefusedError, match="not the file any more that it was signed over"):
        seeded.accept(late)


def test_who_may_not_exchange_a_locked_constitution_cannot_sign_for_it(
    seeded: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = "constitution.yaml is locked by the operating system"
    monkeypatch.setattr(trust_changes, "why_locked", lambda _gate, _path: why)
    with pytest.raises(RefusedError, match="is locked by the operating system"):
        amend(seeded, shorter())
    assert in_force(seeded) == shipped_principles()
