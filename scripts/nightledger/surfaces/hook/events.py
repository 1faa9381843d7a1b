"""From an event of a host to the answer: which part of the hook is asked.

Invariant: what is shown is recorded first; where it cannot be recorded, nothing is shown.
"""

import os
import sys

from nightledger.files.home import Home
from nightledger.surfaces.hook.answers import PROMPT, START, TOOL, give_context, meaning, refuse
from nightledger.surfaces.hook.payload import parse_payload

SCRIPTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
"""The folder that holds our programs."""


def answer_event(home_path: str, host: str, event: str, raw: bytes) -> bytes:
    """Give what to print for one event; nothing is a valid answer.

    Args:
        home_path: The home.
        host: As records name it.
        event: As the host names it.
        raw: What the host sent.

    Raises:
        NightledgerError: The home is none, or cannot be used; whoever calls says nothing.
        OSError: The system refuses something; likewise.
    """
    home, payload = Home(home_path).require(), parse_payload(raw)
    kind = meaning(host, event)
    if kind == TOOL:
        from nightledger.surfaces.hook.guard import refusal

        return refuse(host, event, refusal(home, payload, propose_command(home)))
    from nightledger.surfaces.home import require_machine

    require_machine(home)
    if kind == START:
        from nightledger.surfaces.hook.starting import started

        return give_context(host, event, started(home, host, payload))
    if kind == PROMPT:
        from nightledger.surfaces.hook.prompting import prompted

        return give_context(host, event, prompted(home, host, payload))
    return b""


def propose_command(home: Home) -> str:
    """Give the command with which an agent proposes, in full paths, without its words."""
    from shlex import quote

    program = os.path.join(os.path.dirname(sys.executable), "nightledger")
    if not os.access(program, os.X_OK):
        program = f"{quote(sys.executable)} {quote(os.path.join(SCRIPTS, 'command.py'))}"
    else:
        program = quote(program)
    return f"{program} propose --home {quote(home.root)}"
