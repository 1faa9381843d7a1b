"""Further keys of operators, and changes of trust files, for tests of the gate."""

from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace
from tests.gate.homes import Desk

from nightledger.codec.constitution import dump_constitution
from nightledger.domain.decision import NAMESPACE, Decision, DecisionType
from nightledger.gate.deciding import make_unproposed
from nightledger.gate.recalling import NAME, shipped_principles
from nightledger.gate.stored import Signed, sign
from nightledger.gate.trust_changes import keep_contents, trust_targets
from nightledger.gate.trusting import Trust
from nightledger.trust import signers
from nightledger.trust.keys import create_key_at, load_operator_key, operator_key_path
from nightledger.trust.signers import AllowedSigner
from nightledger.trust.sshsig import PublicKey, Signer


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A private key of a test."""

    path: Path
    signer: Signer

    @property
    def public(self) -> PublicKey:
        return self.signer.public_key

    def line(self, principal: str) -> AllowedSigner:
        """Give its line of allowed_signers."""
        return AllowedSigner(principals=(principal,), key=self.public, namespaces=(NAMESPACE,))


def new_key(root: Path, name: str) -> Key:
    """Make a key in a directory of its own."""
    path = root / "drawer" / name
    create_key_at(path, passphrase=None, comment=name)
    return Key(path=path, signer=load_operator_key(path))


def own_key(desk: Desk) -> Key:
    """Give the operator's own key."""
    path = operator_key_path(desk.ring, desk.home.identity.id)
    return Key(path=path, signer=load_operator_key(path))


def text(desk: Desk, name: str) -> str:
    """Give a trust file in force."""
    return Trust(desk.home, desk.ledger()).content(name, desk.moment).decode()


def compose_change(desk: Desk, contents: dict[str, str], *, principal: str = "operator") -> Decision:
    """Compose a change of trust files, unsigned; the new bytes are kept."""
    encoded = {name: content.encode() for name, content in contents.items()}
    keep_contents(desk.home, encoded)
    targets = trust_targets(Trust(desk.home, desk.ledger()).files(desk.moment), encoded)
    signing = replace(desk.signing(), principal=principal)
    return make_unproposed(desk.gate, DecisionType.TRUST, targets, signing)


def sign_change(
    desk: Desk, contents: dict[str, str], key: Key | None = None, *, principal: str = "operator"
) -> Signed:
    """Compose and sign a change of trust files."""
    return sign(compose_change(desk, contents, principal=principal), (key or own_key(desk)).signer)


def let_sign(desk: Desk, key: Key, principal: str) -> Decision:
    """Let another key sign."""
    now = text(desk, "allowed_signers"), text(desk, "revoked_keys")
    allowed = signers.add_signer(*now, key.line(principal))
    return desk.accept(compose_change(desk, {"allowed_signers": allowed}))


def revoke_key(desk: Desk, revoked: Key, *, by: Key, principal: str) -> None:
    """Revoke a key by another one's signature."""
    contents = {
        "allowed_signers": signers.remove_key(text(desk, "allowed_signers"), revoked.public),
        "revoked_keys": signers.revoke(text(desk, "revoked_keys"), revoked.public),
    }
    desk.accept_signed(sign_change(desk, contents, by, principal=principal))


def seed(desk: Desk) -> Decision:
    """Sign the constitution that ships into force, as ``consent constitution amend`` does with a home made without."""
    return desk.accept(compose_change(desk, {NAME: dump_constitution(shipped_principles()).decode()}))
