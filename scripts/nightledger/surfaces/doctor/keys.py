"""Are the keys there, whose are they, and how is the operator's protected?"""

import os
import re
import stat
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from nightledger.domain.errors import NightledgerError
from nightledger.files.atomic import TEMP_SUFFIX
from nightledger.files.home import Home
from nightledger.files.reading import is_within
from nightledger.gate.integrity.trusting import read_trust_file
from nightledger.surfaces.doctor.checks import Check, bad, good, note
from nightledger.trust import keys
from nightledger.trust.cosignature import has_mldsa
from nightledger.trust.pin import read_pin
from nightledger.trust.sshkey import SECURITY_KEY_KINDS

_PUBLIC = re.compile(rf"\.pub(?:\.\d+\.\d+{re.escape(TEMP_SUFFIX)})?$")
"""A public key, or what a run that died left of one: nothing in it is secret."""


class Protection(StrEnum):
    """What stands between an operator's key and a program of the same user."""

    NONE = "none"
    """A file that every program of this user can read."""
    PASSPHRASE = "passphrase"  # noqa: S105 - a word, no secret
    """A file that is encrypted."""
    AGENT = "agent"
    """In an agent that signs for whoever asks: the file here holds the public key only."""
    HARDWARE = "hardware"
    """On hardware that wants a touch for each signature."""
    OTHER_MACHINE = "other_machine"
    """On another machine, whose decisions travel in: this one holds public keys only."""
    MISSING = "missing"
    """No key of this home is here."""


def check_keys(home: Home, ring: keys.KeyRing) -> Iterator[Check]:
    """Look at the keys of a home and at their directory.

    Args:
        home: Whose.
        ring: Where they live.
    """
    directory = str(ring.home_dir(home.identity.id))
    if not os.path.isdir(directory):
        yield bad(
            f"no keys of this home are in {ring.directory}",
            "set NIGHTLEDGER_KEYS to where they are, or restore them from a backup",
        )
        return
    if is_within(directory, home.root):
        yield bad(
            f"the keys lie in the home ({directory}), where its agent works",
            "move them elsewhere, and set NIGHTLEDGER_KEYS",
        )
    yield from _modes(directory)
    yield _log_key(home, ring)
    yield _pin(home, ring)
    yield _operator(home, ring)


def protection(home: Home, ring: keys.KeyRing) -> Protection:
    """Tell how the operator's key is protected, as far as its file says."""
    path = keys.operator_key_path(ring, home.identity.id)
    public = path.with_name(f"{path.name}.pub")
    try:
        if path.exists():
            if keys.public_key_of(path).kind in SECURITY_KEY_KINDS:
                return Protection.HARDWARE
            return Protection.PASSPHRASE if keys.needs_passphrase(path) else Protection.NONE
        if public.exists() and not _is_left_over(home, public):
            hardware = keys.public_key_of(public).kind in SECURITY_KEY_KINDS
            return Protection.HARDWARE if hardware else Protection.AGENT
    except NightledgerError:
        return Protection.NONE  # others may read it, or it is damaged: nothing protects it
    return Protection.OTHER_MACHINE if read_trust_file(home, "peers") else Protection.MISSING


def _is_left_over(home: Home, public: Path) -> bool:
    """Tell whether a public file is that of a key which may sign no more: the operator signs elsewhere now."""
    if not read_trust_file(home, "peers"):
        return False
    line = keys.public_key_of(public).line.split()[1].encode()
    allowed, revoked = (read_trust_file(home, name) or b"" for name in ("allowed_signers", "revoked_keys"))
    return line not in allowed or line in revoked


def _modes(directory: str) -> Iterator[Check]:
    if stat.S_IMODE(os.stat(directory).st_mode) & 0o077:
        yield bad(f"others may enter {directory}", f"chmod 700 '{directory}'")
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        if mode & 0o077 and not _PUBLIC.search(name) and os.path.isfile(path):
            yield bad(
                f"others may read {path} (mode {mode:o})",
                f"chmod 600 '{path}', and make new keys if someone did",
            )


def _log_key(home: Home, ring: keys.KeyRing) -> Check:
    loaded = keys.load_log_key(ring, home.identity.id, home.identity.origin)
    if loaded.mldsa44 is not None or not has_mldsa():
        return good("the log's keys are there, in files of this user alone")
    return note("the log has no ML-DSA-44 key: it was made where the platform had none", "nothing to do")


def _pin(home: Home, ring: keys.KeyRing) -> Check:
    heads = read_pin(ring, home.identity.id).heads
    newest = f", newest head of {heads[-1].size} entries seen {heads[-1].at:%Y-%m-%d}" if heads else ""
    return good(f"this machine has pinned the log's beginning and its keys{newest}")


def _operator(home: Home, ring: keys.KeyRing) -> Check:
    path = keys.operator_key_path(ring, home.identity.id)
    found = protection(home, ring)
    if found is Protection.OTHER_MACHINE:
        return good("no operator's key is here: decisions are signed on another machine")
    if found is Protection.MISSING:
        return bad(f"{path} is missing: nobody can sign here", "restore it from a backup of the keys")
    if found is Protection.PASSPHRASE:
        return good("the operator's key has a passphrase")
    if found is Protection.HARDWARE:
        return good("the operator's key is on hardware, and wants a touch for each signature")
    if found is Protection.AGENT and not os.environ.get("SSH_AUTH_SOCK"):
        return note(
            "the operator's key is not in a file here, and $SSH_AUTH_SOCK names no agent: from here nobody can sign",
            "ssh-add it, or put its file back; where it is lost: nightledger key reset --passphrase-forgotten",
        )
    if found is Protection.AGENT:
        return good("the operator's key is in an agent; ssh-keygen signs with it")
    keys.needs_passphrase(path)  # says what is wrong with a file that cannot be used
    return note(
        "the operator's key has no passphrase: every program of this user can sign with it",
        f"ssh-keygen -p -f '{path}'",
    )
