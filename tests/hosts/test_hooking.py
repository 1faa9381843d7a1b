import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nightledger.hosts.hooking import (
    HOOKED,
    HookCall,
    addition,
    config_name,
    has_hooks,
    with_hooks,
    without_hooks,
)

CALL = HookCall(
    python="/opt/my py/bin/python",
    script="/opt/nl/scripts/prompt_hook.py",
    home="/srv/my home",
    home_id="3f1d0c5a" * 4,
)
OTHER = HookCall(
    python="/usr/bin/python3", script="/old/scripts/prompt_hook.py", home="/srv/other", home_id="aaaa0c5a" * 4
)
MOVED = HookCall(
    python="/usr/bin/python3", script="/new/scripts/prompt_hook.py", home=CALL.home, home_id=CALL.home_id
)
JSON_HOSTS = ("claude_code", "codex")
SETTINGS = '{\n  "model": "x",\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]\n  }\n}\n'
CONFIG = "model: x # best\nmemory:\n    write_approval: true\n"


@pytest.mark.parametrize("host", JSON_HOSTS)
def test_the_command_is_absolute_isolated_and_quoted(host: str) -> None:
    added = json.loads(addition(host, CALL))["hooks"]
    assert set(added) == {"SessionStart", "UserPromptSubmit", "PreToolUse"}
    for event, (element,) in added.items():
        (hook,) = element["hooks"]
        assert hook["type"] == "command"
        assert 5 <= hook["timeout"] <= 12
        assert shlex.split(hook["command"]) == [
            "/opt/my py/bin/python", "-I", "-S", "/opt/nl/scripts/prompt_hook.py", "--home", "/srv/my home", host, event,
            "2>/dev/null", "||", ":",
        ]  # fmt: skip
    assert "matcher" not in added["UserPromptSubmit"][0]
    assert "Write" in added["PreToolUse"][0]["matcher"]


@pytest.mark.parametrize("python", [sys.executable, "/gone/python"])
@pytest.mark.parametrize("host", [*JSON_HOSTS, "hermes"])
def test_a_checkout_or_an_interpreter_that_is_gone_blocks_nothing(
    host: str, python: str, tmp_path: Path
) -> None:
    call = HookCall(python=python, script=str(tmp_path / "prompt_hook.py"), home="/h", home_id="a" * 32)
    line = call.line(host, "UserPromptSubmit")
    words = shlex.split(line) if host == "hermes" else ["/bin/sh", "-c", line]
    done = subprocess.run(words, input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("host", JSON_HOSTS)
def test_adding_twice_is_adding_once_and_removing_gives_it_back(host: str) -> None:
    once = with_hooks(host, SETTINGS, CALL)
    assert with_hooks(host, once, CALL) == once
    assert has_hooks(host, once, CALL)
    assert json.loads(once)["hooks"]["Stop"] == json.loads(SETTINGS)["hooks"]["Stop"]
    assert without_hooks(host, once, CALL) == SETTINGS
    assert not has_hooks(host, SETTINGS, CALL)


@pytest.mark.parametrize("host", JSON_HOSTS)
def test_two_homes_stand_side_by_side(host: str) -> None:
    both = with_hooks(host, with_hooks(host, SETTINGS, CALL), OTHER)
    assert without_hooks(host, both, CALL) == with_hooks(host, SETTINGS, OTHER)
    assert without_hooks(host, without_hooks(host, both, CALL), OTHER) == SETTINGS


@pytest.mark.parametrize("host", JSON_HOSTS)
def test_a_checkout_that_moved_replaces_its_old_hooks(host: str) -> None:
    moved = with_hooks(host, with_hooks(host, SETTINGS, CALL), MOVED)
    assert moved == with_hooks(host, SETTINGS, MOVED)


def test_what_the_user_wrote_around_our_command_is_left_alone() -> None:
    mixed = {"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": CALL.line("claude_code", "PreToolUse")},
        {"type": "command", "command": "mine"},
    ]}]}}  # fmt: skip
    text = json.dumps(mixed)
    assert without_hooks("claude_code", text, CALL) == text
    odd = json.dumps(
        {"hooks": {"PreToolUse": [1, {"hooks": []}, {"hooks": [{"command": "'"}]}, {"hooks": [{}]}]}}
    )
    assert without_hooks("claude_code", odd, CALL) == odd
    assert (
        json.loads(with_hooks("claude_code", odd, CALL))["hooks"]["PreToolUse"][:4]
        == json.loads(odd)["hooks"]["PreToolUse"]
    )


@pytest.mark.parametrize("text", ["[]", "{", "// mine\n{}", '{"hooks": 1}', '{"hooks": {"PreToolUse": {}}}'])
def test_settings_of_another_shape_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        with_hooks("claude_code", text, CALL)


@given(
    keys=st.lists(st.sampled_from(["model", "memory", "tools"]), unique=True),
    ending=st.sampled_from(["\n", "", "\n\n", "\n# end"]),
)
def test_a_block_of_yaml_comes_and_goes(keys: list[str], ending: str) -> None:
    text = "\n".join(f"{key}: {{a: 1}} # note" for key in keys) + (ending if keys else "")
    added = with_hooks("hermes", text, CALL)
    assert added.startswith(text)
    assert with_hooks("hermes", added, CALL) == added
    assert has_hooks("hermes", added, CALL)
    hooks = yaml.safe_load(added)["hooks"]
    shell, dash_c, line = shlex.split(hooks["pre_llm_call"][0]["command"])  # Hermes starts it without a shell
    assert (shell, dash_c) == ("/bin/sh", "-c")
    assert shlex.split(line)[-5:] == ["hermes", "pre_llm_call", "2>/dev/null", "||", ":"]
    assert hooks["pre_tool_call"][0]["matcher"] == "write_file|patch"
    assert without_hooks("hermes", added, CALL) == text


def test_a_checkout_that_moved_replaces_its_block() -> None:
    assert with_hooks("hermes", with_hooks("hermes", CONFIG, CALL), MOVED) == with_hooks(
        "hermes", CONFIG, MOVED
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hooks:\n  pre_tool_call: []\n", "hooks already"),
        ('"hooks": {}\n', "hooks already"),
        ("- a\n", "no YAML"),
        ("a: [\n", "no YAML"),
        ("a: 1\n...\n", "no plain|no YAML"),
        ("a: 1\n---\nb: 2\n", "no YAML|no plain"),
        ("a: |\n  text", "no plain"),
        ("{a: 1}\n", "no YAML|no plain"),
    ],
)
def test_yaml_that_cannot_be_added_to_safely_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        with_hooks("hermes", text, CALL)


def test_each_host_says_where_its_hooks_stand() -> None:
    assert config_name("claude_code") == "settings.json"
    assert config_name("codex", project=True) == ".codex/hooks.json"
    for host, project in (("hermes", True), ("openclaw", False), ("generic", False)):
        with pytest.raises(ValueError, match="no file of hooks"):
            config_name(host, project=project)
    assert "pre_llm_call" in addition("hermes", CALL)
    assert set(HOOKED) == {"claude_code", "codex", "hermes", "openclaw"}
