"""Private keys on disk: the only module that writes or uses them; ``gate/kept_page.py`` keys an HMAC with the bytes of one.

They live outside every home: ``$NIGHTLEDGER_KEYS/<home id>/{log-ed25519, log-mldsa44,
machine-ed25519, operator}``. Invariant: files are 0600 in directories of 0700, made
exclusively (a key is never overwritten), and a file that others may read or that is not
this user's is refused.
"""

import base64
import os
import re
import stat
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.errors import ConfigurationError
from nightledger.files.atomic import create_file
from nightledger.files.durable import make_dir, read_regular, sync_directory
from nightledger.trust import sshsig
from nightledger.trust.note import COSIGNATURE_MLDSA44, ED25519, LineSigner, VerifierKey, has_mldsa

if TYPE_CHECKING:
    from collections.abc import Callable

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

LOG_ED25519 = "log-ed25519"
LOG_MLDSA44 = "log-mldsa44"
MACHINE_ED25519 = "machine-ed25519"
OPERATOR = "operator"
WITNESS_ED25519 = "witness-ed25519"
WITNESS_MLDSA44 = "witness-mldsa44"
_HOME_ID = re.compile(r"[0-9a-f]{32}")
_MAX_KEY_BYTES = 65_536
_OPENSSH_MAGIC = b"openssh-key-v1\0"
_PUBLIC_MODE = 0o644
_BACK = "put it back from a backup"
_KDF_ROUNDS = 24
"""bcrypt_pbkdf rounds for a passphrase; the default of ssh-keygen from OpenSSH 9.9 on."""


class KeyFileError(ConfigurationError):
    """A private key is missing, unsafe, locked or of a kind that cannot be used here."""


class KeyRing(Struct, frozen=True):
    """Where private keys and pins live, outside homes; names only.

    Attributes:
        directory: ``$NIGHTLEDGER_KEYS``, by default ``~/.config/nightledger``.
    """

    directory: Path

    def home_dir(self, home_id: str) -> Path:
        """Give the directory of one home's keys.

        Raises:
            ConfigurationError: When it is not a home's id.
        """
        if not _HOME_ID.fullmatch(home_id):
            raise ConfigurationError(f"{home_id!r} is not a home's id: 32 hex digits")
        return self.directory / home_id

    def path(self, home_id: str, name: str) -> Path:
        """Give the file of one key."""
        return self.home_dir(home_id) / name


# ------------------------------------------------------------------ the log's keys


class KeyPair(Struct, frozen=True, kw_only=True):
    """What signs or cosigns checkpoints, unattended.

    Attributes:
        ed25519: Signs the text of a checkpoint.
        mldsa44: Signs the head in it, against quantum computers; None where the platform cannot.
    """

    ed25519: "Ed25519PrivateKey"
    mldsa44: "MLDSA44PrivateKey | None"

    def verifier_keys(self, name: str, ed25519_type: int) -> tuple[VerifierKey, ...]:
        """Give the public side of each key under a name; what the Ed25519 key signs is told by its type."""
        keys = ((ed25519_type, self.ed25519), (COSIGNATURE_MLDSA44, self.mldsa44))
        return tuple(
            VerifierKey(name=name, key_type=kind, public=key.public_key().public_bytes_raw())
            for kind, key in keys
            if key is not None
        )

    def signers_of(self, name: str, ed25519_type: int, now: datetime) -> tuple[LineSigner, ...]:
        """Give what signs a checkpoint under a name, line by line.

        Args:
            name: Of both keys.
            ed25519_type: What the Ed25519 key signs.
            now: The time that timestamped lines state; aware.
        """
        keys = zip(self.verifier_keys(name, ed25519_type), (self.ed25519, self.mldsa44), strict=False)
        return tuple(LineSigner(key=key, private=private, at=now) for key, private in keys if private)


class LogKey(KeyPair, frozen=True, kw_only=True):
    """What signs a log's checkpoints, unattended, and nothing that the gate accepts.

    Attributes:
        origin: Name of the log, and of both keys.
        directory: Where it was loaded from; the head that we last acknowledged is kept there.
    """

    origin: str
    directory: Path

    @property
    def vkeys(self) -> tuple[str, ...]:
        """Verifier keys: Ed25519 and, where the platform has it, ML-DSA-44."""
        return tuple(key.dump() for key in self.verifier_keys(self.origin, ED25519))

    def signers(self, now: datetime) -> tuple[LineSigner, ...]:
        """Give what signs a checkpoint, line by line; the ML-DSA-44 line states the time."""
        return self.signers_of(self.origin, ED25519, now)


class UnloadedKey(Struct, frozen=True, kw_only=True):
    """A log's key that nobody needed yet: to append takes its names only, to sign takes itself.

    Attributes:
        origin: Name of the log.
        directory: Where it lies; the head that we last acknowledged is kept there.
        load: Loads it.
    """

    origin: str
    directory: Path
    load: "Callable[[], LogKey]"

    @property
    def vkeys(self) -> tuple[str, ...]:
        """Verifier keys, for which it is loaded."""
        return self.load().vkeys


