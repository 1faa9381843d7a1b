import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row, from_corpus

from nightledger.hosts.hooking import HookCall, addition, has_hooks, with_hooks, without_hooks

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
RENAMED = HookCall(python=CALL.python, script=CALL.script, home="/srv/its new place", home_id=CALL.home_id)
JSON_HOSTS = ("claude_code", "codex")
SETTINGS = (
    json.dumps(
        {"model": "x", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}}, indent=2
    )
    + "\n"
)
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
            "2>/dev/null", "||", ":", CALL.home_id,
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


@pytest.mark.parametrize("host", [*JSON_HOSTS, "hermes"])
def test_hooks_come_once_stand_beside_those_of_other_homes_move_with_their_own_and_go(host: str) -> None:
    text, plain = (CONFIG, yaml.safe_load) if host == "hermes" else (SETTINGS, str)
    once = with_hooks(host, text, CALL)
    assert with_hooks(host, once, CALL) == once
    assert (has_hooks(host, once, CALL), has_hooks(host, text, CALL)) == (True, False)
    assert yaml.safe_load(once)["hooks"].get("Stop") == yaml.safe_load(text).get("hooks", {}).get("Stop")
    assert plain(without_hooks(host, once, CALL)) == plain(text)
    both = with_hooks(host, once, OTHER)
    assert plain(without_hooks(host, both, CALL)) == plain(with_hooks(host, text, OTHER))
    assert plain(without_hooks(host, without_hooks(host, both, CALL), OTHER)) == plain(text)
    assert has_hooks(host, once, RENAMED)
    assert with_hooks(host, once, RENAMED) == with_hooks(host, text, RENAMED)
    assert yaml.safe_load(without_hooks(host, once, RENAMED)) == yaml.safe_load(text)


def test_what_the_user_wrote_beside_our_command_stays_and_ours_goes() -> None:
    text = with_hooks("claude_code", SETTINGS, CALL)
    settings = json.loads(text)
    for event in settings["hooks"]:
        first, last = ({"type": "command", "command": name} for name in ("first", "last"))
        hooks = settings["hooks"][event][0]["hooks"]
        settings["hooks"][event][0]["hooks"] = [first, *hooks, last]
    mixed = json.dumps(settings, indent=2)
    assert with_hooks("claude_code", mixed, CALL) == mixed
    assert has_hooks("claude_code", mixed, CALL)
    left = without_hooks("claude_code", mixed, CALL)
    assert "prompt_hook" not in left
    for elements in json.loads(left)["hooks"].values():
        commands = [hook["command"] for hook in elements[0]["hooks"]]
        assert [one for one in commands if one != "beep"] == ["first", "last"]
    moved = with_hooks("claude_code", mixed, MOVED)
    assert moved.count("prompt_hook.py") == moved.count(MOVED.script) == 3
    assert moved.count("first") == 4


def test_what_is_no_hook_is_left_alone() -> None:
    hooks = [1, {"hooks": []}, {"hooks": [{"command": "'"}]}, {"hooks": [{}]}]
    odd = json.dumps({"hooks": {"PreToolUse": hooks}})
    assert without_hooks("claude_code", odd, CALL) == odd
    added = with_hooks("claude_code", odd, CALL)
    assert json.loads(added)["hooks"]["PreToolUse"][:4] == hooks
    assert json.loads(without_hooks("claude_code", added, CALL)) == json.loads(odd)


