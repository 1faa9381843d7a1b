"""Have the operator sign a change of trust files: keys, policy, peers, the constitution; and what each ``key`` subcommand makes of them.

Invariant: the new bytes are worked out anew under the lock, from what is in force then, and
nothing is signed when they are not those that were shown.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from nightledger.domain.decision import NAMESPACE, Decision, DecisionType
from nightledger.domain.errors import FileChangedError, RefusedError, UsageError
from nightledger.domain.trusting import RECOVERY_NAMESPACE, TRUST_FILES
from nightledger.files.durable import read_regular
from nightledger.gate.deciding import accept, make_unproposed
from nightledger.gate.gated import require_exchangeable
from nightledger.gate.stored import sign
from nightledger.gate.trust_changes import keep_contents, trust_targets
from nightledger.gate.trusting import Trust, parse_signers
from nightledger.surfaces import signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session, reading, writing
from nightledger.trust import signers
from nightledger.trust.keys import public_key_of
from nightledger.trust.signers import AllowedSigner, SignerSet
from nightledger.trust.sshsig import PublicKey, parse_public_line

MAX_LINE_BYTES = 16_384
Contents = Mapping[str, bytes]


def read_key(text: str, known: Sequence[PublicKey] = ()) -> PublicKey:
    """Read a public key: a ``.pub`` file, a private key's file, the line itself, or the fingerprint of a known one.

    Raises:
        UsageError: It is none of these.
        PublicKeyError: The line is malformed, or the key of a kind that is refused.
    """
    if not os.path.lexists(text):
        if " " in text.strip():
            return parse_public_line(text)
        if known:
            return signers.find_key(known, text)
        raise UsageError(
            f"there is no file {text!r}", hint="name a .pub file, or give the line itself in quotes"
        )
    raw = read_regular(os.path.realpath(text), MAX_LINE_BYTES)
    if raw.startswith(b"-----BEGIN"):
        return public_key_of(Path(text))
    return parse_public_line(raw.decode("utf-8", "replace"))


def add(key: PublicKey, principal: str, namespace: str, contents: Contents) -> Contents:
    """Let a key sign, for decisions or as a recovery key."""
    if namespace == NAMESPACE:
        _refuse_recovery(key, contents)
    signer = AllowedSigner(principals=(principal,), key=key, namespaces=(namespace,))
    allowed = signers.add_signer(_text(contents, "allowed_signers"), _text(contents, "revoked_keys"), signer)
    return {"allowed_signers": allowed.encode()}


def _refuse_recovery(key: PublicKey, contents: Contents) -> None:
    """Refuse to let a recovery key decide: it lies in a drawer to change who signs, and nothing else."""
    for signer in signers_in(contents).signers:
        if signer.key == key and signer.namespaces == (RECOVERY_NAMESPACE,):
            raise RefusedError(
                f"the key {key.fingerprint} is the recovery key {', '.join(signer.principals)!r}, which signs no decision",
                hint="name another key; one that is to decide is made with ssh-keygen -t ed25519 -f FILE",
            )


def revoke(key: PublicKey, contents: Contents) -> Contents:
    """Take a key out and revoke it for ever."""
    if key.blob in signers_in(contents).revoked:
        raise RefusedError(f"the key {key.fingerprint} is revoked already")
    allowed = signers.remove_key(_text(contents, "allowed_signers"), key)
    revoked = signers.revoke(_text(contents, "revoked_keys"), key)
    return {"allowed_signers": allowed.encode(), "revoked_keys": revoked.encode()}


def rotate(old: PublicKey, new: PublicKey, contents: Contents) -> Contents:
    """Let a new key sign under the names of an old one, which no longer may."""
    allowed, revoked = _text(contents, "allowed_signers"), _text(contents, "revoked_keys")
    lines = [signer for signer in signers_in(contents).signers if signer.key == old]
    names = lines[0].principals if lines else ("operator",)
    signer = AllowedSigner(principals=names, key=new, namespaces=(NAMESPACE,))
    replaced = signers.add_signer(signers.remove_key(allowed, old), revoked, signer)
    return {"allowed_signers": replaced.encode()}


def confirm(contents: Contents) -> Contents:
    """Sign the signers as they are: it ends a reset that waits."""
    return {"allowed_signers": contents["allowed_signers"]}


def purposes(signer: AllowedSigner) -> tuple[str, ...]:
    """Say what a line is for: ``decisions``, ``recovery``, or its namespaces."""
    if signer.namespaces is None:
        return ("everything",)
    words = {NAMESPACE: "decisions", RECOVERY_NAMESPACE: "recovery"}
    return tuple(words.get(namespace, namespace) for namespace in signer.namespaces)


def signers_in(contents: Contents) -> SignerSet:
    """Give the signer set of trust files' bytes."""
    return parse_signers(contents["allowed_signers"], contents["revoked_keys"])


def _text(contents: Contents, name: str) -> str:
    return contents[name].decode("utf-8", "replace")


Edit = Callable[[Contents], Contents]
"""Gives the new bytes of the trust files that are to change, by name, from those in force."""


def change_trust(
    context: Context, edit: Edit, *, path: Path | None = None, namespace: str = NAMESPACE, reason: str = ""
) -> Decision:
    """Sign and record a change of trust files, and put the files in place.

    Args:
        context: The command's surroundings.
        edit: Works out the new bytes; called again under the lock.
        path: The private key that is to sign; None is the operator's own.
        namespace: What it signs as.
        reason: The operator's words, for the record.

    Raises:
        RefusedError: An agent's host is calling, the key may not sign, or the change would leave
            nobody who can.
        FileChangedError: Trust files were changed meanwhile; nothing was signed.
        LockError: The operating system locks one of them, and this user cannot exchange it.
    """
    with reading(context, person=True) as seen:
        shown = dict(edit(_in_force(seen)))
        require_exchangeable(seen.gate, (TRUST_FILES[name] for name in shown))
        signer = signing.unlock(seen, context, path, namespace)
    with writing(context, keep_head=True, person=True, answered=True) as session:
        gate, contents = session.gate, dict(edit(_in_force(session)))
        if contents != shown:
            raise FileChangedError("the trust files were changed meanwhile; nothing was signed")
        key = path or signing.operator_path(gate)
        principal = signing.principal_at(session, key, signer.public_key, namespace)
        keep_contents(gate.home, contents)
        targets = trust_targets(Trust(gate.home, session.ledger).files(session.moment), contents)
        prepared = signing.prepare(session, principal)
        decision = make_unproposed(gate, DecisionType.TRUST, targets, prepared, reason=reason)
        signed = sign(decision, signer, namespace=namespace)
        accepted = accept(gate, session.reread(), signed, session.moment)
        session.reread()
        return accepted


def _in_force(session: Session) -> dict[str, bytes]:
    trust = Trust(session.gate.home, session.ledger)
    return {name: trust.content(name, session.moment) for name in sorted(TRUST_FILES)}
