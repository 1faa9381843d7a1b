"""Stop using Nightledger and keep every file: a last signed head, and nothing of ours that runs.

Invariant: no gated file, daily log or record is touched; what is removed is folded from
others or disposable, and ``rebuild`` makes it anew.
"""

import os
import shutil
from contextlib import ExitStack

from nightledger.domain.event import EventName
from nightledger.domain.moment import Moment
from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.gate.opening import Gate, Ledger, record

LOCKS = ("night", "link", "home")
"""In the order in which a night takes them."""
LOCK_TIMEOUT_S = 5.0


def log_leaving(gate: Gate, ledger: Ledger, moment: Moment) -> bool:
    """Write into the log that the home is left; the caller signs the head.

    Returns:
        False when that is the last thing in it already.
    """
    newest = ledger.log.newest
    if newest and newest.event == EventName.LEFT:
        return False
    record(gate, [(EventName.LEFT, {})], moment)
    return True


def disposable(home: Home) -> tuple[str, ...]:
    """Name what is there and would be removed, relative to the home."""
    paths = (
        home.pending_view,
        home.prune_view,
        home.attention,
        home.entries,
        home.cursors,
        home.work_dir,
    )
    return tuple(home.relative(path) for path in paths if os.path.lexists(path) and not os.path.islink(path))


def remove_disposable(home: Home) -> tuple[str, ...]:
    """Remove it; gives what was removed, relative to the home.

    The locks go last, while they are held, so that no run loses its lock under its feet.

    Raises:
        LockedError: A run is at work.
    """
    found = disposable(home)
    with ExitStack() as held:
        for name in LOCKS:
            held.enter_context(Lock(home.lock_path(name), timeout_s=LOCK_TIMEOUT_S))
        for relative in found:
            path = home.path(relative)
            if path != home.work_dir:
                os.unlink(path)
        if os.path.isdir(home.work_dir) and not os.path.islink(home.work_dir):
            shutil.rmtree(home.work_dir)
    return found


def own_directories(home: Home) -> tuple[str, ...]:
    """Name the directories of ours that are there and stay, relative to the home."""
    paths = (home.config_dir, home.system_dir, home.state_dir, home.archive_dir, home.audit_dir)
    return tuple(home.relative(path) for path in paths if os.path.isdir(path))
