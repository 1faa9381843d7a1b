"""Refuse an operator's verbs where an agent's host is calling.

A stop for honest mistakes, not a wall: whoever can run a command can also clear its
environment. What holds is the signature.
"""

import json
import os

from nightledger.domain.errors import RefusedError
from nightledger.surfaces.context import CHECKOUT

MARKS_FILE = os.path.join(CHECKOUT, "config", "agent-hosts.json")
OPENCLAW_LOCAL = "tui-local"
"""OpenClaw's mark for a shell that its owner opened by hand: a person, not an agent."""


def marks() -> dict[str, str]:
    """Return the hosts by the variables that they set for the commands of their agents alone."""
    with open(MARKS_FILE, encoding="utf-8") as stream:
        return {row["variable"]: row["host"] for row in json.load(stream)["marks"]}


def _calling() -> tuple[str, str]:
    """Return the variable that says that an agent's host is calling, and its host; empty where a person or a timer is."""
    for name, host in marks().items():
        value = os.environ.get(name, "")
        if value and (name, value) != ("OPENCLAW_SHELL", OPENCLAW_LOCAL):
            return name, host
    return "", ""


def calling_host() -> str:
    """Name the host whose agent is calling; empty where a person or a timer is."""
    return _calling()[1]


def require_person(verb: str, *, simulated: bool) -> None:
    """Make sure that no agent's host is calling; simulated homes are for trials by anyone.

    Raises:
        RefusedError: The environment carries a host's mark.
    """
    mark, host = ("", "") if simulated else _calling()
    if mark:
        raise RefusedError(
            f"'nightledger {verb}' is for the operator, and {host} is calling (${mark} is set)",
            hint="run it in a terminal of your own; an agent may 'nightledger propose'",
        )
