"""Run by root for somebody else's home: act as its owner, and as root only where that is needed.

Invariant: a file that root's run makes in a home belongs to the home's owner, as if the owner
had run it; root's rights are taken up again for a flag alone.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nightledger.domain.errors import ConfigurationError

ROOT = 0


@contextmanager
def acting_as_owner(directory: str) -> Iterator[None]:
    """Take the owner's place while the block runs, where this is root and the directory is another user's.

    Raises:
        ConfigurationError: The owner may not read the program itself, of which parts are loaded when needed.
    """
    status = os.stat(directory)
    if os.geteuid() != ROOT or status.st_uid == ROOT:
        yield
        return
    groups, group = os.getgroups(), os.getegid()
    os.setgroups([status.st_gid])
    os.setegid(status.st_gid)
    os.seteuid(status.st_uid)
    try:
        _require_readable(status.st_uid)
        yield
    finally:
        os.seteuid(ROOT)
        os.setegid(group)
        os.setgroups(groups)


def _require_readable(user: int) -> None:
    packages = [path for path in sys.path if os.path.basename(path) == "site-packages"]
    for place in (os.path.dirname(os.__file__), os.path.dirname(os.path.dirname(__file__)), *packages):
        try:
            os.listdir(place)
        except PermissionError as error:
            raise ConfigurationError(
                f"root acts as the home's owner here, and the owner (user {user}) may not read {place}, "
                "where this program runs from",
                hint="run it with a checkout and an interpreter that this user can read, for example below /opt",
            ) from error


@contextmanager
def acting_as_root() -> Iterator[None]:
    """Take up root's rights again while the block runs, where this run has them; else change nothing."""
    user = os.geteuid()
    if user == ROOT or not may_act_as_root():
        yield
        return
    os.seteuid(ROOT)
    try:
        yield
    finally:
        os.seteuid(user)


def for_child() -> dict[str, Any]:
    """Give what keeps a program that is run from taking up root's rights: arguments of ``subprocess.run``."""
    if os.getuid() == os.geteuid():
        return {}
    return {"user": os.geteuid(), "group": os.getegid()}


def may_act_as_root() -> bool:
    """Tell whether this run was started by root."""
    return ROOT in os.getresuid() if hasattr(os, "getresuid") else ROOT in (os.getuid(), os.geteuid())
