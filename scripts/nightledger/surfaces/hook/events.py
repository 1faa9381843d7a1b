"""From an event of a host to the answer: which part of the hook is asked.

Invariant: what is shown is recorded first; where it cannot be recorded, nothing is shown.
"""

import os
import sys

from nightledger.files.home import Home
from nightledger.surfaces.context import keys_directory
from nightledger.surfaces.hook.exchange import (
    MAX_CONTEXT_BYTES,
    START,
    TOOL,
    give_context,
    meaning,
    parse_payload,
    refuse,
)

TYPE_CHECKING = False  # typing.TYPE_CHECKING costs the import of typing at each start
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

SCRIPTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
"""The folder that holds our programs."""
_WITHOUT_MEMORY = ("subagent", "cron")
"""Where Hermes itself shows no memory; to us these look like first turns of a session (seen with 0.19.0)."""


def answer_event(home_path: str, host: str, event: str, raw: bytes, *, now_text: str = "") -> bytes:
    """Give what to print for one event; nothing is a valid answer.

    Args:
        home_path: The home.
        host: As records name it.
        event: As the host names it.
        raw: What the host sent.
        now_text: The time it is; for trials, in a simulated home only.

    Raises:
        NightledgerError: The home is none, or cannot be used; whoever calls says nothing.
        OSError: The system refuses something; likewise.
    """
    home, payload = Home(home_path).require(), parse_payload(raw)
    kind = meaning(host, event)
    if not kind:
        return b""
    if kind == TOOL:
        from nightledger.surfaces.hook.guard import refusal

        return refuse(
            host, event, refusal(home, payload, full_command(home, "propose"), keys_directory(os.environ))
        )
    from nightledger.surfaces.home import require_machine

    require_machine(home)
    now = _now(home, now_text)
    if kind == START:
        from nightledger.surfaces.hook.starting import started

        # the stager knows the real time only, so where another is given it is not asked
        page = started(home, host, payload, now, anew=not now_text, most=_room(payload))
        return give_context(host, event, page)
    return give_context(host, event, _at_prompt(home, host, payload, now))


def _at_prompt(home: Home, host: str, payload: "dict[str, Any]", now: "datetime") -> str:
    """Give what a prompt gets; the first of a Hermes session also what is staged, as Hermes has no event for that."""
    extra = payload.get("extra")
    if isinstance(extra, dict) and extra.get("platform") in _WITHOUT_MEMORY:
        return ""
    from nightledger.surfaces.hook.prompting import prompted

    if not isinstance(extra, dict) or extra.get("is_first_turn") is not True:
        return prompted(home, host, payload, stamp(now))
    from nightledger.domain.tokens import BYTES_A_TOKEN
    from nightledger.files.hook_state import read_hook_settings
    from nightledger.surfaces.hook.starting import started

    # the page first: its lines are then not among the notes, which keep their room
    room = MAX_CONTEXT_BYTES - BYTES_A_TOKEN * read_hook_settings(home).tokens - 1
    page = started(home, host, payload, now, anew=False, most=room)
    return "\n".join(part for part in (page, prompted(home, host, payload, stamp(now))) if part)


def _room(payload: "dict[str, Any]") -> int:
    """Give the bytes of a page that a host takes whole; OpenClaw's handler says how many characters are left."""
    room = payload.get("room")
    return min(MAX_CONTEXT_BYTES, room) if type(room) is int else MAX_CONTEXT_BYTES


def _now(home: Home, text: str) -> "datetime":
    """Give the time of this event; in a simulated home the one that is given."""
    from nightledger.surfaces import clock
    from nightledger.surfaces.home import is_simulated

    return clock.parse_now(text) if text and is_simulated(home.root) else clock.system_now()


def stamp(now: "datetime") -> str:
    """Give a time as records write it: ``2026-03-01T06:00:00Z``."""
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def full_command(home: Home, verb: str) -> str:
    """Give the command with which an agent calls a verb, in full paths, without its words."""
    from shlex import join

    program = os.path.join(os.path.dirname(sys.executable), "nightledger")
    own = [program] if os.access(program, os.X_OK) else [sys.executable, os.path.join(SCRIPTS, "command.py")]
    return join([*own, verb, "--home", home.root])
