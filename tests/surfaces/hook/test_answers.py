import json

import pytest

from nightledger.surfaces.hook.answers import (
    HOSTS,
    PROMPT,
    START,
    TOOL,
    give_context,
    host_name,
    meaning,
    refuse,
)


def test_every_host_has_its_events_and_no_others() -> None:
    assert meaning("claude_code", "UserPromptSubmit") == PROMPT
    assert meaning("openclaw", "agent:bootstrap") == START
    assert meaning("hermes", "pre_tool_call") == TOOL
    assert meaning("hermes", "UserPromptSubmit") == meaning("emacs", "SessionStart") == ""
    assert host_name("Claude-Code") == "claude_code"


@pytest.mark.parametrize("host", HOSTS)
def test_nothing_to_say_is_no_answer_at_all(host: str) -> None:
    assert give_context(host, "E", "") == b""
    assert refuse(host, "E", "") == b""


@pytest.mark.parametrize("host", ["claude_code", "codex"])
def test_an_answer_holds_nothing_that_could_allow_ask_or_stop(host: str) -> None:
    context = json.loads(give_context(host, "SessionStart", "ü\u2028"))
    assert context == {
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "ü\u2028"}
    }
    denied = json.loads(refuse(host, "PreToolUse", "no"))
    assert denied == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "no",
        }
    }
    assert give_context(host, "SessionStart", "ü").isascii()


def test_hermes_and_openclaw_take_plain_objects() -> None:
    assert json.loads(give_context("openclaw", "agent:bootstrap", "a")) == {"context": "a"}
    assert json.loads(refuse("hermes", "pre_tool_call", "no")) == {"action": "block", "message": "no"}
