"""Refuse an operator's verbs where an agent's host is calling.

A stop for honest mistakes, not a wall: whoever can run a command can also clear its
environment. What holds is the signature.
"""

import os

from nightledger.domain.errors import RefusedError

MARKS = {
    "CLAUDECODE": "Claude Code",  # seen with 2.1.330, with AI_AGENT
    "CODEX_SANDBOX": "Codex",  # on macOS alone
    "CODEX_SANDBOX_NETWORK_DISABLED": "Codex",  # on Linux; this and the thread's id seen with 0.169
    "CODEX_THREAD_ID": "Codex",
    "OPENCLAW_SHELL": "OpenClaw",  # docs.openclaw.ai/help/environment (exec, acp)
    "HERMES_AGENT": "Hermes",  # NousResearch/hermes-agent, tools/environments; with AI_AGENT
    "HERMES_SESSION_ID": "Hermes",
    "CURSOR_AGENT": "Cursor",  # cursor.com/docs, Terminal: its agent's shells alone; CURSOR_TRACE_ID is in a person's, too
    "GEMINI_CLI": "Gemini CLI",  # google-gemini/gemini-cli, shellExecutionService.ts
    "QWEN_CODE": "Qwen Code",  # QwenLM/qwen-code, shellExecutionService.ts
    "CLINE_ACTIVE": "Cline",  # docs.cline.bot: in the terminals that it opens
    "ROO_ACTIVE": "Roo Code",  # RooCodeInc/Roo-Code, Terminal.ts
    "OPENCODE": "OpenCode",  # anomalyco/opencode, index.ts; not in every version's shells (issue 32689)
    "GOOSE_TERMINAL": "Goose",  # block/goose, developer shell; with AGENT
    "AMP_CURRENT_THREAD_ID": "Amp",  # ampcode.com/manual; with AGENT
    "AUGMENT_AGENT": "Augment",  # docs.augmentcode.com, Auggie's environment
    "CRUSH": "Crush",  # charmbracelet/crush, shell.go; with AGENT and AI_AGENT
    "PI_CODING_AGENT": "Pi",  # pi-coding-agent, cli.ts
    "ANTIGRAVITY_AGENT": "Antigravity",  # vercel/vercel, detect-agent
    "TRAE_AI_SHELL_ID": "Trae",  # agentsmd/agents.md, issue 136
    "AI_AGENT": "an agent's host",  # vercel/vercel, detect-agent; agreed upon by several, holds the host's name
    "AGENT": "an agent's host",  # agentsmd/agents.md, issue 136: the same, by its shorter name
}
"""Variables that hosts set for the commands of their agents and not in terminals of persons, with where that is said.

Of Copilot, Windsurf, Kiro, Zed, Replit and Aider no variable is known that a person's terminal has not, too.
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
