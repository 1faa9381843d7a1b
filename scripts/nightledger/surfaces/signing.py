"""Get the operator's signature: one passphrase or one touch for everything answered."""

import getpass
import secrets
from collections.abc import Sequence
from pathlib import Path

from nightledger.domain.decision import NAMESPACE, Decision, LogHead
from nightledger.domain.errors import RefusedError, UsageError
from nightledger.gate.deciding import accept, sign
from nightledger.gate.integrity.trusting import read_signers
from nightledger.gate.opening import Gate, sign_head
from nightledger.gate.review.composing import Signing
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session, this_machine
from nightledger.trust import keys
from nightledger.trust.sshsig import ED25519, PublicKey, Signer

NONCE_BYTES = 16
PASSPHRASE_TRIES = 3
"""A slip of the finger must not cost the answers of a whole review."""


def operator_path(gate: Gate) -> Path:
    """Give the operator's key file of this home."""
    return keys.operator_key_path(gate.ring, gate.home.identity.id)


def prepare(session: Session, principal: str = "", head: LogHead | None = None) -> Signing:
    """Fix what the decisions of this run share: head, machine, principal, clocks.

    Args:
        session: The home, its lock held.
        principal: Who signs; empty takes the name of this machine's operator key.
        head: The head that the decisions name; None signs that of the whole log first, and keeps it.
    """
    principal = principal or principal_of(session)
    if head is None:
        signed = sign_head(session.gate, session.moment, keep=True)
        head = LogHead(size=signed.size, root=signed.root.hex())
        if head.size != session.ledger.log.size:  # it closed what a crash had left at the log's end
            session.reread()
    return Signing(
        principal=principal,
        machine=this_machine(),
        head=head,
        moment=session.moment,
        fresh_nonce=lambda: secrets.token_hex(NONCE_BYTES),
    )


def principal_of(session: Session) -> str:
    """Give the name that ``allowed_signers`` has for this machine's operator key.

    Raises:
        RefusedError: No key is here, or it is not among those who may sign.
    """
    path = operator_path(session.gate)
    public = public_path(path)
    if not public.exists():
        raise RefusedError(
            f"no operator's key is here to sign with: {public} is missing",
            hint="restore it from a backup; where it is on another machine, sign there or lend it: docs/machines.md",
        )
    return principal_at(session, path, keys.public_key_of(public), NAMESPACE)


def principal_at(session: Session, path: Path, key: PublicKey, namespace: str) -> str:
    """Give the name that the signers in force have for a key.

    Args:
        session: The home.
        path: The key's file, for messages.
        key: Its public side.
        namespace: What it is to sign for.

    Raises:
        RefusedError: The key is not among those who may sign for that.
    """
    signers = read_signers(session.gate.home, session.ledger, session.moment)
    for signer in signers.able(namespace, session.moment.at):
        if signer.key == key:
            return signer.principals[0]
    raise RefusedError(
        f"the key {path} may not sign for this home",
        hint="'nightledger key list' shows who may",
    )


def unlock(
    session: Session, context: Context, path: Path | None = None, namespace: str = NAMESPACE
) -> Signer:
    """Unlock the operator's key, or another that may sign, asking for its passphrase; the home's lock need not be held.

    Raises:
        RefusedError: The key may not sign for this home, or wants a passphrase and nobody can be asked.
    """
    if path is None:
        principal_of(session)
        return signer_of(session.gate, context)
    signer = signer_at(path, context)
    principal_at(session, path, signer.public_key, namespace)
    return signer


def asks(gate: Gate) -> bool:
    """Tell whether the operator's key wants a passphrase or a touch before it signs; an agent's key may not."""
    path = operator_path(gate)
    return path.exists() and (keys.public_key_of(path).kind != ED25519 or keys.needs_passphrase(path))


def sign_all(session: Session, decisions: Sequence[Decision], signer: Signer) -> list[Decision]:
    """Sign decisions and have the gate accept each; the caller holds the home's lock.

    A hardware key is touched meanwhile, for the seconds that it waits for that.
    """
    accepted = []
    for decision in decisions:
        accepted.append(accept(session.gate, session.ledger, sign(decision, signer), session.moment))
        session.reread()
    return accepted


def signer_of(gate: Gate, context: Context) -> Signer:
    """Unlock the operator's key; see :func:`signer_at`."""
    return signer_at(operator_path(gate), context)


def signer_at(path: Path, context: Context) -> Signer:
    """Unlock a key: in this process, or through ``ssh-keygen`` for hardware keys and agents.

    Args:
        path: Its private file; where there is only ``PATH.pub``, an agent has it.
        context: The command's surroundings.

    Raises:
        RefusedError: It wants a passphrase and nobody can be asked.
    """
    if not path.exists():
        return keys.keygen_signer(public_path(path))
    if keys.public_key_of(path).kind != ED25519:
        return keys.keygen_signer(path)
    if not keys.needs_passphrase(path):
        return keys.load_operator_key(path)
    if not context.interactive():
        raise RefusedError(
            f"the key {path} has a passphrase, and there is no terminal to ask on",
            hint="run it on a terminal",
        )
    for _ in range(PASSPHRASE_TRIES - 1):
        try:
            return _unlock(path)
        except keys.KeyFileError as error:
            context.note(f"error: {error}; once more")
    return _unlock(path)


def _unlock(path: Path) -> Signer:
    name = "the operator's key" if path.name == keys.OPERATOR else path.name
    passphrase = getpass.getpass(f"Passphrase of {name}: ").encode("utf-8", "surrogateescape")
    return keys.load_operator_key(path, passphrase=passphrase)


def fresh_passphrase(context: Context, *, without: bool) -> bytes | None:
    """Ask for the passphrase of a new key.

    Args:
        context: The command's surroundings.
        without: Whether the operator wants none.

    Raises:
        UsageError: Nobody can be asked, or the two answers differ.
    """
    if without:
        return None
    if not context.interactive():
        raise UsageError(
            "the operator's new key wants a passphrase, and there is no terminal to ask on",
            hint="run it on a terminal, or add --no-passphrase (then anyone who can read your files can sign)",
        )
    first = getpass.getpass("Passphrase for the operator's new key: ")
    if not first or first != getpass.getpass("Once more: "):
        raise UsageError("the two are not the same, or empty", hint="run it again; nothing was made")
    return first.encode("utf-8", "surrogateescape")


def public_path(path: Path) -> Path:
    """Give the file of a key's public side."""
    return path.with_name(f"{path.name}.pub")
