"""Is the program whole: interpreter, packages as locked, ML-DSA, ssh-keygen?"""

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from nightledger.domain.errors import ConfigurationError
from nightledger.surfaces.context import CHECKOUT
from nightledger.surfaces.doctor.checks import Check, found
from nightledger.trust import checkpoint

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
    if python < OLDEST_PYTHON:
        yield found(
            "program.old", python=".".join(map(str, python)), wanted=".".join(map(str, OLDEST_PYTHON))
        )
    else:
        names = {
            "python": platform.python_version(),
            "system": platform.system(),
            "release": platform.release(),
        }
        yield found("program.good", **names)
    yield from _packages(checkout)
    yield found("mldsa.good" if checkpoint.has_mldsa() else "mldsa.missing")
    yield found("keygen.good" if shutil.which("ssh-keygen") else "keygen.missing")


def _packages(checkout: str) -> Iterator[Check]:
    """Compare what is installed with the lock file: a package may have another version for each kind of platform."""
    path = os.path.join(checkout, LOCK)
    try:
        with open(path, encoding="utf-8") as stream:
            pinned = [match for match in map(_PINNED.match, stream) if match]
    except (OSError, UnicodeDecodeError) as error:
        why = "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read: {error}"
        raise ConfigurationError(f"{path} {why}", hint="the checkout is incomplete; git status") from error
    installed = {match[1]: _installed(match[1]) for match in pinned}
    missing = [name for name, has in installed.items() if not has and _is_everywhere(name, pinned)]
    wanted = {(match[1], match[2]) for match in pinned}
    other = [f"{name} {has}" for name, has in installed.items() if has and (name, has) not in wanted]
    if missing:
        yield found("packages.missing", names=", ".join(missing))
    if other:
        yield found("packages.other", lock=LOCK, names=", ".join(other))
    if not missing and not other:
        yield found("packages.good", count=sum(map(bool, installed.values())), lock=LOCK)


def _is_everywhere(name: str, pinned: list[re.Match[str]]) -> bool:
    return any(match[1] == name and match[3] is None for match in pinned)


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
