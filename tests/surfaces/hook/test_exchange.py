"""What hosts send, whatever it is, and the shapes of answers."""

import json
from typing import Any

import pytest

from nightledger.surfaces.hook.exchange import (
    give_context,
    prompt_of,
    refuse,
)


@pytest.mark.parametrize(
    ("sent", "prompt"),
    [
        ({"prompt": "a"}, "a"),
        ({"extra": {"user_message": "b"}}, "b"),
        ({"extra": {"user_message": [{"text": "c"}, {"type": "image"}, 7, {"text": "d"}]}}, "c\nd"),
        ({"prompt": 7, "extra": 8}, ""),
        ({"extra": {"user_message": {"a": 1}}}, ""),
        ({"prompt": "\ud800x"}, "?x"),
        ({}, ""),
    ],
)
def test_the_prompt_is_found_where_each_host_puts_it(sent: dict[str, Any], prompt: str) -> None:
    assert prompt_of(sent) == prompt


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
