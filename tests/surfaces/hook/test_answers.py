import json

import pytest

from nightledger.surfaces.hook.answers import (
    HOSTS,
    give_context,
    refuse,
)


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
