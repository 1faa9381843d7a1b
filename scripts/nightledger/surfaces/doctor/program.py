"""Is the program whole: interpreter, packages as locked, ML-DSA, ssh-keygen?"""

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from nightledger.domain.errors import ConfigurationError
from nightledger.surfaces.context import CHECKOUT
from nightledger.surfaces.doctor.checks import Check, bad, good, note

OLDEST_PYTHON = (3, 11)
LOCK = "requirements.lock"
_PINNED = re.compile(r"([A-Za-z0-9._-]+)==([^\s;\\]+)(\s*;)?")


def check_program(
    *, python: tuple[int, int] = sys.version_info[:2], checkout: str = CHECKOUT
) -> Iterator[Check]:
    """Look at what runs us.

    Args:
        python: Version of the interpreter.
        checkout: The folder with the lock file.

    Raises:
        ConfigurationError: The lock file is missing, or cannot be read.
    """
    wanted = ".".join(map(str, OLDEST_PYTHON))
    if python < OLDEST_PYTHON:
        yield bad(
            f"Python {'.'.join(map(str, python))} is too old; {wanted} is needed",
            "install it, then: make setup",
        )
    else:
        yield good(f"Python {platform.python_version()} on {platform.system()} {platform.release()}")
    yield from _packages(read_locked(checkout))
    yield _mldsa()
    if shutil.which("ssh-keygen"):
        yield good("ssh-keygen is there: anyone can check signatures with it, and hardware keys work")
    else:
        yield note(
            "ssh-keygen is missing: only keys in files can sign",
            "install OpenSSH, if you want a hardware key",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Locked:
    """One package of the lock file.

    Attributes:
        name: Its name.
        versions: Those that it may have: one for each kind of platform.
        everywhere: Whether every platform needs it.
    """

    name: str
    versions: frozenset[str]
    everywhere: bool


def read_locked(checkout: str) -> tuple[Locked, ...]:
    """Give the packages that ``make setup`` installs, by name.

    Args:
        checkout: The folder with the lock file.

    Raises:
        ConfigurationError: The lock file is missing, or cannot be read.
    """
    path = os.path.join(checkout, LOCK)
    try:
        with open(path, encoding="utf-8") as stream:
            found = [match for match in map(_PINNED.match, stream) if match]
    except FileNotFoundError as error:
        raise ConfigurationError(
            f"{path} is missing", hint="the checkout is incomplete; git status"
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}", hint="git status") from error
    return tuple(
        Locked(
            name=name,
            versions=frozenset(match[2] for match in found if match[1] == name),
            everywhere=any(match[1] == name and match[3] is None for match in found),
        )
        for name in sorted({match[1] for match in found})
    )


def _packages(locked: tuple[Locked, ...]) -> Iterator[Check]:
    installed = {item.name: _installed(item.name) for item in locked}
    missing = [item.name for item in locked if item.everywhere and installed[item.name] is None]
    other = [
        f"{item.name} {installed[item.name]}"
        for item in locked
        if installed[item.name] not in {None, *item.versions}
    ]
    if missing:
        yield bad(f"packages are missing: {', '.join(missing)}", "make setup")
    if other:
        yield note(f"packages differ from {LOCK}: {', '.join(other)}", "make setup")
    if not missing and not other:
        count = sum(found is not None for found in installed.values())
        yield good(f"{count} packages, all of the versions in {LOCK}")


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _mldsa() -> Check:
    from nightledger.trust.cosignature import has_mldsa

    if has_mldsa():
        return good("ML-DSA-44 is there: heads of the log are signed against quantum computers, too")
    return note(
        "this platform has no ML-DSA: heads of the log carry an Ed25519 signature only",
        "make setup, with a cryptography package that has it",
    )