def create_log_keys(ring: KeyRing, home_id: str) -> None:
    """Make the keys that sign checkpoints: Ed25519 and, where the platform has it, ML-DSA-44.

    A key that is there already is left as it is, so that an ``init`` that was cut short
    can be run again.
    """
    _create_pair(ring.path(home_id, LOG_ED25519), ring.path(home_id, LOG_MLDSA44))


def load_log_key(ring: KeyRing, home_id: str, origin: str) -> LogKey:
    """Load the keys that sign a log's checkpoints.

    Without an ML-DSA-44 key file, or on a platform without ML-DSA, checkpoints carry the
    Ed25519 line only, and ``doctor`` says so.

    Raises:
        KeyFileError: When the Ed25519 key is missing or a file is unsafe or damaged.
    """
    pair = _load_pair(ring.path(home_id, LOG_ED25519), ring.path(home_id, LOG_MLDSA44))
    directory = ring.home_dir(home_id)
    return LogKey(origin=origin, directory=directory, ed25519=pair.ed25519, mldsa44=pair.mldsa44)


# ------------------------------------------------------------------ a witness's keys


def create_witness_keys(directory: Path) -> None:
    """Make a witness's keys, Ed25519 and, where the platform has it, ML-DSA-44; what is there stays."""
    _create_pair(directory / WITNESS_ED25519, directory / WITNESS_MLDSA44)


def load_witness_key(directory: Path) -> KeyPair:
    """Load a witness's keys.

    Raises:
        KeyFileError: When the Ed25519 key is missing or a file is unsafe or damaged.
    """
    return _load_pair(directory / WITNESS_ED25519, directory / WITNESS_MLDSA44)


# ------------------------------------------------------------------ operator and machine


def operator_key_path(ring: KeyRing, home_id: str) -> Path:
    """Give where a home's operator key lives, unless the operator keeps it elsewhere."""
    return ring.path(home_id, OPERATOR)


def create_operator_key(
    ring: KeyRing, home_id: str, *, passphrase: bytes | None, comment: str = "nightledger"
) -> sshsig.PublicKey:
    """Make the operator's key, in OpenSSH's own format with ``operator.pub`` beside it.

    Args:
        ring: Where.
        home_id: For which home.
        passphrase: Encrypts the file (bcrypt_pbkdf, AES-256); None leaves it open to
            whoever can read this user's files.
        comment: Stands in the public line.

    Where a run was cut short between the two files, the second is made and the key kept.

    Raises:
        KeyFileError: When there is one already.
    """
    path = operator_key_path(ring, home_id)
    if os.path.lexists(path) and not os.path.lexists(_public_path(path)):
        return _create_public(path, public_key_of(path), comment)
    return create_key_at(path, passphrase=passphrase, comment=comment)


def create_machine_key(ring: KeyRing, home_id: str, *, anew: bool = False) -> sshsig.PublicKey:
    """Make the key with which this machine signs messages; OpenSSH format, no passphrase.

    At every moment there is a whole key: another one is on disk before it takes the old one's place.

    Raises:
        KeyFileError: When there is one already, and no other is asked for.
    """
    path = ring.path(home_id, MACHINE_ED25519)
    made = path.with_name(f"{path.name}-new") if anew else path
    for left in (made, _public_path(made)) if anew else ():
        left.unlink(missing_ok=True)
    key = create_key_at(made, passphrase=None, comment="nightledger machine")
    if anew:
        made.replace(path)
        _public_path(made).replace(_public_path(path))
        sync_directory(str(path.parent))
    return key


def needs_passphrase(path: Path) -> bool:
    """Tell whether an OpenSSH private key file is encrypted; reads its open header only.

    Raises:
        KeyFileError: When it is missing, unsafe or no OpenSSH private key.
    """
    return _openssh_header(path)[0] != "none"


def public_key_of(path: Path) -> sshsig.PublicKey:
    """Give the public key of a private key file (from its open header) or of a ``.pub`` file.

    Raises:
        KeyFileError: When it is missing or unsafe.
        ConfigurationError: When it is malformed, or the key is of a kind that is refused.
    """
    if path.suffix == ".pub":
        return sshsig.parse_public_line(read_regular(str(path), _MAX_KEY_BYTES).decode("utf-8", "replace"))
    return _openssh_header(path)[1]


