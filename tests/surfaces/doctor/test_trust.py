"""What doctor says of signers, of a lost key, of consent, and of how much a signature proves."""

import json
import shutil
from itertools import chain
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition, open_desk
from tests.gate.signers import let_recover, new_key
from tests.trust.ssh_keys import SoftKey

from nightledger.domain.decision import DecisionType
from nightledger.gate.consenting import graph_target
from nightledger.gate.opening import read_ledger
from nightledger.gate.review.composing import make_unproposed
from nightledger.surfaces.doctor.checks import State
from nightledger.surfaces.doctor.keys import Protection, check_consent, check_keys, check_trust, protection
from nightledger.surfaces.doctor.text import level_of
from nightledger.trust.sshkey import ED25519, SK_ECDSA_P256, SK_ED25519


@pytest.fixture
def desk(template: Path, tmp_path: Path) -> Desk:
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return open_desk(tmp_path)


def said(desk: Desk) -> list[tuple[State, str]]:
    ledger = read_ledger(desk.gate)
    looks = (check(desk.gate, ledger, desk.moment) for check in (check_trust, check_consent))
    return [
        (check.state, check.message) for check in chain.from_iterable(looks) if check.area != "constitution"
    ]


def operator(desk: Desk) -> Path:
    return desk.ring.path(desk.home.identity.id, "operator")


def test_without_a_recovery_key_it_says_what_a_lost_key_costs(desk: Desk) -> None:
    assert said(desk) == [
        (
            State.NOTE,
            "there is no recovery key: when the operator's is lost, a new one counts after a reset of 24 hours",
        ),
        (State.GOOD, "0 days since the last signed review, or since the home began"),
    ]
    let_recover(desk, new_key(desk.root, "drawer"))
    assert said(desk)[0] == (
        State.GOOD,
        "a recovery key can bring in a new signer when the operator's is lost",
    )


def test_consent_that_decays_soon_or_did_is_told(desk: Desk) -> None:
    desk.wait(days=25)
    assert said(desk)[1] == (
        State.NOTE,
        "25 days since the last signed review; in 5 what is autonomous asks for approval",
    )
    desk.wait(days=8)
    assert said(desk)[1] == (
        State.NOTE,
        "no review was signed for 33 days: what was autonomous asks for approval",
    )
    desk.reject(desk.proposal(addition("One.")))
    assert said(desk)[1][0] is State.GOOD


def test_an_own_graph_that_nobody_signed_for_is_told(desk: Desk) -> None:
    Path(desk.home.consent_graph).write_text(
        json.dumps({"v": 1, "domains": {"email": {"autonomous": ["send"]}}})
    )
    moved = open_desk(desk.root)
    assert "was not signed for" in said(moved)[-1][1]
    moved.accept(
        make_unproposed(moved.gate, DecisionType.CONSENT, [graph_target(moved.gate)], moved.signing())
    )
    Path(desk.home.consent_graph).unlink()
    assert "is not the one that was signed" in said(open_desk(desk.root))[-1][1]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [(SK_ED25519, Protection.HARDWARE), (SK_ECDSA_P256, Protection.HARDWARE), (ED25519, Protection.AGENT)],
)
def test_the_public_side_tells_hardware_from_an_agent(desk: Desk, kind: str, expected: Protection) -> None:
    operator(desk).unlink()
    operator(desk).with_name("operator.pub").write_text(f"{SoftKey(kind).public.line}\n")
    assert protection(desk.home, desk.ring) is expected


def test_a_home_whose_peers_sign_holds_public_keys_only(desk: Desk) -> None:
    operator(desk).unlink()
    operator(desk).with_name("operator.pub").unlink()
    assert protection(desk.home, desk.ring) is Protection.MISSING
    Path(desk.home.root, "config", "nightledger", "peers.json").write_text("{}")
    assert protection(desk.home, desk.ring) is Protection.OTHER_MACHINE
    assert any(
        "decisions are signed on another machine" in c.message for c in check_keys(desk.home, desk.ring)
    )


def test_a_key_that_others_may_read_protects_nothing(desk: Desk) -> None:
    operator(desk).chmod(0o644)
    assert protection(desk.home, desk.ring) is Protection.NONE


@pytest.mark.parametrize("found", list(Protection))
def test_every_level_says_what_it_does_not_prove_and_what_would_raise_it(found: Protection) -> None:
    level = level_of(found)
    assert level.name
    assert level.raised_by
    assert len(level.could_still) > 5
    assert len({level_of(other).could_still[0] for other in Protection}) == len(Protection)
