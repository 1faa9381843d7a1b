"""What an expunge may touch, and what only looks like one. The verb's tests show the rest."""

import hashlib
from pathlib import Path

import pytest
from tests.gate.homes import Desk
from tests.gate.signers import let_sign, new_key
from tests.remote.peer_work import make_work

from nightledger.codec.records import dump_record
from nightledger.domain.decision import Decision, DecisionTarget, DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.domain.finding import needle_of
from nightledger.domain.message import MESSAGE_TYPE
from nightledger.domain.trusting import EMPTY_SHA256
from nightledger.files.atomic import BlobStore
from nightledger.files.durable import make_dir
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.expunging import find_held
from nightledger.remote.handlers import propose_change
from nightledger.remote.receiving import load_machine_key
from nightledger.trust.dsse import seal

TEXT = "the harbour door opens with the left key"


def expunging(desk: Desk, path: str, result: str = EMPTY_SHA256) -> Decision:
    base = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    target = DecisionTarget(path=desk.home.relative(path), base=base, result=result, hunks_sha256=result)
    return make_unproposed(desk.gate, DecisionType.EXPUNGE, [target], desk.signing())


def refused(desk: Desk, decision: Decision, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        desk.accept(decision)
    assert desk.ledger().book.gone == {}


@pytest.mark.parametrize("result", [EMPTY_SHA256, "0" * 64])
def test_no_other_file_may_go_or_be_rewritten(desk: Desk, result: str) -> None:
    for path in (desk.memory, desk.home.audit_log, desk.home.checkpoint, desk.home.policy):
        refused(desk, expunging(desk, str(path), result), "is no file that may go")


def test_what_the_chain_of_trust_files_rests_on_stays_in_both_its_places(desk: Desk) -> None:
    path = desk.home.decision(let_sign(desk, new_key(desk.root, "ana"), "ana").id)
    blob = BlobStore(desk.home.blobs_dir).path(hashlib.sha256(Path(path).read_bytes()).hexdigest())
    for kept in (path, blob):
        refused(desk, expunging(desk, kept), "no file that may go")


def test_texts_answers_and_dead_letters_are_found_within_their_envelopes(desk: Desk) -> None:
    work = make_work(desk, "propose_behavioral_change", {"text": f"- {TEXT}", "reason": "x"})
    propose_change(work)
    home = desk.home
    envelope = seal(MESSAGE_TYPE, dump_record(work.message), load_machine_key(desk.ring, home.identity.id))
    assert TEXT.encode() not in envelope
    Path(home.dead_letters).write_bytes(b'{"envelope":' + envelope + b"}\n")
    make_dir(home.channel_dir)
    (Path(home.channel_dir) / "sent.json").write_bytes(envelope)
    found = find_held(desk.gate, desk.ledger(), needle_of(TEXT))
    assert {home.relative(home.received(work.message.id)), home.relative(home.dead_letters)} <= {
        *found.removed
    }
    assert ".nightledger/channel/sent.json" in found.derived
    assert found.elsewhere == ()
