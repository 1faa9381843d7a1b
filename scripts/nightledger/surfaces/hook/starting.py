"""At a session's start: the staged context, staged anew first where that takes little.

Invariant: what is given is a whole page of ours that still holds (``files/staged.py``), and nothing where the stager failed or
took too long; it is in the exposure ledger before it is printed.
"""

import os
import sys

from nightledger.domain.exposure import Exposure, session_name
from nightledger.files import hook_state
from nightledger.files.staged import StagedPage, read_staged
from nightledger.surfaces.context import keys_directory
from nightledger.surfaces.hook.running import MAX_CONTEXT_BYTES, SCRIPTS, stamp

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from nightledger.files.home import Home

STAGING_LIMIT_S = 6.0
"""Where something changed a year of logs takes below one second, a calendar server is waited for two (DESIGN, issue 4), a busy machine takes
twice that. The hook itself has eight (``running.py``)."""
_EACH_MESSAGE = ("openclaw",)
"""``agent:bootstrap`` comes before each message, and what it adds is there for that one alone (seen with 2026.9.6)."""
_NAMELESS = "staged"
"""What the ring holds of a page whose lines have neither ids nor places."""


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

    OpenClaw asks at each message and keeps no answer. There the stager runs at a session's first one, and what
    the session is shown on and on is recorded once.

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
    try:  # noqa: SIM105 - contextlib costs a start
        hook_state.drop_old_states(home, now.timestamp())
    except OSError:
        pass
    given, each_message = payload.get("session_id"), host in _EACH_MESSAGE
    if anew and not (each_message and hook_state.has_state(home, given)) and not stage_anew(home, now):
        return ""
    page = read_staged(home, stamp(now), most)
    if page is None:
        if each_message:
            hook_state.write_state(
                home, given, hook_state.read_state(home, given)
            )  # the session is known from now on
        return ""
    places = (hook_state.place_key(place.path, place.lines[0]) for place in page.places)
    names = (*page.shown, *places) or ((_NAMELESS,) if each_message else ())
    if not (each_message and hook_state.read_state(home, given).shown[-1:] == (names,)):
        exposure = _exposure(page, stamp(now), host, session_name(given))
        hook_state.append_exposure(home, exposure)
        if names:  # so that the session's prompts are not shown it again
            hook_state.write_state(home, given, hook_state.read_state(home, given).after_showing(names))
    return page.text


def stage_anew(home: "Home", now: "datetime") -> bool:
    """Have the stager run, within its limit, unless the page that stands is the one it would make; returns whether all is well."""
    from nightledger.gate.kept_page import find_kept

    if find_kept(home, keys_directory(os.environ), now.timestamp()) is not None:
        return True
    import subprocess

    words = [sys.executable, "-I", os.path.join(SCRIPTS, "predictive_stager.py"), "--home", home.root]
    try:
        done = subprocess.run(  # noqa: S603 - our own program, by its full path
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=STAGING_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _exposure(page: StagedPage, at: str, host: str, session: str) -> Exposure:
    return Exposure(
        at=at, shown=page.shown, host=host, event="session_start", session=session, places=page.places
    )
