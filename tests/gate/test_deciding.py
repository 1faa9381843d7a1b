import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.gate.homes import Desk, addition

from nightledger.domain.decision import Decision, DecisionType, LogHead
from nightledger.domain.errors import RecordError, RefusedError
from nightledger.domain.proposal import Proposal
from nightledger.gate.deciding import Signed, sign, with_id
from nightledger.trust.keys import KeyRing, create_operator_key, load_operator_key, operator_key_path
from nightledger.trust.sshsig import Signer


def one(desk: Desk) -> tuple[Proposal, Decision]:
    proposal = desk.proposal(addition("A lesson.", rank=0.9), addition("Another."))
    decisions, _ = desk.compose_all(proposal)
    return proposal, decisions[0]


def key(desk: Desk) -> Signer:
    return load_operator_key(operator_key_path(desk.ring, desk.home.identity.id))


def refused(desk: Desk, signed: Signed) -> str:
    before = desk.events()
    with pytest.raises(RefusedError) as caught:
        desk.accept_signed(signed)
    assert desk.events() == before
    assert desk.ledger().book.decisions == {}
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: replace(d, origin="nightledger/x"), "it was signed for another home"),
        (lambda d: replace(d, principal="mallory"), "it was signed by 'operator' and names 'mallory'"),
        (
            lambda d: replace(d, log=LogHead(size=d.log.size, root="0" * 64)),
            "the log head that it names is not a prefix of this log",
        ),
        (lambda d: replace(d, log=replace(d.log, size=99)), "the log head that it names is not a prefix"),
        (lambda d: replace(d, log=replace(d.log, size=1)), "the log head that it names is not a prefix"),
        (lambda d: replace(d, expires=d.not_before - timedelta(hours=2)), "it has expired"),
        (lambda d: replace(d, proposal="p-" + "a" * 26), "there is no proposal p-aaaaaaaaaa"),
        (lambda d: replace(d, proposal_sha256="0" * 64), "signed over other bytes of this proposal"),
        (lambda d: replace(d, changes=(1, 3)), "change 3 is withdrawn"),
        (lambda d: replace(d, type=DecisionType.UNDO), "change 1 is pending\n  change 2 is pending"),
    ],
)
def test_a_decision_that_fits_elsewhere_is_refused_here(
    desk: Desk, change: Callable[[Decision], Decision], reason: str
) -> None:
    _, decision = one(desk)
    assert reason in refused(desk, sign(with_id(change(decision)), key(desk)))


def test_bytes_in_another_form_are_refused_even_well_signed(desk: Desk) -> None:
    _, decision = one(desk)
    content = json.dumps(json.loads(sign(decision, key(desk)).content), indent=1).encode()
    signed = Signed(content=content, signature=key(desk).sign(content, "nightledger-decision@v1"))
    assert "not the canonical form" in refused(desk, signed)


def test_a_duplicate_key_is_refused(desk: Desk) -> None:
    _, decision = one(desk)
    content = sign(decision, key(desk)).content.replace(b'{"changes"', b'{"changes":[1],"changes"', 1)
    with pytest.raises(RecordError, match="stands twice"):
        desk.accept_signed(Signed(content=content, signature=key(desk).sign(content, "x")))


def test_an_unknown_key_another_namespace_and_other_bytes_are_refused(desk: Desk, tmp_path: Path) -> None:
    _, decision = one(desk)
    stranger_ring = KeyRing(tmp_path / "stranger")
    create_operator_key(stranger_ring, desk.home.identity.id, passphrase=None)
    stranger = load_operator_key(operator_key_path(stranger_ring, desk.home.identity.id))
    content = sign(decision, key(desk)).content
    no_key = "no key in allowed_signers verifies the signature"
    assert no_key in refused(desk, sign(decision, stranger))
    for signature in (
        key(desk).sign(content, "file"),
        key(desk).sign(b"else", "nightledger-decision@v1"),
        "",
        "\u20ac",
    ):
        assert no_key in refused(desk, Signed(content=content, signature=signature))
