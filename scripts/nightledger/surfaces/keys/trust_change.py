"""Have the operator sign a change of trust files: keys, policy, peers, the constitution.

Invariant: the new bytes are worked out anew under the lock, from what is in force then, and
nothing is signed when they are not those that were shown.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nightledger.domain.decision import NAMESPACE, Decision, DecisionType
from nightledger.domain.errors import FileChangedError
from nightledger.domain.trusting import TRUST_FILES
from nightledger.gate.deciding import accept, sign
from nightledger.gate.guard.locking import require_exchangeable
from nightledger.gate.integrity.trust_changes import keep_contents
from nightledger.gate.integrity.trusting import Trust
from nightledger.gate.proposing.unproposed import make_unproposed, trust_targets
from nightledger.surfaces import signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session, reading, writing
from nightledger.trust import keys
from nightledger.trust.sshsig import Signer

Edit = Callable[[Mapping[str, bytes]], Mapping[str, bytes]]
"""Gives the new bytes of the trust files that are to change, by name, from those in force."""
NAMES = tuple(sorted(TRUST_FILES))


@dataclass(frozen=True, slots=True, kw_only=True)
class By:
    """Who is to sign.

    Attributes:
        path: The private key's file; None is the operator's own.
        namespace: What it signs as.
    """

    path: Path | None = None
    namespace: str = NAMESPACE


def change_trust(context: Context, edit: Edit, *, by: By | None = None, reason: str = "") -> Decision:
    """Sign and record a change of trust files, and put the files in place.

    Args:
        context: The command's surroundings.
        edit: Works out the new bytes; called again under the lock.
        by: Who is to sign; None is the operator.
        reason: The operator's words, for the record.

    Raises:
        RefusedError: An agent's host is calling, the key may not sign, or the change would leave
            nobody who can.
        FileChangedError: Trust files were changed meanwhile; nothing was signed.
        LockError: The operating system locks one of them, and this user cannot exchange it.
    """
    who = by or By()
    with reading(context, person=True) as seen:
        shown = dict(edit(_in_force(seen)))
        require_exchangeable(seen.gate, (TRUST_FILES[name] for name in shown))
        signer = _unlock(seen, context, who)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        contents = dict(edit(_in_force(session)))
        if contents != shown:
            raise FileChangedError("the trust files were changed meanwhile; nothing was signed")
        return _sign(session, contents, signer, who, reason)


def _in_force(session: Session) -> dict[str, bytes]:
    trust = Trust(session.gate.home, session.ledger)
    return {name: trust.content(name, session.moment) for name in NAMES}


def _unlock(session: Session, context: Context, who: By) -> Signer:
    if who.path is None:
        return signing.unlock(session, context)
    signer = signing.signer_at(who.path, context)
    signing.principal_at(session, who.path, signer.public_key, who.namespace)
    return signer


def _sign(session: Session, contents: Mapping[str, bytes], signer: Signer, who: By, reason: str) -> Decision:
    gate = session.gate
    path = who.path or keys.operator_key_path(gate.ring, gate.home.identity.id)
    principal = signing.principal_at(session, path, signer.public_key, who.namespace)
    keep_contents(gate.home, contents)
    before = Trust(gate.home, session.ledger).files(session.moment)
    decision = make_unproposed(
        gate,
        DecisionType.TRUST,
        trust_targets(before, contents),
        signing.prepare(session, principal),
        reason=reason,
    )
    signed = sign(decision, signer, namespace=who.namespace)
    accepted = accept(gate, session.reread(), signed, session.moment)
    session.reread()
    return accepted
