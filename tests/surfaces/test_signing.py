import shutil
from pathlib import Path

import pytest
from tests.gate.homes import START, Desk, addition
from tests.gate.signers import new_key
from tests.surfaces.console import Console

from nightledger.domain.errors import RefusedError, UnreadableError
from nightledger.surfaces import session, signing
from nightledger.surfaces.context import Context
from nightledger.trust.keys import operator_key_path


def context(desk: Desk) -> Context:
    return Context(verb="review", home=desk.home.root, now_text=START.at.isoformat(), json=False)


def test_the_head_that_decisions_name_is_signed_and_kept(console: Console) -> None:
    desk = console.desk
    desk.proposal(addition("One."))
    with session.writing(context(desk)) as at_work:
        shared = signing.prepare(at_work)
        assert shared.head.size == 2
        assert shared.head.root == desk.ledger().log.root_at(2).hex()
        assert Path(desk.home.checkpoints_dir, "2").exists()
        assert (shared.principal, shared.machine) == ("operator", session.this_machine())
        first, second = shared.fresh_nonce(), shared.fresh_nonce()
        assert first != second
        assert len(bytes.fromhex(first)) == 16


def test_a_key_that_may_not_sign_is_named(console: Console) -> None:
    desk = console.desk
    path = operator_key_path(desk.ring, desk.home.identity.id)
    other = new_key(desk.root, "other").path
    for name in ("operator", "operator.pub"):
        path.with_name(name).write_bytes(other.with_name(name.replace("operator", "other")).read_bytes())
    with (
        pytest.raises(RefusedError, match="may not sign for this home"),
        session.writing(context(desk)) as at_work,
    ):
        signing.prepare(at_work)


def test_where_no_key_is_that_is_said_and_what_helps(console: Console) -> None:
    desk = console.desk
    path = operator_key_path(desk.ring, desk.home.identity.id)
    for name in (path, path.with_name("operator.pub")):
        name.unlink()
    with (
        pytest.raises(RefusedError, match="no operator's key is here to sign with") as caught,
        session.writing(context(desk)) as at_work,
    ):
        signing.principal_of(at_work)
    assert "docs/machines.md" in (caught.value.hint or "")


def test_without_a_private_key_file_ssh_keygen_signs(console: Console, tmp_path: Path) -> None:
    desk = console.desk
    path = operator_key_path(desk.ring, desk.home.identity.id)
    shutil.move(path, tmp_path / "elsewhere")
    signer = signing.signer_of(desk.gate, context(desk))
    assert type(signer).__name__ == "KeygenSigner"
    path.with_name("operator.pub").unlink()
    with pytest.raises(UnreadableError, match=r"operator\.pub is missing"):
        signing.signer_of(desk.gate, context(desk))
