"""A private key's file, read by its rules; and what is sealed with it. Standard library only: hooks ask at each start."""

import hmac
import os
import stat

from nightledger.domain.errors import ConfigurationError
from nightledger.files.reading import read_regular

LOG_ED25519 = "log-ed25519"
MAX_KEY_BYTES = 65_536


class KeyFileError(ConfigurationError):
    """A private key is missing, unsafe, locked or of a kind that cannot be used here."""


def read_private(path: str) -> bytes:
    """Return the bytes of a private key's file.

    Raises:
        KeyFileError: It is missing, another user's, or others may read it.
        UnreadableError: It is no regular file.
    """
    try:
        status = os.lstat(path)
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
    return read_regular(path, MAX_KEY_BYTES)


def seal(path: str, content: bytes) -> bytes:
    """Return the HMAC-SHA256 (RFC 2104) of content in hex, with a private key's file as its key: who cannot read that cannot make it.

    Raises:
        KeyFileError: As :func:`read_private`.
    """
    return hmac.digest(read_private(path), content, "sha256").hex().encode("ascii")
