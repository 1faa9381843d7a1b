"""Decisions that answer no proposal: about trust files, consent, or a leaked text."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import timedelta

from nightledger.domain.decision import VERSION, Decision, DecisionTarget, DecisionType
from nightledger.domain.trusting import TRUST_FILES
from nightledger.gate.opening import Gate
from nightledger.gate.review.composing import Signing
from nightledger.gate.signed import with_id


def make_unproposed(
    gate: Gate, kind: DecisionType, targets: Sequence[DecisionTarget], signing: Signing, *, reason: str = ""
) -> Decision:
    """Build a decision that answers no proposal; it does not cool.

    Args:
        gate: The home.
        kind: trust, consent or expunge.
        targets: What it says of each file.
        signing: Who signs, where, when.
        reason: The operator's words.
    """
    now = signing.moment.at
    return with_id(
        Decision(
            v=VERSION,
            id="",
            type=kind,
            origin=gate.home.identity.origin,
            host=signing.machine,
            proposal="",
            proposal_sha256="",
            changes=(),
            targets=tuple(targets),
            not_before=now,
            expires=now + timedelta(days=gate.settings.decision_expires_days),
            nonce=signing.fresh_nonce(),
            log=signing.head,
            principal=signing.principal,
            reason=reason,
        )
    )


def trust_targets(before: Mapping[str, str], contents: Mapping[str, bytes]) -> tuple[DecisionTarget, ...]:
    """Give what a decision says of trust files that are to have new bytes.

    Args:
        before: Hex SHA-256 of each trust file in force.
        contents: New bytes by name.
    """
    return tuple(
        _target(TRUST_FILES[name], before[name], content) for name, content in sorted(contents.items())
    )


def _target(path: str, base: str, content: bytes) -> DecisionTarget:
    result = hashlib.sha256(content).hexdigest()
    return DecisionTarget(path=path, base=base, result=result, hunks_sha256=result)
