"""What who has the log's key and no operator's key can append: applies that never were, and how they are found."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.gate.homes import Desk
from tests.gate.signers import own_key
from tests.second_verifier import second_look

from nightledger.domain.decision import Decision, DecisionTarget, DecisionType, Moment
from nightledger.domain.kept import LINKS
from nightledger.domain.trusting import EMPTY_SHA256
from nightledger.files.blobs import BlobStore
from nightledger.gate.applies import AppliesLook, look_at_applies
from nightledger.gate.checking import verify_decisions
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.stored import sign
from nightledger.trust.report import Damage

NOTHING: Mapping[str, Any] = {}


def look(desk: Desk, now: Moment | None = None) -> AppliesLook:
    """Compare every apply with what was signed."""
    ledger = desk.ledger()
    return look_at_applies(desk.home, ledger, verify_decisions(desk.home, ledger), now or desk.moment)


def said(desk: Desk, *, alone: bool = False) -> str:
    """Give why the one apply that is not what was signed is not.

    Args:
        desk: Whose home.
        alone: Whether the independent verifier leaves this unchecked, as it says: places in a file, parts of a
            drift, daily logs and the archive.
    """
    (found,) = look(desk).findings
    status, told = second_look(desk.home.root, desk.ring.directory)
    assert status == 4 or alone, told
    assert (found.damage, found.alarm) == (Damage.UNSIGNED, True)
    assert found.path == desk.home.relative(desk.home.audit_log)
    assert found.line is not None
    return found.message.partition(": ")[2].partition("is not what was signed: ")[2] or found.message


def counts(desk: Desk) -> tuple[int, int]:
    """Give how many applies are what was signed, and how many cannot be checked any more; no other is there."""
    seen = look(desk)
    assert seen.findings == ()
    told = second_look(desk.home.root, desk.ring.directory)[1]
    assert not told.startswith("UNSIGNED"), told
    return seen.checked, seen.expired


def sha(content: str) -> str:
    """Give the hash of a text."""
    return hashlib.sha256(content.encode()).hexdigest()


def keep(desk: Desk, content: str) -> str:
    """Keep a text as a blob, and give its hash."""
    return BlobStore(desk.home.blobs_dir).put(content.encode())


def intent_of(decision: Decision, **target: str) -> dict[str, Any]:
    """Give the members of the intent that would carry a decision out, in the very bytes that it names.

    Args:
        decision: What it carries out.
        target: Members of the target, of its only file, that are to be others.
    """
    targets = [
        {
            "path": signed.path,
            "before": signed.base,
            "after": signed.result,
            "signed_base": signed.base,
            "signed_result": signed.result,
            **target,
        }
        for signed in decision.targets
        if signed.path != LINKS
    ]
    assert len(targets) == 1 or not target
    return {
        "decision": decision.id,
        "proposal": decision.proposal,
        "changes": list(decision.changes),
        "targets": targets,
    }


def forge(desk: Desk, fields: dict[str, Any], *, number: int = 1, end: str = "apply.done") -> None:
    """Append an apply that never was; an empty ``end`` leaves it unfinished."""
    apply = f"a-{number:026d}"
    desk.record("apply.intent", apply=apply, **fields)
    if end == "apply.raced":
        desk.record(end, apply=apply, replaced=[])
    elif end:
        desk.record(end, apply=apply)


def record_unasked(desk: Desk, signed_one: Decision, said_of_it: Mapping[str, Any] = NOTHING) -> None:
    """Store and log a decision that the operator signed, as the gate would not."""
    decision, signed = signed_one, sign(signed_one, own_key(desk).signer)
    name = said_of_it.get("decision", decision.id)
    Path(desk.home.decision(name)).write_bytes(signed.content)
    Path(f"{desk.home.decision(name)}.sig").write_text(signed.signature)
    fields = {
        "decision": decision.id,
        "sha256": hashlib.sha256(signed.content).hexdigest(),
        "signature_sha256": signed.signature_sha256,
        "type": decision.type.value,
        "proposal": decision.proposal,
        "changes": list(decision.changes),
    }
    desk.record("decision.recorded", **{**fields, **said_of_it})


def expunge(desk: Desk, *paths: str) -> Decision:
    """Sign files away as an expunge of a leaked text does, and remove them; nothing else is logged."""
    targets = [
        DecisionTarget(
            path=path,
            base=hashlib.sha256(Path(desk.home.path(path)).read_bytes()).hexdigest(),
            result=EMPTY_SHA256,
            hunks_sha256=EMPTY_SHA256,
        )
        for path in paths
    ]
    decision = desk.accept(make_unproposed(desk.gate, DecisionType.EXPUNGE, targets, desk.signing()))
    for path in paths:
        Path(desk.home.path(path)).unlink()
    return decision
