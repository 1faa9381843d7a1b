import json
from pathlib import Path

import pytest

from nightledger.hosts.configured import Unread
from nightledger.hosts.hooking import HookCall, with_hooks
from nightledger.hosts.rivals import Rival, find_rivals, why_held_back

DREAMING = "plugins.entries.memory-core.config.dreaming.enabled: false"


def openclaw(root: Path, text: str) -> tuple[Rival | Unread, ...]:
    (root / "openclaw.json").write_text(text)
    return find_rivals("openclaw", str(root), str(root / "workspace"))


def test_dreaming_that_is_on_is_named_with_its_setting(tmp_path: Path) -> None:
    (rival,) = openclaw(
        tmp_path, '{plugins: {entries: {"memory-core": {config: {dreaming: {enabled: true,}}}}}}'
    )
    assert isinstance(rival, Rival)
    assert (rival.is_on, rival.setting) == (True, DREAMING)
    assert rival.path == str(tmp_path / "openclaw.json")


def test_dreaming_without_a_setting_may_be_on_and_turned_off_is_not_named(tmp_path: Path) -> None:
    (rival,) = openclaw(tmp_path, "{}")
    assert isinstance(rival, Rival)
    assert rival.is_on is None
    off = '{plugins: {entries: {"memory-core": {config: {dreaming: {enabled: false}}}}}}'
    assert openclaw(tmp_path, off) == ()


@pytest.mark.parametrize(
    ("internal", "named"), [("", True), ("enabled: false,", False), ("enabled: true,", True)]
)
def test_the_session_memory_hook_is_named_where_hooks_run(internal: str, named: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    text = f"{{hooks: {{internal: {{{internal} entries: {{'session-memory': {{enabled: true}}}}}}}}}}"
    names = [one.name for one in openclaw(tmp_path, text) if isinstance(one, Rival)]
    assert ("OpenClaw's session-memory hook" in names) is named


def test_a_configuration_that_cannot_be_read_is_said_to_be(tmp_path: Path) -> None:
    (unread,) = openclaw(tmp_path, "{ what: is this")
    assert isinstance(unread, Unread)
    assert unread.path.endswith("openclaw.json")
    (tmp_path / "config.yaml").write_text("a: [")
    assert isinstance(find_rivals("hermes", str(tmp_path), str(tmp_path))[0], Unread)
    (tmp_path / "settings.json").mkdir()
    found = find_rivals("claude_code", str(tmp_path), str(tmp_path / "home"))
    assert [type(one) for one in found] == [Unread, Rival, Rival]


def claude(root: Path, **settings: object) -> list[str]:
    (root / "settings.json").write_text(json.dumps(settings))
    found = find_rivals("claude_code", str(root), str(root / "home"))
    return [one.name for one in found if isinstance(one, Rival)]


def test_auto_memory_is_on_unless_a_setting_says_no(tmp_path: Path) -> None:
    assert claude(tmp_path, autoDreamEnabled=False) == ["Claude Code auto memory"]
    assert claude(tmp_path, autoMemoryEnabled=False, autoDreamEnabled=True) == []
    assert claude(tmp_path, autoDreamEnabled=True) == ["Claude Code auto memory", "Claude Code auto dream"]


@pytest.mark.parametrize(
    ("variable", "setting", "named"),
    [
        ("1", True, False),
        ("true", None, False),
        ("0", False, True),
        ("perhaps", False, False),
        (1, None, True),
    ],
)
def test_a_variable_in_the_settings_says_more_than_the_setting(
    variable: object,
    setting: bool | None,  # noqa: FBT001 - a case
    named: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
) -> None:
    found = claude(
        tmp_path,
        env={"CLAUDE_CODE_DISABLE_AUTO_MEMORY": variable},
        autoDreamEnabled=False,
        **({} if setting is None else {"autoMemoryEnabled": setting}),
    )
    assert found == (["Claude Code auto memory"] if named else [])


def test_where_auto_memory_is_kept_is_told(tmp_path: Path) -> None:
    def told(folder: object) -> str:
        claude(tmp_path, autoMemoryDirectory=folder, autoDreamEnabled=False)
        (rival,) = find_rivals("claude_code", str(tmp_path), str(tmp_path / "home"))
        assert isinstance(rival, Rival)
        return rival.writes

    assert told(None) == "keeps a memory of its own under projects/*/memory, beside yours"
    assert told("/elsewhere") == "keeps a memory of its own in /elsewhere, beside yours"
    assert told(f"{tmp_path}/home/").startswith("is told to write MEMORY.md here, past the gate")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", False),
        ("[features]\nmemories = true\n", True),
        ("[features]\nmemories = false\n", False),
        ("features = 3\n", False),
    ],
)
def test_codex_memories_are_named_where_they_are_turned_on(text: str, named: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    (tmp_path / "config.toml").write_text(text)
    found = find_rivals("codex", str(tmp_path), str(tmp_path))
    assert [one.name for one in found if isinstance(one, Rival)] == (["Codex memories"] if named else [])
    (tmp_path / "config.toml").write_text("[")
    assert isinstance(find_rivals("codex", str(tmp_path), str(tmp_path))[0], Unread)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("model: x\n", True),
        ("memory:\n  write_approval: false\n", True),
        ("memory:\n  write_approval: true\n", False),
        ("memory:\n  memory_enabled: false\n", True),  # its user's profile it keeps still
        ("memory:\n  memory_enabled: false\n  user_profile_enabled: false\n", False),
        ("- a list\n", True),
    ],
)
def test_hermes_writes_unless_it_asks_first(text: str, named: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    (tmp_path / "config.yaml").write_text(text)
    assert bool(find_rivals("hermes", str(tmp_path), str(tmp_path))) is named


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