@from_corpus("hosts-hooking")
def test_settings_of_another_shape_are_refused(host: str, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        with_hooks(host, text, CALL)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
layouts = st.sampled_from([{"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}, {}])


@given(
    model=values, zeta=values, layout=layouts, ending=st.sampled_from(["", "\n", "\r\n"]), bom=st.booleans()
)
def test_what_is_added_to_settings_is_taken_out_again_value_for_value_and_byte_for_byte_in_a_plain_layout(
    *, model: object, zeta: object, layout: dict[str, Any], ending: str, bom: bool
) -> None:
    document = {"model": model, "hooks": {"Stop": [{"hooks": []}]}, "zeta": zeta}
    text = ("\ufeff" if bom else "") + json.dumps(document, ensure_ascii=False, **layout) + ending
    text = text.replace("\r\n", "\n").replace("\n", "\r\n") if ending == "\r\n" else text
    added = with_hooks("claude_code", text, CALL)
    assert {**json.loads(added.removeprefix("\ufeff")), "hooks": None} == {**document, "hooks": None}
    left = without_hooks("claude_code", added, CALL)
    assert list(json.loads(left.removeprefix("\ufeff")).items()) == list(document.items())
    if "indent" in layout:
        assert left == text


@given(
    keys=st.lists(st.sampled_from(["model", "memory", "tools"]), unique=True),
    ending=st.sampled_from(["\n", "", "\n\n", "\n# end"]),
)
def test_hooks_in_yaml_come_and_go(keys: list[str], ending: str) -> None:
    text = "\n".join(f"{key}: {{a: 1}} # note" for key in keys) + (ending if keys else "")
    added = with_hooks("hermes", text, CALL)
    assert {**yaml.safe_load(added), "hooks": 0} == {**(yaml.safe_load(text) or {}), "hooks": 0}
    assert with_hooks("hermes", added, CALL) == added
    assert has_hooks("hermes", added, CALL)
    hooks = yaml.safe_load(added)["hooks"]
    shell, dash_c, line = shlex.split(hooks["pre_llm_call"][0]["command"])  # Hermes starts it without a shell
    assert (shell, dash_c) == ("/bin/sh", "-c")
    assert shlex.split(line)[-6:] == ["hermes", "pre_llm_call", "2>/dev/null", "||", ":", CALL.home_id]
    assert hooks["pre_tool_call"][0]["matcher"] == "write_file|patch|memory"
    left = without_hooks("hermes", added, CALL)
    assert (yaml.safe_load(left) or {}) == (yaml.safe_load(text) or {})


OWN = {"command": "/my/own.sh", "timeout": 9}


@each_row("line", ["hooks: {}\n", "hooks:\n", "hooks: ~"])
def test_a_key_without_hooks_gets_ours(line: str) -> None:
    added = with_hooks("hermes", f"{CONFIG}{line}", CALL)
    assert yaml.safe_load(added)["hooks"]["pre_llm_call"]
    assert {**yaml.safe_load(added), "hooks": None} == {**yaml.safe_load(CONFIG), "hooks": None}
    assert with_hooks("hermes", added, CALL) == added
    assert yaml.safe_load(without_hooks("hermes", added, CALL)) == yaml.safe_load(CONFIG)


@given(
    own=st.sets(st.sampled_from(["pre_llm_call", "pre_tool_call", "on_session_end"])),
    both=st.booleans(),
    width=st.sampled_from([20, 80, 1000]),
)
def test_hooks_that_the_host_wrote_anew_are_found_and_taken_out(
    own: set[str], *, both: bool, width: int
) -> None:
    added = with_hooks("hermes", CONFIG, CALL)
    config = yaml.safe_load(added)
    for event in own:
        found = config["hooks"].setdefault(event, [])
        found.insert(len(found) if both else 0, dict(OWN))
    text = yaml.safe_dump(config, width=width)
    assert has_hooks("hermes", text, CALL)
    assert with_hooks("hermes", text, CALL) == text
    left = yaml.safe_load(without_hooks("hermes", text, CALL))
    assert left.pop("hooks", {}) == {event: [OWN] for event in own}
    assert left == yaml.safe_load(CONFIG)
    assert not has_hooks("hermes", without_hooks("hermes", text, CALL), CALL)


@pytest.mark.parametrize(
    "hooks", [[], "x", {"pre_llm_call": "x"}, {"pre_llm_call": ["x", {"command": 1}]}, {"pre_llm_call": None}]
)
def test_hooks_of_another_shape_are_nobody_s(hooks: object) -> None:
    text = yaml.safe_dump({"hooks": hooks, "note": "prompt_hook.py"})
    assert not has_hooks("hermes", text, CALL)
    assert without_hooks("hermes", text, CALL) == text
    odd = {"pre_tool_call": hooks, "pre_llm_call": [{"command": CALL.line("hermes", "pre_llm_call")}]}
    left = yaml.safe_load(without_hooks("hermes", yaml.safe_dump({"hooks": odd}), CALL)) or {}
    assert left.get("hooks", {}).get("pre_tool_call") in (hooks, None)


@pytest.mark.parametrize("value", ["!!bool x", "!!int ''", "!!timestamp x"])
def test_what_yaml_makes_no_value_of_is_refused_in_words(value: str) -> None:
    for edit in (with_hooks, without_hooks):
        with pytest.raises(ValueError, match="it is no YAML"):
            edit("hermes", f"a: {value}\nb: prompt_hook.py\n", CALL)
