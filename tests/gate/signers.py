"""Further keys of operators, and changes of trust files, for tests of the gate."""

from dataclasses import dataclass
from pathlib import Path

from tests.gate.homes import Desk

from nightledger.domain.decision import NAMESPACE, Decision, DecisionType
from nightledger.gate.deciding import accept, make_unproposed
from nightledger.gate.stored import Signed, sign
from nightledger.gate.trust_changes import keep_contents, trust_targets
from nightledger.gate.trusting import Trust
from nightledger.trust import signers
from nightledger.trust.keys import create_key_at, load_operator_key, operator_key_path
from nightledger.trust.signers import AllowedSigner
from nightledger.trust.sshsig import PublicKey, Signer


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A private key of a test, and its public side."""

    path: Path
    public: PublicKey
    signer: Signer

    def line(self, principal: str, namespace: str = NAMESPACE) -> AllowedSigner:
        """Give its line of allowed_signers."""
        return AllowedSigner(principals=(principal,), key=self.public, namespaces=(namespace,))


def new_key(root: Path, name: str) -> Key:
    """Make a key in a directory of its own."""
    path = root / "drawer" / name
    public = create_key_at(path, passphrase=None, comment=name)
    return Key(path=path, public=public, signer=load_operator_key(path))


def own_key(desk: Desk) -> Key:
    """Give the operator's own key."""
    path = operator_key_path(desk.ring, desk.home.identity.id)
    signer = load_operator_key(path)
    return Key(path=path, public=signer.public_key, signer=signer)


def text(desk: Desk, name: str) -> str:
    """Give a trust file in force."""
    return Trust(desk.home, desk.ledger()).content(name, desk.moment).decode()


def compose_change(desk: Desk, contents: dict[str, str], *, principal: str = "operator") -> Decision:
    """Compose a change of trust files, unsigned; the new bytes are kept."""
    encoded = {name: content.encode() for name, content in contents.items()}
    keep_contents(desk.home, encoded)
    before = Trust(desk.home, desk.ledger()).files(desk.moment)
    signing = desk.signing()
    from msgspec.structs import replace

    signing = replace(signing, principal=principal)
    return make_unproposed(desk.gate, DecisionType.TRUST, trust_targets(before, encoded), signing)


def sign_change(
    desk: Desk,
    contents: dict[str, str],
    key: Key,
    *,
    principal: str = "operator",
    namespace: str = NAMESPACE,
) -> Signed:
    """Compose and sign a change of trust files."""
    return sign(compose_change(desk, contents, principal=principal), key.signer, namespace=namespace)


def change(
    desk: Desk,
    contents: dict[str, str],
    *,
    key: Key | None = None,
    principal: str = "operator",
    namespace: str = NAMESPACE,
) -> Decision:
    """Sign and record a change of trust files."""
    signed = sign_change(desk, contents, key or own_key(desk), principal=principal, namespace=namespace)
    return accept(desk.gate, desk.ledger(), signed, desk.moment)


def let_sign(desk: Desk, key: Key, principal: str, namespace: str = NAMESPACE) -> Decision:
    """Let another key sign."""
    allowed = signers.add_signer(
        text(desk, "allowed_signers"), text(desk, "revoked_keys"), key.line(principal, namespace)
    )
    return change(desk, {"allowed_signers": allowed})


def revoke_key(desk: Desk, revoked: Key, *, by: Key, principal: str) -> Decision:
    """Revoke a key by another one's signature."""
    contents = {
        "allowed_signers": signers.remove_key(text(desk, "allowed_signers"), revoked.public),
        "revoked_keys": signers.revoke(text(desk, "revoked_keys"), revoked.public),
    }
    return change(desk, contents, key=by, principal=principal)
