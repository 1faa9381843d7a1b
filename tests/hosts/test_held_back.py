import json
from pathlib import Path

import pytest

from nightledger.hosts.hooking import HookCall, with_hooks
from nightledger.hosts.rivals import why_held_back

CALL = HookCall(
    python="/usr/bin/python3", script="/opt/nl/scripts/prompt_hook.py", home="/home/ada", home_id="f" * 32
)
OTHER = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "beep"}]}]}}'


@pytest.fixture
def codex(tmp_path: Path) -> Path:
    """Codex' directory, with hooks of the owner before ours."""
    root = tmp_path / "codex"
    root.mkdir()
    (root / "hooks.json").write_text(with_hooks("codex", OTHER, CALL))
    return root


def trust(root: Path, *keys: str, more: str = "") -> str:
    """Write what Codex writes when hooks are trusted; give what is said then."""
    states = "".join(f'[hooks.state.{json.dumps(key)}]\ntrusted_hash = "sha256:00"\n{more}' for key in keys)
    (root / "config.toml").write_text(f'model = "x"\n{states}')
    return why_held_back("codex", str(root), CALL)


def test_hooks_that_codex_was_never_told_to_trust_are_counted(codex: Path) -> None:
    said = "Codex runs none that you have not trusted: {} wait for /hooks in a session ('codex exec' does not ask)"
    file = codex / "hooks.json"
    assert why_held_back("codex", str(codex), CALL) == said.format(3)
    keys = [f"{file}:session_start:0:0", f"{file}:user_prompt_submit:0:0", f"{file}:pre_tool_use:1:0"]
    assert trust(codex, *keys[:2]) == said.format(1)
    assert trust(codex, *keys[:2], f"{file}:pre_tool_use:0:0") == said.format(1)
    assert trust(codex, *keys) == ""
    assert trust(codex, *keys, more="enabled = false\n") == said.format(3)


@pytest.mark.parametrize("name", ["hooks", "codex_hooks"])
def test_hooks_that_codex_has_turned_off_are_told(codex: Path, name: str) -> None:
    (codex / "config.toml").write_text(f"[features]\n{name} = false\n")
    assert why_held_back("codex", str(codex), CALL).startswith(f"{name} = false under [features] in ")


def test_hooks_that_claude_code_has_turned_off_are_told(tmp_path: Path) -> None:
    assert why_held_back("claude_code", str(tmp_path), CALL) == ""
    (tmp_path / "settings.json").write_text('{"disableAllHooks": false}')
    assert why_held_back("claude_code", str(tmp_path), CALL) == ""
    (tmp_path / "settings.json").write_text('{"disableAllHooks": true}')
    assert "turns every hook off" in why_held_back("claude_code", str(tmp_path), CALL)


def test_hooks_that_hermes_was_never_told_to_run_are_counted(tmp_path: Path) -> None:
    said = (
        "Hermes runs none that you have not allowed: {} wait for its question when it starts at a terminal; "
        "'hermes --accept-hooks' answers it"
    )
    config, allowed = tmp_path / "config.yaml", tmp_path / "shell-hooks-allowlist.json"
    config.write_text(with_hooks("hermes", "model: x\n", CALL))
    assert why_held_back("hermes", str(tmp_path), CALL) == said.format(2)
    approvals = [
        {"event": event, "command": CALL.line("hermes", event)} for event in ("pre_llm_call", "pre_tool_call")
    ]
    allowed.write_text(
        json.dumps({"approvals": [*approvals[:1], 3, {"event": "pre_tool_call", "command": "beep"}]})
    )
    assert why_held_back("hermes", str(tmp_path), CALL) == said.format(1)
    allowed.write_text(json.dumps({"approvals": approvals}))
    assert why_held_back("hermes", str(tmp_path), CALL) == ""
    allowed.unlink()
    config.write_text(f"{config.read_text()}hooks_auto_accept: true\n")
    assert why_held_back("hermes", str(tmp_path), CALL) == ""
    for odd in ("[]", '{"approvals": 3}', "{"):
        config.write_text(with_hooks("hermes", "", CALL))
        allowed.write_text(odd)
        assert why_held_back("hermes", str(tmp_path), CALL) == ""


@pytest.mark.parametrize(
    ("internal", "runs"),
    [
        (None, False),
        ("entries: {'nightledger-ffffffff': {enabled: true}}", True),
        ("enabled: false, entries: {'nightledger-ffffffff': {enabled: true}}", False),
        ("enabled: true, entries: {'nightledger-ffffffff': {enabled: false}}", False),
        ("enabled: true, entries: {other: {enabled: true}}", False),
        ("enabled: true", True),
        ("load: {extraDirs: ['/a']}, entries: {other: {}}", True),
    ],
)
def test_a_hook_that_openclaw_does_not_turn_on_is_told(
    internal: str | None,
    runs: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
) -> None:
    path = tmp_path / "openclaw.json"
    if internal is not None:
        path.write_text(f"{{hooks: {{internal: {{{internal}}}}}}}")
    said = f"{path} does not turn it on; 'openclaw hooks enable nightledger-ffffffff' does"
    assert why_held_back("openclaw", str(tmp_path), CALL) == ("" if runs else said)
