import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk, open_desk
from tests.gate.killing import deaths
from tests.gate.signers import compose_change, new_key, sign_change, text
from tests.rows import from_corpus

from nightledger.domain.decision import Decision
from nightledger.domain.errors import RefusedError
from nightledger.gate.checking import find_altered
from nightledger.gate.stored import with_id
from nightledger.gate.trust_changes import reset_signers, settle_trust
from nightledger.gate.trusting import Trust
from nightledger.trust import signers


def names(desk: Desk) -> list[str]:
    return [signer.principals[0] for signer in Trust(desk.home, desk.ledger()).signers(desk.moment).signers]


def refused(desk: Desk, decision: Decision) -> str:
    before = desk.events()
    with pytest.raises(RefusedError) as caught:
        desk.accept(decision)
    assert desk.events() == before
    return str(caught.value)


@from_corpus("gate-integrity-trust_changes")
def test_bytes_that_could_not_be_read_are_refused(desk: Desk, name: str, content: str) -> None:
    assert f"the new {name} cannot be used" in refused(desk, compose_change(desk, {name: content}))


def test_hashes_of_one_file_must_agree(desk: Desk) -> None:
    decision = compose_change(desk, {"policy": text(desk, "policy")})
    other = replace(decision, targets=(replace(decision.targets[0], hunks_sha256="0" * 64),))
    assert "its hashes of one file are not the same" in refused(desk, with_id(other))


@from_corpus("gate-integrity-trust_changes")
def test_a_reset_to_nobody_is_refused(desk: Desk, contents: dict[str, bytes]) -> None:
    with pytest.raises(RefusedError, match="nobody who could sign"):
        reset_signers(desk.gate, desk.ledger(), contents, desk.moment)


def test_a_kill_at_any_step_leaves_the_old_set_or_the_new_one(template: Path, tmp_path: Path) -> None:
    base, seen = tmp_path / "base", set()
    shutil.copytree(template, base)
    desk = open_desk(base)
    allowed = signers.add_signer(text(desk, "allowed_signers"), "", new_key(base, "other").line("ana"))
    signed = sign_change(desk, {"allowed_signers": allowed})
    for root in deaths(base, tmp_path, lambda root: open_desk(root).accept_signed(signed)):
        desk = open_desk(root)
        settle_trust(desk.gate, desk.ledger(), desk.moment)
        assert find_altered(desk.home, desk.ledger(), desk.moment) == ()
        seen.add(tuple(names(desk)))
    assert seen == {("operator",), ("operator", "ana")}
