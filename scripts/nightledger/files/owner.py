"""Run by root for somebody else's home: act as its owner, and as root only where that is needed.

Invariant: a file that root's run makes in a home belongs to the home's owner, as if the owner
had run it; root's rights are taken up again for a flag alone.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ROOT = 0


@contextmanager
def acting_as_owner(directory: str) -> Iterator[None]:
    """Take the owner's place while the block runs, where this is root and the directory is another user's."""
    status = os.stat(directory)
    if os.geteuid() != ROOT or status.st_uid == ROOT:
        yield
        return
    groups, group = os.getgroups(), os.getegid()
    os.setgroups([status.st_gid])
    os.setegid(status.st_gid)
    os.seteuid(status.st_uid)
    try:
        yield
    finally:
        os.seteuid(ROOT)
        os.setegid(group)
        os.setgroups(groups)


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
