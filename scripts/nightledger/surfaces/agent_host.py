"""Refuse an operator's verbs where an agent's host is calling.

A stop for honest mistakes, not a wall: whoever can run a command can also clear its
environment. What holds is the signature.
"""

import os

from nightledger.domain.errors import RefusedError

MARKS = {
    "CLAUDECODE": "Claude Code",
    "CODEX_SANDBOX": "Codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "Codex",
    "CODEX_THREAD_ID": "Codex",
    "OPENCLAW_SHELL": "OpenClaw",
    "HERMES_AGENT": "Hermes",
    "HERMES_SESSION_ID": "Hermes",
    "AI_AGENT": "an agent's host",
}
"""Variables that hosts set for the commands of their agents.

OpenClaw: docs.openclaw.ai/help/environment (``exec``, ``acp``). Claude Code sets ``CLAUDECODE=1``
and ``AI_AGENT`` in the shells that it starts (seen with 2.1.330). Codex: ``CODEX_SANDBOX`` on macOS alone,
``CODEX_SANDBOX_NETWORK_DISABLED`` in its sandbox on Linux, and the thread's id (both seen with 0.169). Hermes: its terminal
tool sets ``HERMES_AGENT``, ``AI_AGENT`` and the id of the session (NousResearch/hermes-agent, tools/environments).
``AI_AGENT`` is what several hosts agreed upon; it holds the host's name.
"""
OPENCLAW_LOCAL = "tui-local"
"""OpenClaw's mark for a shell that its owner opened by hand: a person, not an agent."""


def calling_mark() -> str:
    """Give the variable that says that an agent's host is calling; empty where a person or a timer is."""
    for name in MARKS:
        value = os.environ.get(name, "")
        if value and (name, value) != ("OPENCLAW_SHELL", OPENCLAW_LOCAL):
            return name
    return ""


def calling_host() -> str:
    """Name the host whose agent is calling; empty where a person or a timer is."""
    return MARKS.get(calling_mark(), "")


def require_person(verb: str, *, simulated: bool) -> None:
    """Make sure that no agent's host is calling; simulated homes are for trials by anyone.

    Raises:
        RefusedError: The environment carries a host's mark.
    """
    if simulated:
        return
    if mark := calling_mark():
        raise RefusedError(
            f"'nightledger {verb}' is for the operator, and {MARKS[mark]} is calling (${mark} is set)",
            hint="run it in a terminal of your own; an agent may 'nightledger propose'",
        )
