"""Edit the text of ``allowed_signers`` and ``revoked_keys``: add, take out, revoke.

Invariant: lines that are not meant stay byte for byte, comments included; what comes out
is read by :mod:`nightledger.trust.signers` as meant.
"""

from collections.abc import Iterable, Sequence

from nightledger.domain.errors import RefusedError, UsageError
from nightledger.trust.signers import (
    AllowedSigner,
    dump_allowed_signers,
    parse_allowed_signers,
    parse_revoked_keys,
)
from nightledger.trust.sshkey import PublicKey

_WHERE = "allowed_signers"


def add_signer(allowed: str, revoked: str, signer: AllowedSigner) -> str:
    """Give ``allowed_signers`` with one more line.

    Raises:
        RefusedError: The key stands there already for one of these purposes, or is revoked.
    """
    if signer.key.blob in parse_revoked_keys(revoked, where="revoked_keys"):
        raise RefusedError(
            f"the key {signer.key.fingerprint} is revoked, for ever",
            hint="make another: ssh-keygen -t ed25519",
        )
    for line in parse_allowed_signers(allowed, where=_WHERE):
        shared = line.namespaces is None or set(line.namespaces) & set(signer.namespaces or ())
        if line.key == signer.key and shared:
            raise RefusedError(
                f"the key {signer.key.fingerprint} may sign already, as {line.principals[0]!r}"
            )
    return f"{_ended(allowed)}{dump_allowed_signers((signer,))}"


def remove_key(allowed: str, key: PublicKey) -> str:
    """Give ``allowed_signers`` without the lines of a key."""
    return "".join(line for line in _lines(allowed) if key not in _keys(line))


def revoke(revoked: str, key: PublicKey) -> str:
    """Give ``revoked_keys`` with one more key."""
    return f"{_ended(revoked)}{key.line}\n"


def find_key(keys: Iterable[PublicKey], fingerprint: str) -> PublicKey:
    """Find a key by its fingerprint, or by the beginning of one.

    Args:
        keys: Those that it may be.
        fingerprint: With or without ``SHA256:``.

    Raises:
        UsageError: None, or more than one, begins so.
    """
    begin = fingerprint if fingerprint.startswith("SHA256:") else f"SHA256:{fingerprint}"
    found = {key.fingerprint: key for key in keys}
    matching = [name for name in found if name.startswith(begin) and len(begin) > len("SHA256:")]
    if len(matching) == 1:
        return found[matching[0]]
    if matching:
        raise UsageError(f"{fingerprint!r} fits {len(matching)} keys", hint="give more of the fingerprint")
    raise UsageError(
        f"no key that ever could sign is {fingerprint!r}", hint="'nightledger key list' shows them"
    )


def _lines(text: str) -> Sequence[str]:
    return [f"{line}\n" for line in _ended(text).split("\n")[:-1]]


def _keys(line: str) -> tuple[PublicKey, ...]:
    return tuple(signer.key for signer in parse_allowed_signers(line, where=_WHERE))


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
