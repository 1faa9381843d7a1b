"""Show who may sign, who could before, and what waits."""

import os
from collections.abc import Iterator
from typing import Any

from nightledger.domain.moment import Moment
from nightledger.domain.trusting import TrustStep
from nightledger.gate.integrity.trust_changes import find_differing
from nightledger.gate.integrity.trusting import Trust
from nightledger.surfaces.context import Context
from nightledger.surfaces.keys.changes import purposes
from nightledger.surfaces.session import Session, reading
from nightledger.surfaces.signing import operator_path, public_path
from nightledger.text.visible import visible_lines
from nightledger.trust.keys import public_key_of
from nightledger.trust.signers import AllowedSigner, SignerSet

_TIME = "%Y-%m-%dT%H:%M:%SZ"


def show_keys(context: Context) -> int:
    """Print who may sign; reads only."""
    with reading(context) as seen:
        record = keys_record(seen)
    context.emit(record)
    for line in _lines(record):
        for shown in visible_lines(line):
            context.print(shown)
    return 0


def keys_record(seen: Session) -> dict[str, Any]:
    """Give the signers in force, the steps of the chain, and what waits.

    Raises:
        IntegrityError: The set in force cannot be told.
    """
    trust = Trust(seen.gate.home, seen.ledger)
    signers = trust.signers(seen.moment)
    book = seen.ledger.book
    public = public_path(operator_path(seen.gate))
    here = public_key_of(public).fingerprint if os.path.lexists(public) else ""
    pending = book.trust.pending_reset(seen.moment)
    return {
        "signers": [_signer(signer, signers, here) for signer in signers.signers],
        "revoked": sorted(signers.revoked_fingerprints),
        "steps": [_step(step, seen.moment) for step in book.trust.steps],
        "reset_counts_in_s": pending.remaining_s(seen.moment) if pending else None,
        "differ_on_disk": list(find_differing(seen.gate.home, seen.ledger, seen.moment)),
    }


def _signer(signer: AllowedSigner, signers: SignerSet, here: str) -> dict[str, Any]:
    return {
        "principal": signer.principals[0],
        "fingerprint": signer.key.fingerprint,
        "kind": signer.key.kind,
        "for": list(purposes(signer)),
        "valid_after": signer.valid_after.strftime(_TIME) if signer.valid_after else None,
        "valid_before": signer.valid_before.strftime(_TIME) if signer.valid_before else None,
        "revoked": signer.key.blob in signers.revoked,
        "here": signer.key.fingerprint == here,
    }


def _step(step: TrustStep, now: Moment) -> dict[str, Any]:
    kind = "reset" if step.is_reset or step.loss is not None else "signed" if step.decision else "genesis"
    return {
        "at": step.since.at.strftime(_TIME),
        "kind": kind,
        "decision": step.decision or None,
        "files": sorted(step.files),
        "counts": step.counts(now),
    }


def _lines(record: dict[str, Any]) -> Iterator[str]:
    for signer in record["signers"]:
        state = ", revoked" if signer["revoked"] else ""
        place = ", the key of this machine" if signer["here"] else ""
        yield f"{signer['principal']}: {signer['fingerprint']} ({signer['kind']})"
        yield f"  for {' and '.join(signer['for'])}{place}{state}"
    if not record["signers"]:
        yield "Nobody may sign."
    for fingerprint in record["revoked"]:
        yield f"revoked: {fingerprint}"
    for step in record["steps"][1:]:
        what = {"reset": "the keys were reset", "signed": f"signed change {step['decision']}"}[step["kind"]]
        yield f"{step['at']} {what}: {', '.join(step['files'])}{'' if step['counts'] else ' (not in force)'}"
    if record["reset_counts_in_s"] is not None:
        hours = -(-record["reset_counts_in_s"] // 3600)
        yield f"A reset waits and counts in {hours} hours. To end it: key confirm --sign-with FILE"
    for name in record["differ_on_disk"]:
        yield f"{name} on disk is not the one in force: nightledger key restore puts it back"
