"""At a session's start: the staged context, staged anew first where that takes little.

Invariant: what is given is a whole page of ours that still holds (``files/staged.py``); it is in the
exposure ledger before it is printed.
"""

import os
import sys

from nightledger.domain.exposure import Exposure, session_name
from nightledger.files.exposures import append_exposure
from nightledger.files.prompt_state import drop_old_states, hold_state, place_key
from nightledger.files.staged import StagedPage, read_staged
from nightledger.surfaces.hook.answers import MAX_CONTEXT_BYTES
from nightledger.surfaces.hook.events import SCRIPTS, stamp

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from nightledger.files.home import Home

STAGING_LIMIT_S = 4.0
"""A year of logs takes below one second; a calendar server is waited for two (DESIGN, issue 4)."""


def started(
    home: "Home",
    host: str,
    payload: "dict[str, Any]",
    now: "datetime",
    *,
    anew: bool = True,
    most: int = MAX_CONTEXT_BYTES,
) -> str:
    """Give the staged context; empty for nothing. It is recorded before this returns.

    Args:
        home: Whose.
        host: As records name it.
        payload: What the host sent.
        now: The time; aware, UTC.
        anew: Whether the stager runs first; a host that does not wait for it is given what is staged.
        most: Bytes; of a longer page the first lines are given.

    Raises:
        NightledgerError: The ledger cannot be used.
        OSError: The system refuses something.
    """
    if anew:
        stage_anew(home)
    _forget_old(home, now.timestamp())
    page = read_staged(home, stamp(now), most)
    if page is None:
        return ""
    session = session_name(payload.get("session_id"))
    append_exposure(home, _exposure(page, stamp(now), host, session))
    _remember(home, payload.get("session_id"), page)
    return page.text


def stage_anew(home: "Home") -> None:
    """Have the stager run, within its limit; what goes wrong there leaves what is staged as it is."""
    import subprocess

    words = [sys.executable, "-I", os.path.join(SCRIPTS, "predictive_stager.py"), "--home", home.root]
    try:
        subprocess.run(  # noqa: S603 - our own program, by its full path
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=STAGING_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return


def _exposure(page: StagedPage, at: str, host: str, session: str) -> Exposure:
    return Exposure(
        at=at, shown=page.shown, host=host, event="session_start", session=session, places=page.places
    )


def _remember(home: "Home", session: object, page: StagedPage) -> None:
    """Put what was shown into the session's ring, so that its prompts are not shown it again."""
    names = (*page.shown, *(place_key(place.path, place.lines[0]) for place in page.places))
    if not names:
        return
    held = hold_state(home, session)
    try:
        held.put(held.state.after_showing(names))
    except OSError:
        return  # it may be shown twice then; it is recorded as often
    finally:
        held.close()


def _forget_old(home: "Home", now_s: float) -> None:
    try:
        drop_old_states(home, now_s)
    except OSError:
        return
