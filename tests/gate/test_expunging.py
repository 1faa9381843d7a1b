"""What an expunge may touch, and what only looks like one. The verb's tests show the rest."""

import hashlib
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition
from tests.gate.signers import let_sign, new_key

from nightledger.domain.decision import Decision, DecisionTarget, DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.domain.trusting import EMPTY_SHA256
from nightledger.files.blobs import BlobStore
from nightledger.gate.deciding import make_unproposed


def target(desk: Desk, path: str, *, result: str = EMPTY_SHA256) -> DecisionTarget:
    base = hashlib.sha256(Path(desk.home.path(path)).read_bytes()).hexdigest()
    return DecisionTarget(path=path, base=base, result=result, hunks_sha256=result)


def compose(desk: Desk, *targets: DecisionTarget) -> Decision:
    return make_unproposed(desk.gate, DecisionType.EXPUNGE, targets, desk.signing())


def refused(desk: Desk, decision: Decision, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        desk.accept(decision)
    assert desk.ledger().book.gone == {}


@pytest.mark.parametrize(
    "path",
    ["MEMORY.md", "audit/trusted-channel-audit.jsonl", "audit/checkpoint", "config/nightledger/policy"],
)
@pytest.mark.parametrize("result", [EMPTY_SHA256, "0" * 64])
def test_no_other_file_may_go_or_be_rewritten(desk: Desk, path: str, result: str) -> None:
    refused(desk, compose(desk, target(desk, path, result=result)), "is no file that may go")


def test_what_the_chain_of_trust_files_rests_on_stays_in_both_its_places(desk: Desk) -> None:
    decision = let_sign(desk, new_key(desk.root, "ana"), "ana")
    path = desk.home.relative(desk.home.decision(decision.id))
    sha256 = hashlib.sha256(Path(desk.home.path(path)).read_bytes()).hexdigest()
    blob = desk.home.relative(BlobStore(desk.home.blobs_dir).path(sha256))
    for kept in (path, blob):
        refused(desk, compose(desk, target(desk, kept)), "no file that may go")


def test_a_file_that_changed_since_it_was_signed_is_refused(desk: Desk) -> None:
    proposal = desk.proposal(addition("One."))
    path = Path(desk.home.proposal(proposal.id))
    made = compose(desk, target(desk, f"memory/state/proposals/{proposal.id}.json"))
    path.write_bytes(path.read_bytes() + b"\n")
    refused(desk, made, "is not the file any more")
    path.unlink()
    refused(desk, made, "is not the file any more")