def load_operator_key(path: Path, *, passphrase: bytes | None = None) -> sshsig.KeySigner:
    """Load an Ed25519 key in OpenSSH format, to sign with in this process.

    Raises:
        KeyFileError: When it is missing, unsafe, of another kind, or names another key than it
            holds, or the passphrase is missing or wrong.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key

    if needs_passphrase(path) and not passphrase:
        raise KeyFileError(f"{path} needs its passphrase", hint="run it on a terminal, which asks for it")
    try:
        key = load_ssh_private_key(_read_private(path), passphrase if needs_passphrase(path) else None)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyFileError(f"{path} could not be opened", hint="check the passphrase") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(
            f"{path} is not an Ed25519 key", hint="sign through ssh-keygen (operator key of another kind)"
        )
    signer = sshsig.KeySigner(key)
    if signer.public_key != public_key_of(path):
        raise KeyFileError(f"{path} names another key than it holds", hint=_BACK)
    return signer


def keygen_signer(path: Path, *, program: str = "ssh-keygen") -> sshsig.KeygenSigner:
    """Give what signs through ``ssh-keygen -Y sign``: hardware keys, and agents by a ``.pub`` file.

    Raises:
        ConfigurationError: When the file is missing, unsafe or malformed.
    """
    return sshsig.KeygenSigner(path=str(path), public_key=public_key_of(path), program=program)


# ------------------------------------------------------------------ files


def _create_pair(ed25519: Path, mldsa44: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    _create_pkcs8(ed25519, Ed25519PrivateKey.generate())
    if has_mldsa():
        from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

        _create_pkcs8(mldsa44, MLDSA44PrivateKey.generate())


def _create_pkcs8(path: Path, key: "Ed25519PrivateKey | MLDSA44PrivateKey") -> None:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    if not os.path.lexists(path):
        _create(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def _load_pair(ed25519: Path, mldsa44: Path) -> KeyPair:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    first = _load_pkcs8(ed25519)
    if not isinstance(first, Ed25519PrivateKey):
        raise KeyFileError(f"{ed25519} is not an Ed25519 key", hint=_BACK)
    if not os.path.lexists(mldsa44) or not has_mldsa():
        return KeyPair(ed25519=first, mldsa44=None)
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey

    second = _load_pkcs8(mldsa44)
    if not isinstance(second, MLDSA44PrivateKey):
        raise KeyFileError(f"{mldsa44} is not an ML-DSA-44 key", hint=_BACK)
    return KeyPair(ed25519=first, mldsa44=second)


def _load_pkcs8(path: Path) -> object:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return load_pem_private_key(_read_private(path), password=None)
    except (ValueError, TypeError) as error:
        raise KeyFileError(f"{path} is not a private key", hint=_BACK) from error


def create_key_at(path: Path, *, passphrase: bytes | None, comment: str) -> sshsig.PublicKey:
    """Make an Ed25519 key in OpenSSH's format at a place, with its ``.pub`` beside it.

    Raises:
        KeyFileError: When there is one already.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        KeySerializationEncryption,
        NoEncryption,
        PrivateFormat,
    )

    private = Ed25519PrivateKey.generate()
    lock: KeySerializationEncryption = NoEncryption()
    if passphrase:
        lock = PrivateFormat.OpenSSH.encryption_builder().kdf_rounds(_KDF_ROUNDS).build(passphrase)
    _create(path, private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, lock))
    return _create_public(path, sshsig.ed25519_key(private.public_key().public_bytes_raw()), comment)


def _create_public(path: Path, key: sshsig.PublicKey, comment: str) -> sshsig.PublicKey:
    public = replace(key, comment=comment)
    _create(_public_path(path), f"{public.line}\n".encode(), mode=_PUBLIC_MODE)
    return public


def _public_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.pub")


def _create(path: Path, content: bytes, *, mode: int = 0o600) -> None:
    make_dir(str(path.parent))
    try:
        create_file(str(path), content, mode=mode)
    except FileExistsError as error:
        raise KeyFileError(
            f"{path} exists; a key is never overwritten", hint="use it, or move it away first"
        ) from error


def _read_private(path: Path) -> bytes:
    try:
        status = path.lstat()
    except FileNotFoundError as error:
        raise KeyFileError(
            f"the key {path} is missing", hint="set NIGHTLEDGER_KEYS, or restore it from a backup"
        ) from error
    if status.st_uid not in (os.geteuid(), 0):
        raise KeyFileError(f"{path} belongs to another user", hint="use a key of your own")
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise KeyFileError(
            f"others may read {path}", hint=f"chmod 600 '{path}', and make a new key if someone did"
        )
    return read_regular(str(path), _MAX_KEY_BYTES)


def _openssh_header(path: Path) -> tuple[str, sshsig.PublicKey]:
    """Give cipher and public key, which stand open in the file (PROTOCOL.key of OpenSSH)."""
    words = _read_private(path).decode("ascii", "replace").split()
    try:
        # Four words of armour before and behind the body: -----BEGIN OPENSSH PRIVATE KEY-----
        reader = sshsig.WireReader(base64.b64decode("".join(words[4:-4])))
        magic, cipher = reader.take(len(_OPENSSH_MAGIC)), reader.string().decode("ascii")
        reader.string(), reader.string(), reader.u32()
        public = reader.string() if magic == _OPENSSH_MAGIC else b""
    except (sshsig.WireError, ValueError) as error:
        raise KeyFileError(
            f"{path} is not an OpenSSH private key", hint="make one: ssh-keygen -t ed25519"
        ) from error
    return cipher, sshsig.parse_public_blob(public)
