"""What the operating system itself enforces on the files of a home, and who can apply."""

import os
from collections.abc import Iterator

from nightledger.files.configuration import load_operator
from nightledger.files.home import Home
from nightledger.gate.guard.locking import Held, lockables
from nightledger.surfaces.doctor.checks import Check, good, note
from nightledger.surfaces.doctor.home import filesystem_of


def check_locks(home: Home, keys_dir: str) -> Iterator[Check]:
    """Look at each gated and protected file and at the audit log.

    Args:
        home: Whose.
        keys_dir: Where ``operator.yaml`` lies.
    """
    found = [one for one in lockables(home) if one.held is not Held.MISSING]
    by_held = {held: [one.path for one in found if one.held is held] for held in Held}
    if by_held[Held.IMPOSSIBLE]:
        kind = filesystem_of(home.root) or "its kind is not told"
        yield note(f"not enforced: this file system ({kind}) knows no locks on files; {_who(unlocked=True)}")
        return
    if not by_held[Held.LOCKED]:
        yield note(
            f"no file is locked by the operating system; {_who(unlocked=True)}",
            f"as root: nightledger lock --home '{home.root}'",
        )
        return
    yield good(f"locked by the operating system: {', '.join(by_held[Held.LOCKED])}")
    if by_held[Held.UNLOCKED]:
        yield note(f"not locked: {', '.join(by_held[Held.UNLOCKED])}", "as root: nightledger lock")
    helper = load_operator(keys_dir).lock_helper
    yield note(_helper(helper) if helper else _who(unlocked=False))


def _who(*, unlocked: bool) -> str:
    if unlocked:
        return "whoever may write in the directory can change the files, and apply"
    if os.uname().sysname == "Darwin":
        return "the files' owner may unlock them, as chflags(1) has it: this stops accidents, not an agent of that user"
    return "only root applies: let root's cron call 'apply' and 'guard', with --home and NIGHTLEDGER_KEYS"


def _helper(helper: tuple[str, ...]) -> str:
    return (
        f"root applies, and whoever may run {' '.join(helper)}: an agent that runs as the same user may, too"
    )
