"""What hosts send, whatever it is, and the shapes of answers."""

import json
import os
from typing import Any

import pytest

from nightledger.surfaces.hook import exchange
from nightledger.surfaces.hook.exchange import (
    HOSTS,
    MAX_PROMPT_CHARACTERS,
    give_context,
    parse_payload,
    prompt_of,
    read_stdin,
    refuse,
    text_of,
)


def read(sent: bytes) -> bytes:
    read_end, write_end = os.pipe()
    os.write(write_end, sent)
    os.close(write_end)
    try:
        return read_stdin(read_end)
    finally:
        os.close(read_end)


def test_what_is_sent_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(b"") == b""
    assert read(b'{"a": 1}') == b'{"a": 1}'
    monkeypatch.setattr(exchange, "MAX_STDIN_BYTES", 10)
    assert read(b"x" * 10) == b"x" * 10
    assert read(b"x" * 11) == b""


def test_an_end_that_cannot_be_read_is_nothing() -> None:
    read_end, write_end = os.pipe()
    os.close(write_end)
    os.close(read_end)
    assert read_stdin(read_end) == b""


@pytest.mark.parametrize("raw", [b"", b"[]", b"7", b"{", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_object_is_an_empty_one(raw: bytes) -> None:
    assert parse_payload(raw) == {}


def test_bytes_that_are_no_text_do_not_spoil_the_rest() -> None:
    assert parse_payload(b'\xef\xbb\xbf{"prompt": "a \xff b"}')["prompt"] == "a \ufffd b"


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


def test_of_a_long_prompt_both_ends_are_kept() -> None:
    prompt = prompt_of({"prompt": "a" * 9000 + "z" * 9000})
    assert len(prompt) == MAX_PROMPT_CHARACTERS + 1
    assert (prompt[0], prompt[-1]) == ("a", "z")


def test_a_text_deep_inside_is_given_or_none_is() -> None:
    sent = json.loads('{"a": {"b": "c"}}')
    assert text_of(sent, "a", "b") == "c"
    assert text_of(sent, "a") == text_of(sent, "b", "a") == text_of(sent, "a", "b", "c") == ""


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
